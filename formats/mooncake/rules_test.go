package mooncake_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/formats"
	"tracekit/formats/mooncake"
)

const good = `{"timestamp":5,"session_id":"s","input_length":64,"output_length":2,"hash_ids":[1]}` + "\n"

// What is refused, where it is said to be and how. A caret stands before the
// place; the first line is good unless the case replaces it.
func TestRefused(t *testing.T) {
	for _, c := range []struct {
		line    string
		path    string
		problem string
	}{
		// Shape.
		{`^`, "", "there is nothing"},
		{`^[{"output_length":2,"hash_ids":[1]}]`, "", "found an array"},
		{`{"output_length":2,"hash_ids":[1]} ^{}`, "", "something follows the object"},
		{`{"output_length":2,"hash_ids":[1]` + `^`, "hash_ids", "the text ends here"},
		{`{"output_length":^2.0,"hash_ids":[1]}`, "output_length", "2.0"},
		{`{"output_length":^-0,"hash_ids":[1]}`, "output_length", "-0"},
		{`{"output_length":^18446744073709551616,"hash_ids":[1]}`, "output_length", "18446744073709551616"},
		{`{"output_length":2,"hash_ids":[^"1"]}`, "hash_ids[0]", "string"},
		{`{"output_length":2,"hash_ids":[1],"timestamp":^1e999}`, "timestamp", "1e999"},
		{`{"output_length":2,"hash_ids":[1],"timestamp":^NaN}`, "timestamp", "'N'"},
		{`{"output_length":2,"hash_ids":[1],"priority":^2147483648}`, "priority", "2147483648"},
		{`{"output_length":2,"hash_ids":[1],"strict_priority":^4294967296}`, "strict_priority", "4294967296"},
		{`{"output_length":2,"hash_ids":[1],"about":"^` + "\xff" + `"}`, "about", "UTF-8"},
		{"^\xef\xbb\xbf" + `{"output_length":2,"hash_ids":[1]}`, "", "byte-order mark"},
		{`{"output_length":2,"hash_ids":[1],^"output_length":2}`, "output_length", "given twice"},
		{`{"output_length":2,"hash_ids":[1],"output_tokens":^2}`, "output_tokens", `given as "output_length" too`},
		{`{"created_time":2,"output_length":2,"hash_ids":[1],^"timestamp":2}`, "timestamp", "given twice"},
		// Rules of a row.
		{`^{"output_length":2}`, "hash_ids", "missing or null"},
		{`{"output_length":2,"hash_ids":^null}`, "hash_ids", "missing or null"},
		{`{"hash_ids":[1],"output_length":^null}`, "output_length", "missing or null"},
		{`^{"hash_ids":[1]}`, "output_length", "missing or null"},
		{`{"output_length":2,"hash_ids":[1],"input_length":^65}`, "input_length", "found 65 tokens"},
		{`{"output_length":2,"hash_ids":[1],"output_token_ids":^[]}`, "output_token_ids", "found 0 token ids"},
		{`{"output_length":1,"hash_ids":[1],"output_token_ids":^[4294967296]}`, "output_token_ids", "number 0 of the list"},
		// Rules of a session.
		{`{"output_length":1,"hash_ids":[1],"delay":^1}`, "delay", "found 1"},
		{`{"output_length":1,"hash_ids":[1],"session_id":"s","delay_ms":^-1}`, "delay", "found -1"},
		{`{"output_length":1,"hash_ids":[1],"session_id":"s","timestamp":^4.5}`, "timestamp", "found 4.5 after 5"},
	} {
		first := good
		if c.line == "^" {
			first = ""
		}
		column := strings.Index(c.line, "^") + 1
		_, err := mooncake.Read(t.Context(), sourceOf(t, first+strings.Replace(c.line, "^", "", 1)), blocks64)
		var refused *formats.Error
		require.ErrorAs(t, err, &refused, c.line)
		if first == "" {
			require.Equal(t, "the file has no rows", refused.Found)
			continue
		}
		require.Equal(t, "trace.jsonl", refused.File)
		require.Equal(t, []int{2, column}, []int{refused.Line, refused.Column}, "%s: %v", c.line, err)
		require.Equal(t, c.path, refused.Path, c.line)
		require.Contains(t, refused.Found, c.problem, c.line)
		require.NotEmpty(t, refused.Rule, c.line)
	}
}

// A turn cannot be timed by one without a timestamp.
func TestNoTimestampBefore(t *testing.T) {
	_, err := mooncake.Read(t.Context(), sourceOf(t, `{"output_length":1,"hash_ids":[1],"session_id":"s"}`+"\n"+
		`{"output_length":1,"hash_ids":[1],"session_id":"s","timestamp":4}`), blocks64)
	require.ErrorContains(t, err, `trace.jsonl:2:64: session "s": timestamp: found 4, but no earlier turn of the session has a timestamp`)
}

// A line of another format is told as such.
func TestOtherFormat(t *testing.T) {
	_, err := mooncake.Read(t.Context(), sourceOf(t, `{"num_turns":1,"input_prompt_length":5}`), blocks64)
	require.ErrorContains(t, err, "applied_compute_agentic")
}

// Sessions are made of rows that name them, in any order, and of what others
// would be named.
func TestSessions(t *testing.T) {
	file := read(t, `{"hash_ids":[1],"output_length":1,"session_id":"request_4","output_token_ids":[7]}
{"hash_ids":[2],"output_length":2,"session_id":""}

{"hash_ids":[3],"output_length":3,"timestamp":null,"delay":3,"output_token_ids":[1,2,3]}
{"hash_ids":[4],"output_length":4,"session_id":"","delay":0.5}
{"hash_ids":[5],"output_length":0,"session_id":"request_4","output_token_ids":[],"request_id":" r "}
{"hash_ids":[6],"output_length":0,"session_id":"a\u0062","output_token_ids":[]}
{"hash_ids":[6],"output_length":0,"session_id":null,"output_token_ids":[]}
`, blocks64)
	require.Equal(t, 7, file.Requests())
	type turn struct {
		line  int
		delay float64
		key   string
	}
	var names []string
	var turns [][]turn
	for _, s := range file.Sessions() {
		names = append(names, s.Name)
		var own []turn
		for _, u := range s.Turns {
			own = append(own, turn{u.Line, u.DelayMs, u.ReplayKey})
		}
		turns = append(turns, own)
	}
	require.Equal(t, []string{"request_4", "", "ab", "request_8"}, names)
	require.Equal(t, [][]turn{
		{{1, 0, "request_4:0"}, {4, 3, "line:3"}, {6, 0, "r"}},
		{{2, 0, ""}, {5, 0.5, ""}},
		{{7, 0, "ab:0"}},
		{{8, 0, "line:7"}},
	}, turns)
}

// The last timestamp counts, also beside a delay.
func TestDelays(t *testing.T) {
	rows := ""
	for _, times := range []string{`"timestamp":100`, `"timestamp":160`, `"output_length":1`, `"timestamp":200,"delay":3.5`, `"timestamp":230`} {
		if !strings.Contains(times, "output_length") {
			times += `,"output_length":1`
		}
		rows += `{"session_id":"a","hash_ids":[1],` + times + "}\n"
	}
	var delays []float64
	for _, turn := range read(t, rows, blocks64).Sessions()[0].Turns {
		delays = append(delays, turn.DelayMs)
	}
	require.Equal(t, []float64{0, 60, 0, 3.5, 30}, delays)
}
