package weka_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/corpus"
	"tracekit/formats/weka"
)

// plainCorpus generates a folder of 200 plain plays and returns its path and
// size.
func plainCorpus(b *testing.B) (dir string, size int64) {
	dir = b.TempDir()
	stats, err := corpus.GenerateWeka(b.Context(), dir, corpus.WekaOptions{Plays: 200, Seed: 1, Profile: corpus.ProfilePlain})
	require.NoError(b, err)
	return dir, stats.Bytes
}

// BenchmarkOpen parses and checks a corpus.
func BenchmarkOpen(b *testing.B) {
	dir, size := plainCorpus(b)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		_, err := weka.Open(b.Context(), dir, weka.Options{Jobs: 2})
		require.NoError(b, err)
	}
}

// BenchmarkLower parses and lowers it, without doing anything with its nodes.
func BenchmarkLower(b *testing.B) {
	dir, size := plainCorpus(b)
	trace, err := weka.Open(b.Context(), dir, weka.Options{Jobs: 2})
	require.NoError(b, err)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		plays := 0
		err := weka.Lower(b.Context(), trace, trace.CorpusOrder(), func() func(*weka.Lowered, func(int) error) error {
			return func(p *weka.Lowered, emit func(int) error) error { return emit(p.Sessions) }
		}, func(int) error { plays++; return nil })
		require.NoError(b, err)
		require.Equal(b, 200, plays)
	}
}

// BenchmarkSummary lowers it and computes its identity.
func BenchmarkSummary(b *testing.B) {
	dir, size := plainCorpus(b)
	trace, err := weka.Open(b.Context(), dir, weka.Options{Jobs: 2})
	require.NoError(b, err)
	b.SetBytes(size)
	b.ReportAllocs()
	for b.Loop() {
		_, err := trace.Summary(b.Context())
		require.NoError(b, err)
	}
}
