package catalog

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The embedded files agree with each other.
func TestEmbeddedFiles(t *testing.T) {
	for alias, base := range aliases() {
		require.Contains(t, builtinModels(), base, alias)
		require.NotContains(t, builtinModels(), alias)
	}
	for name, m := range builtinModels() {
		require.Positive(t, m.MaxContext, name)
		require.NotEmpty(t, m.Quant.KV, name)
		facts, known := architectures()[m.Architecture]
		if m.TimingTier > 0 {
			require.True(t, known, m.Architecture)
			require.NoError(t, m.complete(), name)
		}
		if known {
			require.Equal(t, facts.Family, m.Family, name)
			require.Equal(t, facts.WindowedLayers, m.SlidingWindow > 0, name)
			require.Equal(t, m.TimingTier, timingTier(&m), name)
		}
	}
	require.Len(t, builtinModels(), 91)
	require.Len(t, systems(), 14)
	for name, h := range systems() {
		require.Positive(t, h.GPU.MemoryBytes, name)
		for _, size := range []int{1, 2, 4, 8} {
			require.Contains(t, h.Misc.NCCLBytes, size, name)
		}
	}
}

func TestNearest(t *testing.T) {
	names := []string{"Qwen/Qwen3-8B", "Qwen/Qwen3-32B", "openai/gpt-oss-20b", "openai/gpt-oss-120b"}
	require.Equal(t, []string{"Qwen/Qwen3-8B", "Qwen/Qwen3-32B"}, nearest("qwen/qwen3-8b-it", names))
	require.Equal(t, []string{"openai/gpt-oss-20b", "openai/gpt-oss-120b"}, nearest("openai/gpt-os-20b", names))
	require.Empty(t, nearest("x", names))
}
