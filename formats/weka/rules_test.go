package weka_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/formats"
	"tracekit/formats/weka"
	"tracekit/graph"
	"tracekit/internal/semantics"
)

// Pieces of small documents.
const (
	aCall     = `{"type":"n","t":1,"model":"m","in":4,"out":1,"hash_ids":[1],"api_time":1}`
	aSubagent = `{"type":"subagent","t":2,"agent_id":"a","subagent_type":"x","status":"completed","requests":[` + aLateCall + `]}`
	aLateCall = `{"type":"s","t":2,"model":"m","in":4,"out":1,"hash_ids":[9],"api_time":1}`
)

// session returns a document with these entries.
func session(entries ...string) string {
	return `{"id":"p","block_size":4,"hash_id_scope":"local","requests":[` + strings.Join(entries, ",") + `]}`
}

// with returns an object with one more field, which goes first.
func with(object, field string) string { return "{" + field + "," + object[1:] }

// read opens a file of that text and lowers it.
func read(t *testing.T, name, text string, opts weka.Options) (graph.Summary, error) {
	trace, err := weka.Open(t.Context(), write(t, t.TempDir(), name, text), opts)
	if err != nil {
		return graph.Summary{}, err
	}
	return trace.Summary(t.Context())
}

// Every rule has a case that breaks it and nothing else, at the place marked §.
func TestRefused(t *testing.T) {
	relative := weka.Options{Basis: weka.BasisRelative}
	for _, tt := range []struct {
		name, text, path, found string
		opts                    weka.Options
	}{
		// JSON: weka.md 2.
		{name: "byte-order mark", text: "§\ufeff" + session(aCall), found: "found a byte-order mark"},
		{name: "NUL", text: "§\x00" + session(aCall), found: "found the byte 0x00"},
		{name: "form feed", text: " §\f" + session(aCall), found: "found the byte 0x0c"},
		{name: "no-break space", text: "§\u00a0" + session(aCall), found: "found the byte 0xc2"},
		{name: "no-break space inside", text: session("§\u00a0" + aCall), path: "requests[0]", found: "found the byte 0xc2"},
		{name: "not an object", text: "§[" + session(aCall) + "]", found: "found an array; an object is expected"},
		{name: "two documents", text: session(aCall) + "\n§" + session(aCall), found: "something follows the document"},
		{name: "garbage behind", text: session(aCall) + " §x", found: "something follows the document"},
		{name: "cut off", text: strings.TrimSuffix(session(aCall), "]}") + "§", path: "requests[0]", found: "the text ends here"},
		{name: "comma behind the last", text: session(aCall + ",§"), path: "requests[0]", found: "found ']'; a value is expected"},
		{name: "entry is an array", text: session(`§["n",1]`), path: "requests[0]", found: "found an array; an object is expected"},

		{name: "id twice", text: `{"id":"p",§"id":"p",` + session(aCall)[1:], path: "id", found: "given twice"},
		{name: "type twice", text: session(`{"type":"n",§` + aCall[1:]), path: "requests[0].type", found: "given twice"},
		{name: "type twice with another", text: session(`{"type":"subagent",§` + aCall[1:]), path: "requests[0].type", found: "given twice"},
		{name: "type twice at the end", text: session(strings.TrimSuffix(aCall, "}") + `,§"type":"n"}`), path: "requests[0].type", found: "given twice"},
		{name: "t twice", text: session(`{"t":1,` + strings.Replace(aCall[1:], `"t"`, `§"t"`, 1)), path: "requests[0].t", found: "given twice"},
		{name: "unused field twice", text: session(`{"stop":"a",§"stop":"b",` + aCall[1:]), path: "requests[0].stop", found: "given twice"},
		{name: "agent_id twice", text: session(aCall, `{"agent_id":"a",`+strings.Replace(aSubagent[1:], `"agent_id"`, `§"agent_id"`, 1)), path: "requests[1].agent_id", found: "given twice"},
		{name: "nested in twice", text: session(aCall, strings.Replace(aSubagent, `"out"`, `§"in":4,"out"`, 1)), path: "requests[1].requests[0].in", found: "given twice"},
		{name: "totals twice", text: `{"totals":1,§"totals":2,` + session(aCall)[1:], path: "totals", found: "given twice"},

		{name: "range in an unknown field of an entry", text: session(with(aCall, `"x":[§1e999]`)), path: "requests[0].x[0]", found: "found the number 1e999"},
		{name: "range in a field of the other kind", text: session(with(aCall, `"agent_id":§-1e999`)), path: "requests[0].agent_id", found: "found the number -1e999"},
		{name: "range in an unknown field of a nested call", text: session(aCall, strings.Replace(aSubagent, `"in"`, `"x":§1e999,"in"`, 1)), path: "requests[1].requests[0].x", found: "found the number 1e999"},
		{name: "range in totals", text: with(session(aCall), `"totals":{"x":§1e999}`), path: "totals.x", found: "found the number 1e999"},
		{name: "syntax in an unknown field", text: with(session(aCall), `"x":[§01]`), path: "x[0]", found: "found the number 01"},
		{name: "range of t", text: session(strings.Replace(aCall, `"t":1`, `"t":§1e999`, 1)), path: "requests[0].t", found: "found the number 1e999"},
		{name: "range of api_time", text: session(strings.Replace(aCall, `"api_time":1`, `"api_time":§1.8e308`, 1)), path: "requests[0].api_time", found: "found the number 1.8e308"},
		{name: "range of ttft", text: session(with(aCall, `"ttft":§-1e999`)), path: "requests[0].ttft", found: "found the number -1e999"},

		{name: "invalid UTF-8", text: strings.Replace(session(aCall), `"p"`, "\"§\xff\"", 1), path: "id", found: "not valid UTF-8"},
		{name: "lone surrogate", text: strings.Replace(session(aCall), `"p"`, `"§\ud800"`, 1), path: "id", found: "half of a surrogate pair"},
		{name: "raw control character", text: strings.Replace(session(aCall), `"p"`, "\"a§\n\"", 1), path: "id", found: "raw control character"},
		{name: "deep in an entry", text: session(with(aCall, `"x":`+strings.Repeat("[", 124)+"§[]"+strings.Repeat("]", 124))), path: "requests[0].x" + strings.Repeat("[0]", 124), found: "nested too deeply"},
		{name: "deep in totals", text: with(session(aCall), `"totals":`+strings.Repeat(`[`, 126)+"§{}"+strings.Repeat("]", 126)), path: "totals" + strings.Repeat("[0]", 126), found: "nested too deeply"},

		// Types of values that have a rule of their own: weka.md 4.
		{name: "unknown type", text: session(strings.Replace(aCall, `"n"`, `"N"`, 1)), path: "requests[0].type", found: `found the type "N"`},
		{name: "unknown type, last", text: session(`{` + strings.TrimSuffix(strings.TrimPrefix(aCall, `{"type":"n",`), "}") + `,"type":"call"}`), path: "requests[0].type", found: `found the type "call"`},
		{name: "no type", text: session(strings.Replace(aCall, `"type":"n",`, ``, 1) + "§"), path: "requests[0]", found: `the field "type" is missing`},
		{name: "no type, marker", text: session(aCall, strings.Replace(aSubagent, `"type":"subagent",`, ``, 1)+"§"), path: "requests[1]", found: `the field "type" is missing`},
		{name: "empty entry", text: session("{}§"), path: "requests[0]", found: `the field "type" is missing`},
		{name: "nested subagent", text: session(aCall, strings.Replace(aSubagent, aLateCall, aSubagent, 1)), path: "requests[1].requests[0].type", found: "a subagent inside a subagent"},
		{name: "hash id beyond 64 bits", text: session(strings.Replace(aCall, `[1]`, `[1,§18446744073709551616]`, 1)), path: "requests[0].hash_ids[1]", found: "found the number 18446744073709551616"},
		{name: "duration beyond 64 bits", text: session(aCall, with(aSubagent, `"duration_ms":§9223372036854775808`)), path: "requests[1].duration_ms", found: "found the number 9223372036854775808"},

		// The rules of weka.md 15, in their order.
		{name: "blank id", text: "§" + strings.Replace(session(aCall), `"p"`, `"\u00a0\u2003 \t"`, 1), path: "id", found: "the id is blank"},
		{name: "empty id", text: "§" + strings.Replace(session(aCall), `"p"`, `""`, 1), path: "id", found: "the id is blank"},
		{name: "block size 0", text: strings.Replace(session(aCall), `"block_size":4`, `"block_size":§0`, 1), path: "block_size", found: "found 0"},
		{name: "scope", text: strings.Replace(session(aCall), `"local"`, `"Local"`, 1), path: "hash_id_scope", found: `found the scope "Local"`},
		{name: "blank declared model", text: "§" + with(session(aCall), `"models":["m"," "]`), path: "models[1]", found: "the model name is blank"},
		{name: "blank model", text: session("§" + strings.Replace(aCall, `"m"`, `"\u3000"`, 1)), path: "requests[0].model", found: "the model name is blank"},
		{name: "blank nested model", text: session(aCall, strings.Replace(strings.Replace(aSubagent, aLateCall, "§"+aLateCall, 1), `"m"`, `""`, 1)), path: "requests[1].requests[0].model", found: "the model name is blank"},
		{name: "no request", text: "§" + session(), path: "requests", found: "there is no request"},
		{name: "empty markers only", text: "§" + session(strings.NewReplacer(aLateCall, "", "completed", "async_launched").Replace(aSubagent)), path: "requests", found: "there is no request"},
		{name: "undeclared model", text: session("§" + aCall)[:1] + `"models":["n"],` + session("§" + aCall)[1:], path: "requests[0].model", found: `the model "m" is not declared`},
		{name: "negative t", text: session("§" + strings.Replace(aCall, `"t":1`, `"t":-1e-9`, 1)), path: "requests[0].t", found: "found -1e-09"},
		{name: "in 0", text: session(aCall, "§"+strings.Replace(aCall, `"in":4`, `"in":0`, 1)), path: "requests[1].in", found: "found 0"},
		{name: "negative api_time", text: session("§" + strings.Replace(aCall, `"api_time":1`, `"api_time":-0.5`, 1)), path: "requests[0].api_time", found: "found -0.5"},
		{name: "missing api_time", text: session("§" + strings.Replace(aCall, `,"api_time":1`, ``, 1)), path: "requests[0].api_time", found: "the field is missing"},
		{name: "second model", text: session(aCall, aCall, "§"+strings.Replace(aCall, `"m"`, `"n"`, 1)), path: "requests[2].model", found: `found the model "n" where the corpus began with "m"`},
		{name: "negative nested t", text: session(aCall, strings.Replace(aSubagent, `{"type":"s","t":2`, `§{"type":"s","t":-2`, 1)), path: "requests[1].requests[0].t", found: "found -2", opts: relative},
		{name: "negative marker time", text: session(aCall, "§"+strings.Replace(aSubagent, `"t":2`, `"t":-2`, 1)), path: "requests[1].t", found: "found -2"},
		{name: "blank agent_id", text: session(aCall, "§"+strings.Replace(aSubagent, `"agent_id":"a"`, `"agent_id":"\n"`, 1)), path: "requests[1].agent_id", found: "the name is blank"},
		{name: "negative duration", text: session(aCall, "§"+with(aSubagent, `"duration_ms":-1`)), path: "requests[1].duration_ms", found: "found -1"},
		{name: "status", text: session(aCall, "§"+strings.Replace(aSubagent, "completed", "running", 1)), path: "requests[1].status", found: `found "running"`},
		{name: "status in capitals", text: session(aCall, "§"+strings.Replace(aSubagent, "completed", "Completed", 1)), path: "requests[1].status", found: `found "Completed"`},
		{name: "completed without requests", text: session(aCall, "§"+strings.Replace(aSubagent, aLateCall, "", 1)), path: "requests[1].requests", found: "the list is empty"},

		// Pass 2.
		{name: "only subagents", text: session("§" + aSubagent), path: "requests[0]", found: "every entry is a subagent"},
		{name: "marker first", text: session("§"+aSubagent, aCall), path: "requests[0]", found: "no request comes before this subagent"},
		{name: "empty marker first", text: session("§"+strings.NewReplacer(aLateCall, "", "completed", "async_launched").Replace(aSubagent), aCall), path: "requests[0]", found: "no request comes before this subagent"},
		{name: "inner before marker", text: session(aCall, strings.Replace(aSubagent, `{"type":"s","t":2`, `§{"type":"s","t":1.999`, 1)), path: "requests[1].requests[0].t", found: "1.999 s lies before the marker at 2 s"},
		{name: "overflow of a nested time", text: session(aCall, strings.NewReplacer(`"t":2,"agent_id"`, `"t":1.7e308,"agent_id"`, `{"type":"s","t":2`, `§{"type":"s","t":1.7e308`).Replace(aSubagent)), path: "requests[1].requests[0].t", found: "beyond the range of a double", opts: relative},
		{name: "infinite not-before", text: session(aCall, "§"+strings.Replace(aCall, `"t":1`, `"t":1.7e308`, 1)), path: "requests[1].t", found: "in nanoseconds"},
		{name: "infinite api time", text: session("§" + strings.Replace(aCall, `"api_time":1`, `"api_time":1e300`, 1)), path: "requests[0].api_time", found: "in nanoseconds"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			before, after, marked := strings.Cut(tt.text, "§")
			_, err := read(t, "a.json", before+after, tt.opts)
			var problem *formats.Error
			require.ErrorAs(t, err, &problem)
			require.Contains(t, err.Error(), tt.found)
			require.Equal(t, tt.path, problem.Path, "%v", err)
			require.NotEmpty(t, problem.Rule, "%v", err)
			if marked {
				line, column := 1+strings.Count(before, "\n"), len(before)-strings.LastIndexByte(before, '\n')
				require.Equal(t, fmt.Sprintf("%d:%d", line, column), fmt.Sprintf("%d:%d", problem.Line, problem.Column), "%v", err)
			}
			require.Positive(t, problem.Line)

			// The same on the third line of a .jsonl file, in its second document.
			if tt.name == "two documents" || tt.name == "no-break space" {
				return
			}
			first := session(aCall)
			_, err = read(t, "a.jsonl", first+"\n\n  "+before+after, tt.opts)
			require.ErrorAs(t, err, &problem)
			if tt.name == "garbage behind" {
				return // there it is a third document
			}
			require.Contains(t, err.Error(), tt.found)
			require.Equal(t, tt.path, problem.Path, "%v", err)
			if marked {
				before = first + "\n\n  " + before
				line, column := 1+strings.Count(before, "\n"), len(before)-strings.LastIndexByte(before, '\n')
				require.Equal(t, fmt.Sprintf("%d:%d", line, column), fmt.Sprintf("%d:%d", problem.Line, problem.Column), "%v", err)
			}
		})
	}
}

// fieldRule is a row of the tables of weka.md 4.
type fieldRule struct {
	name     string
	value    string // a valid one
	required bool
	nullable bool
	kind     string // uint, int, real, string, strings, uints, entries or any
}

var (
	documentFields = []fieldRule{
		{"id", `"p"`, true, false, "string"}, {"block_size", `4`, true, false, "uint"}, {"hash_id_scope", `"local"`, true, false, "string"},
		{"requests", `[` + aCall + `]`, true, false, "entries"}, {"models", `["m"]`, false, false, "strings"},
		{"tool_tokens", `5`, false, false, "uint"}, {"system_tokens", `5`, false, false, "uint"}, {"totals", `{"a":[1]}`, false, true, "any"},
	}
	callFields = []fieldRule{
		{"type", `"n"`, true, false, "string"}, {"t", `2.5`, true, false, "real"}, {"model", `"m"`, true, false, "string"}, {"in", `4`, true, false, "uint"},
		{"out", `0`, true, false, "uint"}, {"hash_ids", `[7]`, false, false, "uints"}, {"api_time", `0.5`, false, true, "real"},
		{"input_types", `["text"]`, false, false, "strings"}, {"output_types", `[]`, false, false, "strings"}, {"stop", `""`, false, false, "string"},
		{"think_time", `-1.5`, false, true, "real"}, {"ttft", `-0.5`, false, true, "real"},
	}
	subagentFields = []fieldRule{
		{"type", `"subagent"`, true, false, "string"}, {"t", `2`, true, false, "real"}, {"agent_id", `" a "`, true, false, "string"},
		{"subagent_type", `""`, true, false, "string"}, {"status", `"completed"`, true, false, "string"}, {"requests", `[` + aLateCall + `]`, true, false, "entries"},
		{"duration_ms", `7`, false, true, "int"}, {"total_tokens", `7`, false, true, "uint"}, {"tool_use_count", `7`, false, true, "uint"},
		{"models", `["other"]`, false, false, "strings"}, {"tool_tokens", `7`, false, false, "uint"}, {"system_tokens", `7`, false, false, "uint"},
	}
	// wrongValues are of no use for a kind of field.
	wrongValues = map[string][]string{
		"uint":    {`-1`, `-0`, `1.0`, `1e3`, `18446744073709551616`, `"4"`, `true`, `[4]`, `{}`},
		"int":     {`-9223372036854775809`, `9223372036854775808`, `-0`, `1.0`, `1e3`, `"4"`, `false`, `[]`},
		"real":    {`"1"`, `1e999`, `true`, `[1]`, `{}`, `NaN`, `01`},
		"string":  {`5`, `true`, `["a"]`, `{}`},
		"strings": {`"a"`, `[1]`, `["a",null]`, `[["a"]]`, `{}`},
		"uints":   {`5`, `"5"`, `[1.0]`, `[-1]`, `["1"]`, `[null]`, `[1,[2]]`, `{}`},
		"entries": {`{}`, `"x"`, `[5]`, `[null]`, `[[]]`},
		"any":     {`nul`, `1e999`, `[`},
	}
)

// object prints fields, one of them with another value, or without it.
func object(fields []fieldRule, name, value string) string {
	var parts []string
	for _, f := range fields {
		switch {
		case f.name != name:
			parts = append(parts, fmt.Sprintf("%q:%s", f.name, f.value))
		case value != "":
			parts = append(parts, fmt.Sprintf("%q:%s", f.name, value))
		}
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// Every field of the schema: what it may be, must be, and must not be.
func TestFields(t *testing.T) {
	program := weka.Options{Semantics: semantics.AISimulate013, Basis: weka.BasisAbsolute}
	for _, level := range []struct {
		name, path string
		fields     []fieldRule
		place      func(object string) string // a document around it
	}{
		{"document", "", documentFields, func(o string) string { return o }},
		{"call", "requests[1]", callFields, func(o string) string { return session(aCall, o) }},
		{"subagent", "requests[1]", subagentFields, func(o string) string { return session(aCall, o) }},
		{"nested call", "requests[1].requests[1]", callFields, func(o string) string {
			return session(aCall, strings.Replace(aSubagent, aLateCall, aLateCall+","+o, 1))
		}},
	} {
		_, err := read(t, "a.json", level.place(object(level.fields, "", "")), program)
		require.NoError(t, err, level.name)
		for _, f := range level.fields {
			t.Run(level.name+"/"+f.name, func(t *testing.T) {
				path := strings.TrimPrefix(level.path+"."+f.name, ".")
				_, err := read(t, "a.json", level.place(object(level.fields, f.name, "")), program)
				var problem *formats.Error
				if f.required {
					require.ErrorAs(t, err, &problem)
					require.Contains(t, problem.Found, fmt.Sprintf("the field %q is missing", f.name))
					require.Equal(t, level.path, problem.Path)
				} else {
					require.NoError(t, err)
				}

				_, err = read(t, "a.json", level.place(object(level.fields, f.name, "null")), program)
				if f.nullable {
					require.NoError(t, err)
				} else {
					require.ErrorAs(t, err, &problem)
					require.Contains(t, problem.Found, "found null")
					require.Equal(t, path, problem.Path)
				}

				for _, wrong := range wrongValues[f.kind] {
					_, err = read(t, "a.json", level.place(object(level.fields, f.name, wrong)), program)
					require.ErrorAs(t, err, &problem, wrong)
					require.True(t, strings.HasPrefix(problem.Path, path), "%s: %v", wrong, err)
				}
			})
		}
	}
}

// What looks odd but breaks no rule, and changes nothing of the graph.
func TestAccepted(t *testing.T) {
	subagent := strings.Replace(aSubagent, "completed", "async_launched", 1)
	plain, err := read(t, "a.json", session(aCall, subagent), weka.Options{})
	require.NoError(t, err)
	same := map[string]string{
		"type in the middle":              session(strings.Replace(`{`+aCall[len(`{"type":"n",`):], `"in"`, `"type":"n","in"`, 1), subagent),
		"type last":                       session(`{`+strings.TrimSuffix(aCall[len(`{"type":"n",`):], "}")+`,"type":"n"}`, subagent),
		"type of a marker last":           session(aCall, `{`+strings.TrimSuffix(subagent[len(`{"type":"subagent",`):], "}")+`,"type":"subagent"}`),
		"streamed call":                   session(strings.Replace(aCall, `"n"`, `"s"`, 1), subagent),
		"escaped names":                   session(strings.NewReplacer(`"type"`, `"t\u0079pe"`, `"n"`, `"\u006e"`, `"hash_ids"`, `"hash\u005fids"`).Replace(aCall), subagent),
		"unknown fields":                  session(with(aCall, `"x":{"y":[1,null]},"x":2,"":3,"T":5,"Type":"z"`), with(subagent, `"x":0`)),
		"unknown numbers of a document":   with(session(aCall, subagent), `"x":1e999,"y":[-1e999]`),
		"unknown field twice":             with(session(aCall, subagent), `"x":1,"x":"b"`),
		"marker's fields in a call":       session(with(aCall, `"agent_id":5,"requests":"x","status":null,"models":{},"duration_ms":1.5,"agent_id":6,"subagent_type":[]`), subagent),
		"marker's fields before the type": session(with(`{`+strings.TrimSuffix(aCall[len(`{"type":"n",`):], "}")+`,"type":"n"}`, `"agent_id":5,"requests":"x","status":null`), subagent),
		"call's fields in a marker":       session(aCall, with(subagent, `"model":null,"in":-1,"hash_ids":7,"api_time":"x","in":2`)),
		"call's fields before the type":   session(aCall, with(`{`+strings.TrimSuffix(subagent[len(`{"type":"subagent",`):], "}")+`,"type":"subagent"}`, `"model":null,"in":-1,"hash_ids":7`)),
		"marker's fields in a nested one": session(aCall, strings.Replace(subagent, `"in"`, `"agent_id":5,"requests":[7],"in"`, 1)),
		"loose list":                      session(strings.Replace(aCall, `[1]`, "[ 1\n]", 1), subagent),
		"surplus hash ids":                session(strings.Replace(aCall, `[1]`, "[1,2,3]", 1), subagent),
		"deep in an entry":                session(with(aCall, `"x":`+strings.Repeat("[", 124)+strings.Repeat("]", 124)), subagent),
		"deep in totals":                  with(session(aCall, subagent), `"totals":`+strings.Repeat("[", 126)+strings.Repeat("]", 126)),
		"negative zero":                   session(strings.Replace(aCall, `"t":1,`, `"t":1,"think_time":-0.0,`, 1), subagent),
		"too small a number":              session(with(aCall, `"ttft":1e-999`), subagent),
		"tolerance before the marker":     session(aCall, strings.Replace(subagent, `{"type":"s","t":2`, `{"type":"s","t":1.9999991`, 1)),
		"empty declared models":           with(session(aCall, subagent), `"models":[]`),
		"a background marker with nothing": session(aCall, subagent,
			strings.Replace(subagent, aLateCall, "", 1)),
		"white space all over": " \r\n\t" + strings.NewReplacer(`,"`, "\n,\t\"", `":`, "\" :\r\n").Replace(session(aCall, subagent)) + "\n \n",
	}
	for name, text := range same {
		t.Run(name, func(t *testing.T) {
			got, err := read(t, "a.json", text, weka.Options{})
			require.NoError(t, err)
			require.Equal(t, plain.GraphDigest, got.GraphDigest)
		})
	}

	// Names are kept as written, and U+200B is no white space.
	got, err := read(t, "a.json", strings.NewReplacer(`"p"`, `"\u200b"`, `"m"`, `" m "`).Replace(session(aCall, subagent)), weka.Options{})
	require.NoError(t, err)
	require.Equal(t, []string{" m "}, got.Models)

	// Zero and minus zero are times like any other.
	for _, zero := range []string{"0", "-0", "-0.0", "-1e-400"} {
		got, err := read(t, "a.json", session(strings.NewReplacer(`"t":1`, `"t":`+zero, `"api_time":1`, `"api_time":`+zero).Replace(aCall)), weka.Options{})
		require.NoError(t, err, zero)
		require.Equal(t, 1, got.Requests)
	}
}

// A cycle: the subagent's owner starts after the request that joins it.
func TestCycleRefused(t *testing.T) {
	call := func(at string) string { return strings.Replace(aCall, `"t":1`, `"t":`+at, 1) }
	subagent := `{"type":"subagent","t":1,"duration_ms":0,"agent_id":"a","subagent_type":"x","status":"completed","requests":[` + call("10") + `]}`
	text := session(call("30"), subagent, call("5"))
	_, err := read(t, "a.json", text, weka.Options{})
	var problem *formats.Error
	require.ErrorAs(t, err, &problem)
	require.Contains(t, problem.Found, "cycle")
	require.NotEmpty(t, problem.Path)
}

// Another block size than the corpus began with is refused where it is given.
func TestSecondBlockSizeRefused(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "a.json", session(aCall))
	write(t, dir, "b.jsonl", session(aCall)+"\n"+strings.Replace(session(aCall), `"block_size":4`, `"block_size":8`, 1))
	_, err := weka.Open(t.Context(), dir, weka.Options{})
	var problem *formats.Error
	require.ErrorAs(t, err, &problem)
	require.Equal(t, "block_size", problem.Path)
	require.Equal(t, "found 8 where the corpus began with 4", problem.Found)
	require.Equal(t, [2]int{2, len(`{"id":"p","block_size":`) + 1}, [2]int{problem.Line, problem.Column})
}
