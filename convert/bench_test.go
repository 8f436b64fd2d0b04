package convert_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/convert"
	"tracekit/corpus"
	"tracekit/formats/weka"
)

// BenchmarkWeka converts 200 plain plays, verification included.
func BenchmarkWeka(b *testing.B) {
	dir := b.TempDir()
	stats, err := corpus.GenerateWeka(b.Context(), dir, corpus.WekaOptions{Plays: 200, Seed: 1, Profile: corpus.ProfilePlain})
	require.NoError(b, err)
	out := filepath.Join(b.TempDir(), "out.jsonl")
	b.SetBytes(stats.Bytes)
	b.ReportAllocs()
	for b.Loop() {
		result, err := convert.Weka(b.Context(), convert.WekaOptions{Input: dir, Output: out, Overwrite: true, Weka: weka.Options{Jobs: 2}})
		require.NoError(b, err)
		require.True(b, result.Verified)
	}
}
