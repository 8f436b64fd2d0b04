package agentic_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/formats"
	"tracekit/formats/agentic"
)

const (
	headerLine = `{"schema":"dynamo.agentic_mooncake","version":2,"block_size":64,"hash_id_scope":"local","source":{"format":"hand","digest":"d1"}}` + "\n"
	goodRow    = `{"request_id":"r1","play_id":"p","session_id":"s","model":"m","input_length":65,"output_length":1,"hash_ids":[1,2],"not_before_ms":0}` + "\n"
)

// edit replaces a part of a text that must be there.
func edit(t testing.TB, text, old, with string) string {
	require.Contains(t, text, old)
	return strings.Replace(text, old, with, 1)
}

// message opens a text that must be refused and returns the error.
func message(t testing.TB, text string) string {
	trace, err := agentic.Open(t.Context(), sourceOf(t, text), agentic.Options{Jobs: 2})
	if err == nil {
		trace.Close()
	}
	var place *formats.Error
	require.ErrorAs(t, err, &place, "%s", text)
	return err.Error()
}

// Every rule of a header, by what breaks it in a good one.
func TestHeaderRules(t *testing.T) {
	for _, c := range []struct{ old, with, want string }{
		{`"version":2`, `"version":1`, `trace.jsonl:1:47: header: version: found version 1; version 2 is expected`},
		{`"version":2`, `"version":2.0`, `trace.jsonl:1:47: header: version: found the number 2.0; an unsigned integer in digits is expected, without point or exponent`},
		{`"version":2,`, ``, `trace.jsonl:1:118: header: the field "version" is missing; it is required`},
		{`"block_size":64`, `"block_size":0`, `trace.jsonl:1:62: header: block_size: the block size is 0; a block holds at least one token`},
		{`"block_size":64`, `"block_size":-0`, `trace.jsonl:1:62: header: block_size: found the number -0; an unsigned integer from 0 to 18446744073709551615 is expected`},
		{`"local"`, `"global"`, `trace.jsonl:1:81: header: hash_id_scope: found "global"; "local" is expected: hash ids are known in their file only`},
		{`"hand"`, `" "`, `trace.jsonl:1:108: header: source.format: the text is blank; the source of a trace has a format and a digest, as free text`},
		{`,"digest":"d1"`, ``, `trace.jsonl:1:115: header: source: the field "digest" is missing; it is required`},
		{`"source":{"format":"hand","digest":"d1"}`, `"source":null`, `trace.jsonl:1:98: header: source: found null; an object is expected`},
		{`"version":2`, `"version":2,"version":2`, `trace.jsonl:1:49: header: version: the field "version" is given twice; each field may be given once`},
		{"}}\n", "}}{}\n", `trace.jsonl:1:130: header: something follows the object; a line holds one JSON object`},
		{"}}\n", "}\n", `trace.jsonl:1:129: header: source: the text ends here; ',' or '}' is expected (to mend it: if the file was cut short, fetch or write it again)`},
		{headerLine, "", `trace.jsonl:1:1: header: this is a row: the header is missing; an agentic_mooncake file begins with a header whose schema is "dynamo.agentic_mooncake" (to mend it: put the header line back on top of the file)`},
		{headerLine + goodRow, "", `trace.jsonl: the file holds no lines but blank ones; an agentic_mooncake file begins with a header and has at least one row`},
		{headerLine, "\n" + headerLine + "\n" + headerLine, `trace.jsonl:4:1: this is a second header; a file has one header, before its rows (to mend it: traces cannot be joined by appending files; keep the rows of one)`},
		{goodRow, "\u00a0\n", `trace.jsonl: the file has a header but no rows; a trace has at least one request`},
	} {
		require.Equal(t, c.want, message(t, edit(t, headerLine+goodRow, c.old, c.with)), c.with)
	}
}

// A first line of another kind is told what it looks like.
func TestLookalikes(t *testing.T) {
	for first, want := range map[string]string{
		`{"schema":"dynamo.request.trace.v1","event_type":"request_end"}`: "this looks like a dynamo request trace",
		`{"event":{}}`:       "this looks like a dynamo request trace",
		`{"schema":"other"}`: `the schema is "other"`,
		`{"request_id":"a","output_length":2,"hash_ids":[1],"input_length":64}`: "this looks like a headerless legacy agentic row",
		`{"id":"x","models":[],"block_size":64,"requests":[]}`:                  "this looks like a Weka trace",
		`{"num_turns":2}`: "this looks like an applied_compute_agentic trace",
		`{"timestamp":1,"input_length":64,"output_length":2,"hash_ids":[1]}`: "this looks like a mooncake trace",
		`{"a":1}`:                       "this object has no schema",
		`["dynamo.agentic_mooncake",2]`: "found an array; an object is expected",
		"\ufeff" + headerLine:           "found a byte-order mark",
		"{\n":                           "write each JSON object on one line",
		"\x80":                          "found the byte 0x80",
	} {
		require.Contains(t, message(t, first), want, first)
	}
}

// Every rule of a row, by what breaks it in a good one.
func TestRowRules(t *testing.T) {
	const edge = `"not_before_ms":0,"dependencies":[{"request_id":"r0","trigger":"completion","delay_ms":1,"relation":"join"}]`
	for _, c := range []struct{ old, with, want string }{
		// Shape.
		{goodRow, "[]\n", `2:1: found an array; an object is expected`},
		{goodRow, "\x80\n", `2:1: found the byte 0x80; an object is expected`},
		{`"m"`, "\"\x80\"", `2:60: request "r1": model: the string is not valid UTF-8; text must be UTF-8`},
		{`"m"`, `"m","x":["` + "\x80" + `"]`, `2:69: request "r1": x[0]: the string is not valid UTF-8; text must be UTF-8`},
		{`"m"`, `"\ud800"`, `2:60: request "r1": model: found half of a surrogate pair; characters above U+FFFF are written as two \u escapes, high half first`},
		{`"request_id":"r1",`, ``, `2:116: the field "request_id" is missing; it is required`},
		{`"play_id":"p",`, ``, `2:120: request "r1": the field "play_id" is missing; it is required`},
		{`"session_id":"s",`, ``, `2:117: request "r1": the field "session_id" is missing; it is required`},
		{`"model":"m",`, ``, `2:122: request "r1": the field "model" is missing; it is required`},
		{`,"not_before_ms":0`, ``, `2:116: request "r1": the field "not_before_ms" is missing; it is required`},
		{`"s"`, `null`, `2:47: request "r1": session_id: found null; a string is expected`},
		{`"s"`, `"s","session_id":"s"`, `2:51: request "r1": session_id: the field "session_id" is given twice; each field may be given once`},
		{`65`, `65,"input_tokens":65`, `2:96: request "r1": input_tokens: the field is given as "input_length" too; these are two names of one field`},
		{`65`, `65.0`, `2:78: request "r1": input_length: found the number 65.0; an unsigned integer in digits is expected, without point or exponent`},
		{`65`, `18446744073709551616`, `2:78: request "r1": input_length: found the number 18446744073709551616; an unsigned integer from 0 to 18446744073709551615 is expected`},
		{`[1,2]`, `[1,-2]`, `2:113: request "r1": hash_ids[1]: found the number -2; an unsigned integer from 0 to 18446744073709551615 is expected`},
		{`[1,2]`, `[1, 2`, `2:116: request "r1": hash_ids[2]: found the string "not_before_ms"; an unsigned integer is expected`},
		{`_ms":0`, `_ms":1e999`, `2:132: request "r1": not_before_ms: found the number 1e999; its magnitude must not exceed the range of a double, about 1.8e308`},
		{`_ms":0`, `_ms":NaN`, `2:132: request "r1": not_before_ms: found 'N'; a number is expected`},
		{`_ms":0`, `_ms":0,"output_token_ids":[4294967296]`, `2:153: request "r1": output_token_ids: number 0 of the list is 4294967296; token ids are unsigned integers from 0 to 4294967295`},
		{`_ms":0`, `_ms":0,"priority":2147483648`, `2:145: request "r1": priority: found the number 2147483648; an integer from -2147483648 to 2147483647 is expected`},
		{`_ms":0`, `_ms":0,"strict_priority":-1`, `2:152: request "r1": strict_priority: found the number -1; an unsigned integer from 0 to 4294967295 is expected`},
		{`_ms":0`, `_ms":0,"dependencies":null`, `2:149: request "r1": dependencies: found null; an array is expected`},
		{"0}\n", "0}{}\n", `2:134: request "r1": something follows the object; a line holds one JSON object`},
		// Names.
		{`"r1"`, `" "`, `2:15: request " ": request_id: the request id is blank; every request has an id`},
		{`"p"`, `"\u2003"`, `2:30: request "r1": play_id: the play id is blank; every request belongs to a play`},
		{`"s"`, `""`, `2:47: request "r1": session_id: the session id is blank; every request belongs to a session`},
		{goodRow, goodRow + goodRow, `3:15: request "r1": request_id: the request on line 2 has the same id; request ids are unique in a file`},
		// Values.
		{`"hash_ids":[1,2],`, ``, `2:1: request "r1": hash_ids: the field is missing or null; it is required`},
		{`[1,2]`, `null`, `2:110: request "r1": hash_ids: the field is missing or null; it is required`},
		{`[1,2]`, `[ ]`, `2:110: request "r1": hash_ids: the list is empty; there is one hash id for each block of the prompt`},
		{`"input_length":65,`, ``, `2:1: request "r1": input_length: the field is missing or null; it is required`},
		{`65`, `0`, `2:78: request "r1": input_length: the input length is 0; a prompt has at least one token`},
		{`65`, `64`, `2:110: request "r1": hash_ids: found 2 hash ids; 64 tokens in blocks of 64 take 1`},
		{`65`, `18446744073709551615`, `2:128: request "r1": hash_ids: found 2 hash ids; 18446744073709551615 tokens in blocks of 64 take 288230376151711744`},
		{`"m"`, `"\n"`, `2:59: request "r1": model: the model is blank; every request names a model`},
		{`"output_length":1,`, ``, `2:1: request "r1": output_length: the field is missing or null; it is required`},
		{`_ms":0`, `_ms":0,"output_token_ids":[]`, `2:153: request "r1": output_token_ids: found 0 token ids; an output of length 1 has as many`},
		{`_ms":0`, `_ms":-5e-324`, `2:132: request "r1": not_before_ms: found -5e-324; a time is 0 or more milliseconds`},
		{`_ms":0`, `_ms":0,"recorded_api_time_ms":-1`, `2:157: request "r1": recorded_api_time_ms: found -1; a duration is 0 or more milliseconds`},
	} {
		c.want = "trace.jsonl:" + c.want
		require.Equal(t, c.want, message(t, edit(t, headerLine+goodRow, c.old, c.with)), "%s → %s", c.old, c.with)
	}
	withEdge := edit(t, headerLine+goodRow, `"not_before_ms":0`, edge)
	for _, c := range []struct{ old, with, want string }{
		{`"trigger":"completion",`, ``, `2:200: request "r1": dependencies[0]: the field "trigger" is missing; it is required`},
		{`"completion"`, `"end"`, `2:179: request "r1": dependencies[0].trigger: found "end"; "dispatch" or "completion" is expected`},
		{`"join"`, `"fork"`, `2:216: request "r1": dependencies[0].relation: found "fork"; "sequence", "spawn", "join" or "replay_barrier" is expected`},
		{`"delay_ms":1`, `"delay_ms":1,"delay_ms":1`, `2:205: request "r1": dependencies[0].delay_ms: the field "delay_ms" is given twice; each field may be given once`},
		{`"request_id":"r0"`, `"request_id":" "`, `2:164: request "r1": dependencies[0].request_id: the request id is blank; an edge names another request of the same play`},
		{`"delay_ms":1`, `"delay_ms":-0.5`, `2:203: request "r1": dependencies[0].delay_ms: found -0.5; a delay is 0 or more milliseconds`},
		{`"completion"`, `"dispatch"`, `2:179: request "r1": dependencies[0].trigger: a join edge has the trigger "dispatch"; only spawn edges may wait for a dispatch, the others wait for completion`},
	} {
		c.want = "trace.jsonl:" + c.want
		require.Equal(t, c.want, message(t, edit(t, withEdge, c.old, c.with)), "%s → %s", c.old, c.with)
	}
}

// Of several broken rules of one row the one that comes first in formats.md
// 4.3 is told, whatever the order of the fields.
func TestOrderOfRowChecks(t *testing.T) {
	broken := []struct{ field, path string }{
		{`"request_id":""`, "request_id: the request id is blank"},
		{`"play_id":""`, "play_id"},
		{`"session_id":""`, "session_id"},
		{`"request_id":"r1"`, "request_id: the request on line 2"},
		{`"hash_ids":null`, "hash_ids: the field is missing"},
		{`"hash_ids":[]`, "hash_ids: the list is empty"},
		{`"input_length":null`, "input_length: the field is missing"},
		{`"input_length":0`, "input_length: the input length is 0"},
		{`"hash_ids":[1]`, "hash_ids: found 1"},
		{`"model":""`, "model"},
		{`"output_length":null`, "output_length"},
		{`"output_token_ids":[]`, "output_token_ids"},
		{`"not_before_ms":-1`, "not_before_ms"},
		{`"recorded_api_time_ms":-1`, "recorded_api_time_ms"},
		{`"dependencies":[{"request_id":"","trigger":"dispatch","delay_ms":-1,"relation":"join"}]`, "dependencies[0].request_id"},
		{`"dependencies":[{"request_id":"x","trigger":"dispatch","delay_ms":-1,"relation":"join"}]`, "dependencies[0].delay_ms"},
		{`"dependencies":[{"request_id":"x","trigger":"dispatch","delay_ms":1,"relation":"join"}]`, "dependencies[0].trigger"},
	}
	good := []string{`"request_id":"r2"`, `"play_id":"p"`, `"session_id":"s"`, `"hash_ids":[1,2]`, `"input_length":65`, `"model":"m"`, `"output_length":1`, `"not_before_ms":0`}
	name := func(field string) string { name, _, _ := strings.Cut(field, ":"); return name }
	for i, first := range broken {
		// All later rules broken as well, as far as they concern other fields.
		fields := map[string]string{}
		var order []string
		add := func(field string) {
			if _, given := fields[name(field)]; !given {
				fields[name(field)] = field
				order = append(order, field)
			}
		}
		add(first.field)
		for _, later := range broken[i+1:] {
			add(later.field)
		}
		for _, field := range good {
			add(field)
		}
		slices.Reverse(order)
		row := "{" + strings.Join(order, ",") + "}\n"
		require.Contains(t, message(t, headerLine+goodRow+row), ": "+first.path, row)
	}
}

// row makes a row of a play with edges from others.
func row(id, play, ordinal string, predecessors ...string) string {
	text := `{"request_id":"` + id + `","play_id":"` + play + `","session_id":"s","model":"m","input_length":1,"output_length":1,"hash_ids":[7],"not_before_ms":0`
	if ordinal != "" {
		text += `,"source_play_ordinal":` + ordinal
	}
	for i, p := range predecessors {
		text += map[bool]string{true: `,"dependencies":[`, false: `,`}[i == 0]
		text += `{"request_id":"` + p + `","trigger":"completion","delay_ms":0,"relation":"sequence"}`
	}
	if len(predecessors) > 0 {
		text += "]"
	}
	return text + "}\n"
}

// Every rule of the graph. The first offence is that of the least request id.
func TestGraphRules(t *testing.T) {
	for _, c := range []struct{ rows, want string }{
		{row("b", "p", "", "a") + row("a", "p", "", "nope"),
			`3:160: request "a": dependencies[0].request_id: no request has the id "nope"; an edge names another request of the same play`},
		{row("a", "p", "") + "\n" + row("b", "p", "", "a", "b"),
			`4:237: request "b": dependencies[1].request_id: the request names itself as its predecessor; an edge names another request of the same play`},
		{row("a", "p", "") + row("b", "q", "", "a"),
			`3:160: request "b": dependencies[0].request_id: the request "a" on line 2 belongs to play "p", this one to "q"; an edge names another request of the same play`},
		{row("x", "p", "", "c") + row("c", "p", "", "b") + row("b", "p", "", "a") + row("a", "p", "", "c"),
			`5:145: request "a": dependencies: the edges form a cycle: a waits for c waits for b waits for a; a graph has no cycles`},
		{row("a", "p", "0") + row("b", "p", ""),
			`3:1: request "b": source_play_ordinal: the ordinal differs from that of line 2, of the same play; all rows of a play have the same ordinal, or none`},
		{row("a", "p", "0") + row("b", "p", "1"),
			`3:152: request "b": source_play_ordinal: the ordinal differs from that of line 2, of the same play; all rows of a play have the same ordinal, or none`},
		{row("a", "p", "") + row("b", "q", "0"),
			`2:1: request "a": source_play_ordinal: the ordinal is missing, while line 3 has one; either all plays have ordinals or none`},
		{row("a", "p", "0") + row("b", "q", "2"),
			`3:152: request "b": source_play_ordinal: the ordinal is 2 in a file of 2 plays; the ordinals of the plays are 0, 1, 2 and so on, each once`},
		{row("a", "p", "1") + row("b", "q", "1"),
			`3:152: request "b": source_play_ordinal: the ordinal is that of line 2 too, of another play; the ordinals of the plays are 0, 1, 2 and so on, each once`},
	} {
		require.Equal(t, "trace.jsonl:"+c.want, message(t, headerLine+c.rows), c.rows)
	}
}

// A row that is bad in itself is told before anything about the graph, and a
// duplicate id before a later bad row.
func TestOrderOfStages(t *testing.T) {
	bad := edit(t, row("z", "p", ""), `[7]`, `[]`)
	require.Contains(t, message(t, headerLine+row("a", "p", "", "nope")+bad), `request "z": hash_ids`)
	require.Contains(t, message(t, headerLine+row("a", "p", "")+row("a", "p", "")+bad), "jsonl:3:15")
	require.Contains(t, message(t, headerLine+row("a", "p", "")+bad+row("a", "p", "")), "jsonl:3:108")
}

// What the rules allow.
func TestAccepted(t *testing.T) {
	good := headerLine + goodRow
	for _, text := range []string{
		strings.TrimSuffix(good, "\n"),
		strings.ReplaceAll(good, "\n", "\r\n"),
		"\n \t\u2028\n" + strings.ReplaceAll(good, "\n", "\n\n"),
		edit(t, good, `"m"`, `"m","x":{"a":1,"a":[1e999,null]},"X":-0`),
		edit(t, good, `"m"`, `"m","x":`+strings.Repeat("[", 200_000)+strings.Repeat("]", 200_000)),
		edit(t, good, `_ms":0`, `_ms":-0.0,"dependencies":[],"priority":null,"output_token_ids":null`),
		edit(t, good, `[1,2]`, "[ 1 ,\t2 ]"),
		edit(t, good, `"r1"`, `"\u0072\u0031"`),
		headerLine + row("b", "p", "", "a", "a") + row("c", "p", "") + row("a", "p", ""),
	} {
		trace, err := agentic.Open(t.Context(), sourceOf(t, text), agentic.Options{})
		require.NoError(t, err, "%.300s", text)
		summary(t, trace)
		require.NoError(t, trace.Close())
	}
}
