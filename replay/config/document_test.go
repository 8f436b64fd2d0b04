package config_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracekit/replay/config"
)

const smallEngine = "engine: {model: m, hardware: h, workers: {aggregated: {}}}\n"

func TestDocumentsThatAreFine(t *testing.T) {
	for name, text := range map[string]string{
		"byte-order mark":     "\ufeff" + smallEngine,
		"CRLF":                strings.ReplaceAll("engine:\n  model: m\n  hardware: h\n  workers:\n    aggregated: {}\n", "\n", "\r\n"),
		"JSON":                `{"engine": {"model": "m", "hardware": "h", "workers": {"aggregated": {}}}}`,
		"directive":           "%YAML 1.1\n---\n" + smallEngine,
		"explicit end":        "---\n" + smallEngine + "...\n",
		"comments":            "# a\n" + smallEngine + "# b\n",
		"standard tags":       `engine: !!map {model: !!str 12, hardware: h, workers: {aggregated: {parallelism: {tensor: !!int "2"}}}}`,
		"merge of a list":     "engine: {model: m, hardware: h, workers: {aggregated: {<<: [{startup_seconds: 1}, {startup_seconds: 2}]}}}",
		"merge after own key": "engine: {hardware: h, <<: {model: x, hardware: 3}, model: m, workers: {aggregated: {}}}",
	} {
		p, err := parse(text, config.Options{})
		require.NoError(t, err, name)
		require.Equal(t, "h", p.Engine.Hardware, name)
	}
}

func TestMergeOrder(t *testing.T) {
	for text, want := range map[string]float64{
		"{<<: [{startup_seconds: 1}, {startup_seconds: 2}]}":        1,
		"{<<: {startup_seconds: 1}, <<: {startup_seconds: 2}}":      2,
		"{<<: {startup_seconds: 1}, startup_seconds: 3}":            3,
		"{startup_seconds: 3, <<: {startup_seconds: 1}}":            3,
		"{<<: {<<: {startup_seconds: 1}}, scheduler: {}}":           1,
		"{timing: &t {type: polynomial}, <<: {startup_seconds: 4}}": 4,
	} {
		p, err := parse("engine: {model: m, hardware: h, workers: {aggregated: "+text+"}}", config.Options{})
		require.NoError(t, err, text)
		require.InDelta(t, want, p.Engine.Workers.Aggregated.StartupSeconds, 0, text)
	}
}

func TestMalformedDocuments(t *testing.T) {
	for text, want := range map[string]string{
		"":                                "p.yaml:1:1: the file is empty",
		"# only a comment\n":              "the file is empty",
		"- engine\n":                      "the document is a list",
		"engine\n":                        `the document is the text "engine"`,
		"a: 1\n---\nb: 2\n":               "p.yaml:2:1: a second YAML document begins here",
		"a: 1\n---\n":                     "a second YAML document begins here",
		"engine:\n\tmodel: m\n":           "p.yaml:2:1: malformed YAML",
		"engine: {model: [a\n":            "p.yaml:1:17: malformed YAML",
		"engine: !foo {}\n":               "p.yaml:1:9: the tag !foo is not known",
		"engine: !!int x\n":               "does not fit the tag !!int",
		"engine: *x\n":                    "p.yaml:1:9: the alias *x has no anchor before it",
		"engine: &x {a: *x}\n":            "the alias *x has no anchor",
		"engine: {<<: 3}\n":               "the integer 3 cannot be merged",
		"engine: }\n":                     "p.yaml:1:9: malformed YAML: a plain value begins with }",
		"engine: \"x\n":                   "malformed YAML",
		"engine: a\x00b\n":                "p.yaml:1:10: the control character U+0000",
		"x: 1\nengine: \xff\n":            "p.yaml:2:9: the byte 0xff is not part of a UTF-8 character",
		"1: 2\n" + smallEngine:            "the name of a field is the integer 1",
		"on: 2\n" + smallEngine:           "the name of a field is the boolean true (written on)",
		"a.b: 2\n" + smallEngine:          "the name of the section holds a dot",
		"\"\": 2\n" + smallEngine:         "the name of the section is empty",
		"x-base: {}\n" + smallEngine:      "x-base: unknown section",
		"optimizer:\n" + smallEngine:      "optimizer: the section belongs to recommendation",
		"optimization: 1\n" + smallEngine: "optimization: the section belongs to recommendation",
		"enginee: {}\n":                   "write engine",
	} {
		_, err := parse(text, config.Options{})
		problemsOf(t, err)
		require.ErrorContains(t, err, want, text)
	}
}

func TestDuplicateKeys(t *testing.T) {
	const text = "engine:\n  model: a\n  hardware: h\n  model: b\n  workers: {aggregated: {}}\n"
	_, err := parse(text, documented)
	require.ErrorContains(t, err, `p.yaml:4:3: the key "model" stands twice, in lines 2 and 4; expected each key once`)
	require.ErrorContains(t, err, "--semantics aisimulate-0.13 takes the last one")
	p, err := parse(text, program)
	require.NoError(t, err)
	require.Equal(t, "b", p.Engine.Model)
	require.Len(t, p.Warnings, 1)
	require.Contains(t, p.Warnings.Error(), "in lines 2 and 4; the last one counts")
}

// Text that is made to be costly is refused at once.
func TestBoundedWork(t *testing.T) {
	var aliases strings.Builder
	aliases.WriteString("engine: {a0: &a0 {x: 1}, ")
	for i := range 60 {
		a, b := string(rune('a'+i/26))+string(rune('a'+i%26)), "a0"
		if i > 0 {
			j := i - 1
			b = string(rune('a'+j/26)) + string(rune('a'+j%26))
		}
		aliases.WriteString(a + ": &" + a + " [*" + b + ", *" + b + ", *" + b + "], ")
	}
	aliases.WriteString("model: m, hardware: h, workers: {aggregated: {}}}")
	var merges strings.Builder
	merges.WriteString("a: &a {")
	for i := range 2000 {
		merges.WriteString("k" + strings.Repeat("x", i%50) + string(rune('0'+i%10)) + strings.Repeat("y", i/50) + ": 1, ")
	}
	merges.WriteString("}\nb:\n")
	for range 2000 {
		merges.WriteString("  - {<<: *a}\n")
	}
	for name, tt := range map[string]struct{ text, want string }{
		"brackets":    {strings.Repeat("[", 20_000), "nested too deeply"},
		"dashes":      {strings.Repeat("- ", 20_000), "nested too deeply"},
		"questions":   {strings.Repeat("? ", 20_000), "nested too deeply"},
		"indentation": {indented(700), "nested too deeply"},
		"aliases":     {aliases.String(), "unknown field"},
		"merges":      {merges.String(), "merge keys copy too many fields"},
		"size":        {strings.Repeat("# x\n", 1<<19), "bytes long"},
		"number":      {"engine: {context_length: " + strings.Repeat("9", 1<<19) + "}", "does not fit 64 bits"},
		"real":        {"engine: {kv_transfer: {bandwidth_gb_per_second: " + strings.Repeat("9", 1<<19) + "}}", "which is infinite"},
		"most fields": {"engine: {" + strings.Repeat("a, ", 24_990) + "}", "stands twice"},
		"fields":      {"engine: {" + strings.Repeat("a, ", 1<<17) + "}", "too many names and values"},
	} {
		start := time.Now()
		_, err := parse(tt.text, config.Options{})
		require.ErrorContains(t, err, tt.want, name)
		require.Less(t, len(err.Error()), 1<<16, name)
		require.Less(t, time.Since(start), 5*time.Second, name)
	}
}

func indented(depth int) string {
	var b strings.Builder
	for i := range depth {
		b.WriteString(strings.Repeat(" ", i) + "a:\n")
	}
	return b.String()
}
