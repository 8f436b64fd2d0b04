package main

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/cmd/tracekit/internal/cli"
)

const (
	golden  = "../../testdata/golden"
	program = "aisimulate-0.13" // the cases were made with it
)

// command runs a command line in this process.
func command(args ...string) (code int, stdout, stderr string) {
	var out, errors bytes.Buffer
	code = cli.Main(args, cli.World{Stdin: strings.NewReader(""), Stdout: &out, Stderr: &errors})
	return code, out.String(), errors.String()
}

// object is a JSON object whose numbers keep their text.
type object map[string]any

func parseObject(t testing.TB, text string) object {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	var o object
	require.NoError(t, d.Decode(&o), text)
	_, err := d.Token()
	require.ErrorIs(t, err, io.EOF, "something follows the object")
	return o
}

func readObject(t testing.TB, path ...string) object {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(path...))
	require.NoError(t, err)
	return parseObject(t, string(text))
}

// same tells whether two JSON values are equal, real numbers by their value.
func same(a, b any) bool {
	switch a := a.(type) {
	case json.Number:
		b, ok := b.(json.Number)
		if !ok || !strings.ContainsAny(string(a+b), ".eE") {
			return ok && a == b
		}
		x, errX := strconv.ParseFloat(string(a), 64)
		y, errY := strconv.ParseFloat(string(b), 64)
		return errX == nil && errY == nil && x == y
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for i := range a {
			if !same(a[i], b[i]) {
				return false
			}
		}
		return true
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok || len(a) != len(b) {
			return false
		}
		for key := range a {
			if other, there := b[key]; !there || !same(a[key], other) {
				return false
			}
		}
		return true
	}
	return a == b
}

// requireFacts holds what a case says against what a command has printed.
// Keys that are for people or for other tests are named as ignored: any other
// must be there.
func requireFacts(t testing.TB, want, got object, ignored ...string) {
	t.Helper()
	compared := 0
facts:
	for key, value := range want {
		for _, name := range ignored {
			if key == name {
				continue facts
			}
		}
		require.Contains(t, got, key)
		require.Truef(t, same(value, got[key]), "%s: %v instead of %v", key, got[key], value)
		compared++
	}
	require.Positive(t, compared)
}

func (o object) text(key string) string {
	text, _ := o[key].(string)
	return text
}

// each runs a test for each folder that matches a pattern.
func each(t *testing.T, pattern string, count int, test func(t *testing.T, folder string)) {
	files, err := filepath.Glob(filepath.Join(golden, pattern, "expected.json"))
	require.NoError(t, err)
	require.Len(t, files, count)
	for _, file := range files {
		folder := filepath.Dir(file)
		t.Run(filepath.Base(folder), func(t *testing.T) { test(t, folder) })
	}
}

// prepare returns the folder of a case, or a changed copy of it where the
// case asks for steps before the run.
func prepare(t testing.TB, folder string, want object) string {
	steps, _ := want["setup"].([]any)
	if len(steps) == 0 {
		return folder
	}
	changed := t.TempDir()
	require.NoError(t, os.CopyFS(changed, os.DirFS(folder)))
	for _, step := range steps {
		step, ok := step.(map[string]any)
		require.True(t, ok)
		if name := object(step).text("mkdir"); name != "" {
			require.NoError(t, os.MkdirAll(filepath.Join(changed, name), 0o777))
		}
		if name := object(step).text("symlink"); name != "" {
			require.NoError(t, os.Symlink(object(step).text("target"), filepath.Join(changed, name)))
		}
	}
	return changed
}

// requireRefusal wants exit code and message of refused input, and nothing
// else: no output, and no other file in its folder.
func requireRefusal(t testing.TB, want object, input, output string, code int, stdout, stderr string) {
	t.Helper()
	require.Equal(t, string(want["exit_code"].(json.Number)), strconv.Itoa(code), stderr)
	require.Empty(t, stdout)
	// The message names the input or, of a folder, a file in it.
	rest, names := strings.CutPrefix(stderr, "tracekit: "+input)
	require.True(t, names && (rest[0] == ':' || rest[0] == '/'), stderr)
	if output != "" {
		left, err := os.ReadDir(filepath.Dir(output))
		require.NoError(t, err)
		require.Empty(t, left)
	}
}

func TestGoldenWeka(t *testing.T) {
	each(t, "weka/*", 98, func(t *testing.T, folder string) {
		want := readObject(t, folder, "expected.json")
		folder = prepare(t, folder, want)
		input, output := filepath.Join(folder, want.text("input")), filepath.Join(t.TempDir(), "out.jsonl")
		code, stdout, stderr := command("convert", "weka", "--input", input, "--output", output,
			"--timestamp-basis", want.text("timestamp_basis"), "--format", "json", "--semantics", program)
		if want["rejects"] == true {
			requireRefusal(t, want, input, output, code, stdout, stderr)
			return
		}
		require.Zero(t, code, stderr)
		require.Empty(t, stderr)
		requireFacts(t, want, parseObject(t, stdout), "about", "input", "timestamp_basis", "setup", "rejects", "exit_code", "output",
			"reparsed_graph_digest", "graph_digest_normalized", "graph_digest_normalized_speedup")
		requireSameFile(t, filepath.Join(folder, want.text("output")), output)

		code, stdout, stderr = command("verify", output, "--format", "json", "--semantics", program)
		require.Zero(t, code, stderr)
		require.Equal(t, want["reparsed_graph_digest"], parseObject(t, stdout)["graph_digest"])
	})
}

func requireSameFile(t testing.TB, want, got string) {
	t.Helper()
	wanted, err := os.ReadFile(want)
	require.NoError(t, err)
	found, err := os.ReadFile(got)
	require.NoError(t, err)
	require.Equal(t, string(wanted), string(found))
}

func TestGoldenIdentity(t *testing.T) {
	each(t, "identity/*", 14, func(t *testing.T, folder string) {
		want := readObject(t, folder, "expected.json")
		code, stdout, stderr := command("verify", filepath.Join(folder, want.text("input")), "--format", "json", "--semantics", program)
		require.Zero(t, code, stderr)
		got := parseObject(t, stdout)
		require.Equal(t, "agentic_mooncake", got["format"])
		requireFacts(t, want, got, "about", "input", "rejects", "exit_code", "canonical", "canonical_bytes",
			"graph_digest_normalized", "graph_digest_normalized_speedup", "same_digest_as", "differs_from")

		// Two of a family are compared, too.
		for key, equal := range map[string]int{"same_digest_as": 0, "differs_from": 1} {
			if other := want.text(key); other != "" {
				code, _, stderr := command("verify", filepath.Join(folder, want.text("input")), filepath.Join(golden, "identity", other, "input.jsonl"), "--semantics", program)
				require.Equal(t, equal, code, stderr)
			}
		}
	})
}

func TestGoldenGraphs(t *testing.T) {
	each(t, "formats/*v2-*", 19, func(t *testing.T, folder string) {
		want := readObject(t, folder, "expected.json")
		input := filepath.Join(folder, "trace.jsonl")
		code, stdout, stderr := command("verify", input, "--format", "json", "--semantics", program)
		if want["parse_rejects"] == true {
			requireRefusal(t, want, input, "", code, stdout, stderr)
			return
		}
		require.Zero(t, code, stderr)
		parsed, ok := want["parsed"].(map[string]any)
		require.True(t, ok)
		got := parseObject(t, stdout)
		requireFacts(t, parsed, got, "nodes", "edges")
		require.Truef(t, same(parsed["edges"], edgesThatAre(got)), "%v", got["edges"])
	})
}

// edgesThatAre gives the edge counts of a trace as these cases do: only those
// that are not 0, under relation/trigger.
func edgesThatAre(o object) map[string]any {
	counts := map[string]any{}
	for relation, byTrigger := range o["edges"].(map[string]any) {
		for trigger, n := range byTrigger.(map[string]any) {
			if n != json.Number("0") {
				counts[relation+"/"+trigger] = n
			}
		}
	}
	return counts
}

func TestGoldenFieldReports(t *testing.T) {
	each(t, "field-reports/*", 11, func(t *testing.T, folder string) {
		want := readObject(t, folder, "expected.json")
		input, output := filepath.Join(folder, "weka"), filepath.Join(t.TempDir(), "out.jsonl")
		if want["command"] != "convert weka" {
			return // a prediction: TestGoldenPredictions
		}
		code, stdout, stderr := command("convert", "weka", "--input", input, "--output", output, "--format", "json", "--semantics", program)
		if want["rejects"] == true {
			requireRefusal(t, want, input, output, code, stdout, stderr)
			words, ok := want["message_mentions"].([]any)
			require.True(t, ok)
			for _, word := range words {
				require.Contains(t, stderr, word)
			}
			return
		}
		require.Zero(t, code, stderr)
		got := parseObject(t, stdout)
		require.Equal(t, want["nested_timestamp_basis"], got["nested_timestamp_basis"])
		identity, ok := want["identity"].(map[string]any)
		require.True(t, ok)
		requireFacts(t, identity, got, "source_digest")
		require.Equal(t, identity["source_digest"], got["source"].(map[string]any)["digest"])
		requireRows(t, want, output)
	})
}

// requireRows holds header and rows of a case against a converted file.
func requireRows(t testing.TB, want object, output string) {
	t.Helper()
	text, err := os.ReadFile(output)
	require.NoError(t, err)
	header, rest, found := strings.Cut(strings.TrimSuffix(string(text), "\n"), "\n")
	require.True(t, found)
	require.True(t, same(want["header"], map[string]any(parseObject(t, header))), header)
	rows := strings.Split(rest, "\n")
	wanted, ok := want["rows"].([]any)
	require.True(t, ok)
	require.Len(t, rows, len(wanted))
	for i := range rows {
		want, ok := wanted[i].(map[string]any)
		require.True(t, ok)
		got := parseObject(t, rows[i])
		requireFacts(t, want, got, "hash_count")
		require.Equal(t, string(want["hash_count"].(json.Number)), strconv.Itoa(len(got["hash_ids"].([]any))))
	}
}
