package mooncake_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/formats"
	"tracekit/formats/mooncake"
)

func starting(starts ...string) (text string) {
	for _, start := range starts {
		text += fmt.Sprintf(`{"output_length":1,"hash_ids":[1]%s}`+"\n", start)
	}
	return text
}

func startsOf(sessions []mooncake.Session) (starts []float64) {
	for _, s := range sessions {
		starts = append(starts, s.StartMs)
	}
	return starts
}

// Starts count from the least, then are divided; missing ones count as 0.
func TestNormalised(t *testing.T) {
	for _, c := range []struct {
		starts  []string
		speedup float64
		want    []float64
	}{
		{[]string{`,"timestamp":-50.5`, `,"timestamp":-20`, `,"timestamp":10`}, 1, []float64{0, 30.5, 60.5}},
		{[]string{`,"timestamp":100`, `,"timestamp":90`}, 4, []float64{2.5, 0}},
		{[]string{`,"timestamp":100`, ``}, 1, []float64{100, 0}},
		{[]string{`,"timestamp":-100`, ``}, 1, []float64{0, 0}},
		{[]string{`,"timestamp":0.0`, `,"timestamp":-0.0`}, 1, []float64{0, 0}},
	} {
		file := read(t, starting(c.starts...), blocks64)
		recorded := startsOf(file.Sessions())
		require.Equal(t, c.want, startsOf(file.Normalised(c.speedup)))
		require.Equal(t, recorded, startsOf(file.Sessions()), "what was read stays")
	}
}

func TestSpeedupOfDelays(t *testing.T) {
	file := read(t, good+`{"timestamp":25,"session_id":"s","output_length":2,"hash_ids":[1]}`, blocks64)
	require.Equal(t, 10.0, file.Normalised(2)[0].Turns[1].DelayMs)
	require.Equal(t, 20.0, file.Sessions()[0].Turns[1].DelayMs)
}

// What is refused when a replay starts, by load.
func TestCheckStart(t *testing.T) {
	const both, timed, concurrent = "both", "timed", "concurrent"
	for _, c := range []struct {
		text    string
		refused string // by which load
		place   string
		problem string
	}{
		{starting(`,"timestamp":1`), "", "", ""},
		{starting(``), timed, "1:1", "no timestamp"},
		{starting(`,"timestamp":-1`), concurrent, "1:47", "the session starts at -1 ms"},
		{"\n" + starting(`,"timestamp":1,"input_length":0`), both, "2:64", "the input length is 0"},
		{`{"timestamp":1,"output_length":1,"hash_ids":[]}`, both, "1:45", "the list is empty"},
		{starting(`,"session_id":"s","timestamp":-1e308`, `,"session_id":"s","timestamp":1e308`), both, "2:64", ""},
	} {
		file := read(t, c.text, blocks64)
		for _, load := range []struct {
			name string
			err  error
		}{
			{timed, file.CheckStart(file.Normalised(1), mooncake.TraceTimestamps)},
			{concurrent, file.CheckStart(file.Sessions(), mooncake.Concurrency)},
		} {
			if c.refused != both && c.refused != load.name {
				require.NoError(t, load.err, c.text)
				continue
			}
			var refused *formats.Error
			require.ErrorAs(t, load.err, &refused, c.text)
			if c.problem != "" {
				require.Equal(t, c.place, fmt.Sprintf("%d:%d", refused.Line, refused.Column), c.text)
				require.Contains(t, refused.Found, c.problem)
			}
		}
	}
	// The engine stack normalises for a load by concurrency too.
	file := read(t, starting(`,"timestamp":-1`), blocks64)
	require.NoError(t, file.CheckStart(file.Normalised(1), mooncake.Concurrency))
}
