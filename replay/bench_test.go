package replay_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/corpus"
	"tracekit/internal/semantics"
	"tracekit/replay"
	"tracekit/replay/config"
)

// benchmarkPrediction runs one configuration again and again.
func benchmarkPrediction(b *testing.B, yaml string) {
	path := filepath.Join(b.TempDir(), "prediction.yaml")
	require.NoError(b, os.WriteFile(path, []byte(yaml), 0o600))
	p, err := config.Load(path, config.Options{Semantics: semantics.AISimulate013})
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		_, err := replay.Run(b.Context(), p, replay.Options{})
		require.NoError(b, err)
	}
}

// A published trace of 12,031 requests and 4.1 M output tokens on four
// workers.
func BenchmarkConversationTrace(b *testing.B) {
	trace, err := filepath.Abs("../testdata/traces/mooncake-fast25-conversation_trace.jsonl.zst")
	require.NoError(b, err)
	benchmarkPrediction(b, fmt.Sprintf(`
traffic:
  source: {type: trace, paths: [%q]}
  load: {type: trace_timestamps}
engine:
  model: meta-llama/Meta-Llama-3.1-8B
  hardware: h200_sxm
  workers: {aggregated: {parallelism: {replicas: 4}, timing: {type: fixed, prefill_ms: 20, decode_ms: 5}}}
`, trace))
}

// About 4,400 requests of generated Weka sessions on four workers, twelve at a
// time, with a cost that depends on the context.
func BenchmarkWekaLanes(b *testing.B) {
	dir := b.TempDir()
	_, err := corpus.GenerateWeka(b.Context(), dir, corpus.WekaOptions{Plays: 107, Seed: 9, Profile: corpus.ProfilePlain})
	require.NoError(b, err)
	benchmarkPrediction(b, fmt.Sprintf(`
traffic:
  source: {type: trace, format: weka, paths: [%q]}
  load: {type: trace_timestamps, agentic_lanes: 12}
engine:
  model: m
  hardware: h200_sxm
  context_length: 1000000
  workers:
    aggregated:
      parallelism: {replicas: 4}
      kv_cache: {capacity: {type: fixed, blocks: 30000}}
      timing: {type: polynomial}
`, dir))
}

// A tenth of a million requests of 1,024 and 128 tokens, 256 at a time.
func BenchmarkSynthetic(b *testing.B) {
	benchmarkPrediction(b, `
traffic:
  source: {type: synthetic, input_tokens: 1024, output_tokens: 128}
  load: {type: concurrency, concurrency: 256}
  stop: {requests: 100000}
engine:
  model: m
  hardware: h200_sxm
  context_length: 131072
  workers:
    aggregated:
      kv_cache: {capacity: {type: fixed, blocks: 13792}}
      timing: {type: fixed, prefill_ms: 20, decode_ms: 5}
`)
}
