package catalog_test

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/replay/catalog"
)

// point is an entry of the golden files.
type point struct {
	Input struct {
		Model             string          `json:"model"`
		System            string          `json:"system"`
		Backend           catalog.Backend `json:"backend"`
		BlockSize         uint64          `json:"block_size"`
		MaxBatchedTokens  uint64          `json:"max_batched_tokens"`
		MemoryFraction    float64         `json:"memory_fraction"`
		CUDAGraphReserved uint64          `json:"cuda_graph_reserved_bytes"`
		Parallelism       struct {
			Tensor        int `json:"tensor"`
			Pipeline      int `json:"pipeline"`
			AttentionData int `json:"attention_data"`
			MoETensor     int `json:"moe_tensor"`
			MoEExpert     int `json:"moe_expert"`
		} `json:"parallelism"`
	} `json:"input"`
	Expected map[string]any `json:"expected"`
}

func points(t testing.TB, file string) (all []point) {
	text, err := os.ReadFile("../../testdata/golden/capacity/" + file)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &all))
	return all
}

func TestGoldenCapacity(t *testing.T) {
	for _, file := range []string{"capacity.json", "capacity-mla.json"} {
		for i, p := range points(t, file) {
			t.Run(fmt.Sprintf("%s/%d", file, i), func(t *testing.T) { requireCapacity(t, p) })
		}
	}
}

func requireCapacity(t *testing.T, p point) {
	in, want := p.Input, p.Expected
	m, err := catalog.FindModel(in.Model, "")
	require.NoError(t, err)
	h, err := catalog.FindHardware(in.System)
	require.NoError(t, err)
	got, err := catalog.KVCapacity(catalog.Deployment{
		Model: m, Hardware: h, Backend: in.Backend, Parallelism: catalog.Parallelism(in.Parallelism),
		BlockSize: in.BlockSize, MaxBatchedTokens: in.MaxBatchedTokens,
		MemoryFraction: in.MemoryFraction, CUDAGraphReserved: in.CUDAGraphReserved,
	})
	if want["rejects"] == true {
		var refused *catalog.Error
		require.ErrorAs(t, err, &refused)
		field := catalog.CapacityField
		if !strings.Contains(want["why"].(string), "KV cache") {
			field = catalog.ParallelismField
		}
		require.Equal(t, field, refused.Field, err)
		return
	}
	require.NoError(t, err)
	text, err := json.Marshal(got)
	require.NoError(t, err)
	var figures map[string]any
	require.NoError(t, json.Unmarshal(text, &figures))
	require.Subset(t, figures, want) // the second file has fewer figures
	perToken, err := m.KVBytesPerToken(in.Parallelism.Tensor)
	require.NoError(t, err)
	require.EqualValues(t, want["kv_bytes_per_token"], perToken)
}
