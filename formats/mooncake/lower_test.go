package mooncake_test

import (
	"context"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/formats"
	"tracekit/formats/agentic"
	"tracekit/formats/mooncake"
)

// worked is the example of lowering.md.
const worked = `{"timestamp":100,"session_id":"a","input_length":130,"output_length":5,"hash_ids":[1,2,3]}
{"timestamp":40,"input_length":64,"output_length":2,"hash_ids":[9,10]}
{"timestamp":160,"session_id":"a","input_length":200,"output_length":6,"hash_ids":[1,2,3,4]}
`

func TestWorkedExample(t *testing.T) {
	for _, mode := range modes {
		trace := open(t, worked, mooncake.Options{Semantics: mode, BlockSize: 64})
		s := summary(t, trace)
		require.Equal(t, "3fd6f7d53b6753e581c3f53fb3caeafad8db62b78937c062cc29fcf2bdf41b06", s.GraphDigest)
		require.Len(t, canonical(t, trace), 1043)
		require.Equal(t, "mooncake", s.Source.Format)
		require.Equal(t, []string{"unknown"}, s.Models)
		require.Equal(t, []int{2, 3, 2, 2, 1, 0}, []int{s.Plays, s.Requests, s.Sessions, s.Roots, s.Edges.Total(), s.ZeroOutputs})
		requireSameAsV2(t, trace, mode == modes[1])
	}
}

// requireSameAsV2 writes the graph of a trace as agentic_mooncake, reads that
// and compares.
func requireSameAsV2(t testing.TB, trace *mooncake.Trace, twoStep bool) {
	want := summary(t, trace)
	text := agentic.AppendHeader(nil, agentic.Header{BlockSize: want.BlockSize, Source: want.Source})
	plays := 0
	for play, err := range trace.Plays(t.Context()) {
		require.NoError(t, err)
		require.EqualValues(t, plays, play.Ordinal)
		plays++
		for i := range play.Nodes {
			text = agentic.AppendRow(text, &play.Nodes[i])
		}
	}
	opts := agentic.Options{Jobs: 1}
	if twoStep {
		opts.Semantics = modes[1]
	}
	back, err := agentic.Open(t.Context(), sourceOf(t, string(text)), opts)
	require.NoError(t, err)
	defer back.Close()
	require.Equal(t, want, summary(t, back))
}

// What a graph asks for is checked when a trace is opened: starts may be
// missing or negative.
func TestOpenChecks(t *testing.T) {
	open(t, starting(``, `,"timestamp":-5`), blocks64)
	_, err := mooncake.Open(t.Context(), sourceOf(t, starting(`,"input_length":0`)), blocks64)
	var refused *formats.Error
	require.ErrorAs(t, err, &refused)
	require.Equal(t, "input_length", refused.Path)
	_, err = mooncake.Open(t.Context(), sourceOf(t, starting(`,"timestamp":-1e308`, `,"timestamp":1e308`)), blocks64)
	require.ErrorContains(t, err, "trace.jsonl:2:47")
}

// Under the program's rules a time is printed and read once more.
func TestRoundTrip(t *testing.T) {
	// Differences of fractional timestamps, about one in ten of which moves.
	text, moved := "", 0
	for i := range 200 {
		text += `{"output_length":1,"hash_ids":[1],"session_id":"s","timestamp":` + string(appendMillis(nil, i)) + "}\n"
	}
	delays := func(trace *mooncake.Trace) (all []float64) {
		for n, err := range trace.Nodes(t.Context()) {
			require.NoError(t, err)
			for _, d := range n.Dependencies {
				all = append(all, d.DelayMs)
			}
		}
		return all
	}
	documented := open(t, text, mooncake.Options{BlockSize: 64})
	program := open(t, text, mooncake.Options{BlockSize: 64, Semantics: modes[1]})
	recorded := read(t, text, mooncake.Options{BlockSize: 64, Semantics: modes[1]}).Sessions()[0].Turns[1:]
	for i, delay := range delays(program) {
		if delay != recorded[i].DelayMs {
			moved++
		}
	}
	require.Positive(t, moved)
	requireSameAsV2(t, documented, false)
	requireSameAsV2(t, program, true)
}

// Reading ends with the context.
func TestContextEnds(t *testing.T) {
	trace := open(t, worked, blocks64)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := mooncake.Open(ctx, sourceOf(t, worked), blocks64)
	require.ErrorIs(t, err, context.Canceled)
	_, err = trace.Summary(ctx)
	require.ErrorIs(t, err, context.Canceled)
	var last error
	for _, err := range trace.Plays(ctx) {
		last = err
	}
	require.ErrorIs(t, last, context.Canceled)
	for range trace.Nodes(t.Context()) {
		break
	}
	for range trace.Plays(t.Context()) {
		break
	}
}

// appendMillis appends a fractional time that grows with i.
func appendMillis(dst []byte, i int) []byte {
	const step = 1234567.891
	return strconv.AppendFloat(dst, step*float64(i)+float64(i%7)/7, 'f', -1, 64)
}
