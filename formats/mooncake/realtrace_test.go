package mooncake_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/formats"
	"tracekit/formats/mooncake"
	"tracekit/inspect"
)

const realTrace = "../../testdata/traces/mooncake-fast25-conversation_trace.jsonl.zst"

func realText(t testing.TB) []byte {
	source, err := formats.Open(t.Context(), realTrace, nil, formats.DefaultMaxBytes)
	require.NoError(t, err)
	defer source.Close()
	text, err := io.ReadAll(io.NewSectionReader(source, 0, source.Size))
	require.NoError(t, err)
	return text
}

// The published trace has the figures that are known of it.
func TestRealTrace(t *testing.T) {
	trace := open(t, string(realText(t)), mooncake.Options{})
	collector := inspect.New(inspect.Options{BlockSize: trace.BlockSize()})
	for play, err := range trace.Plays(t.Context()) {
		require.NoError(t, err)
		collector.Add(play)
	}
	r := collector.Report()
	require.Equal(t, []int{12_031, 12_031, 12_031}, []int{r.Plays, r.Requests, r.Sessions})
	require.EqualValues(t, 512, r.BlockSize)
	require.InDelta(t, 3_537_000, r.SpanMs, 1000)
	require.Equal(t, []uint64{6_909, 27_367, 126_195}, []uint64{r.InputTokens.P50, r.InputTokens.P90, r.InputTokens.Max})
	require.Equal(t, []int{288_500, 182_790}, []int{r.Blocks.References, r.Blocks.Distinct})
	require.InDelta(t, 0.366, r.Blocks.IdealHitRate, 0.0005)
}

func BenchmarkRead(b *testing.B) {
	text := realText(b)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		source, err := formats.Open(b.Context(), "-", bytes.NewReader(text), formats.DefaultMaxBytes)
		require.NoError(b, err)
		file, err := mooncake.Read(b.Context(), source, mooncake.Options{})
		require.NoError(b, err)
		require.Equal(b, 12_031, file.Requests())
	}
}

func BenchmarkSummary(b *testing.B) {
	text := realText(b)
	trace := open(b, string(text), mooncake.Options{})
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		summary(b, trace)
	}
}
