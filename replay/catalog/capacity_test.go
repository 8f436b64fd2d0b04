package catalog_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tracekit/replay/catalog"
)

// deployment is the first worked example of kv-capacity.md.
func deployment(t testing.TB) catalog.Deployment {
	h, err := catalog.FindHardware("h200_sxm")
	require.NoError(t, err)
	return catalog.Deployment{
		Model: find(t, "meta-llama/Meta-Llama-3.1-8B", ""), Hardware: h, Backend: catalog.VLLM,
		Parallelism: catalog.Parallelism{Tensor: 1, Pipeline: 1, AttentionData: 1, MoETensor: 1, MoEExpert: 1},
		BlockSize:   64, MaxBatchedTokens: 8192, MemoryFraction: 0.9,
	}
}

// Which setting is at fault, and what is said of it.
func TestRefusedDeployments(t *testing.T) {
	for _, c := range []struct {
		change func(*catalog.Deployment)
		field  catalog.Field
		words  string
	}{
		{func(d *catalog.Deployment) { d.MemoryFraction = 0 }, catalog.CapacityField, "20.56 GB are missing"},
		{func(d *catalog.Deployment) { d.MemoryFraction, d.Backend = 0, catalog.SGLang }, catalog.CapacityField, "no memory is left"},
		{func(d *catalog.Deployment) { d.MemoryFraction, d.Backend = 0, catalog.TRTLLM }, catalog.CapacityField, "no memory is left"},
		{func(d *catalog.Deployment) { d.CUDAGraphReserved = 1 << 53 }, catalog.CapacityField, "no memory is left"},
		{func(d *catalog.Deployment) { d.Parallelism.Tensor = 3 }, catalog.ParallelismField, "the 32 attention heads"},
		{func(d *catalog.Deployment) { d.Parallelism.MoEExpert = 2 }, catalog.ParallelismField, "moe_tensor × moe_expert is 2"},
		{func(d *catalog.Deployment) {
			d.Model = find(t, "nvidia/Llama-3_3-Nemotron-Super-49B-v1", "")
		}, catalog.ModelField, `architecture "DeciLMForCausalLM"`},
		{func(d *catalog.Deployment) { d.Model = find(t, "nvidia/DeepSeek-V3.1-NVFP4", "") }, catalog.ModelField, `quantised as "nvfp4"`},
		{func(d *catalog.Deployment) {
			d.Model = find(t, "Qwen/Qwen3-30B-A3B", "")
			d.Parallelism.Tensor = 2
		}, catalog.ParallelismField, "tensor × attention_data is 2"},
		{func(d *catalog.Deployment) {
			d.Model = find(t, "Qwen/Qwen3-30B-A3B", "")
			d.Parallelism.AttentionData, d.Parallelism.MoEExpert = 256, 256
		}, catalog.ParallelismField, "the 128 experts"},
		{func(d *catalog.Deployment) {
			d.Model = find(t, folder(t, "config.json", strings.Replace(qwen3, `"num_attention_heads":32`, `"num_attention_heads":36`, 1)), "")
			d.Parallelism.Tensor = 6
		}, catalog.ParallelismField, "not known for tensor 6"},
		{func(d *catalog.Deployment) { d.Backend = "other" }, catalog.HardwareField, "nothing is known of other"},
		{func(d *catalog.Deployment) {
			d.Model = find(t, folder(t, "config.json", `{"architectures":["LlamaForCausalLM"],"num_hidden_layers":1}`), "")
		}, catalog.ModelField, "does not tell attention heads, KV heads, the size of heads"},
		{func(d *catalog.Deployment) {
			d.Hardware, _ = catalog.FindHardware("l4")
		}, catalog.HardwareField, "nothing is known of vllm on l4"},
	} {
		d := deployment(t)
		c.change(&d)
		_, err := catalog.KVCapacity(d)
		requireError(t, err, c.field, c.words)
	}
}

// Whatever a configuration holds, it is refused or gives a capacity that
// grows with the memory and shrinks with the blocks.
func TestCapacityIsMonotone(t *testing.T) {
	names := catalog.ModelNames()
	rapid.Check(t, func(r *rapid.T) {
		d := deployment(t)
		m := *find(t, rapid.SampledFrom(names).Draw(r, "model"), "")
		d.Model = &m
		d.Backend = rapid.SampledFrom([]catalog.Backend{catalog.VLLM, catalog.SGLang, catalog.TRTLLM}).Draw(r, "backend")
		size := rapid.SampledFrom([]int{1, 2, 4, 8, 16}).Draw(r, "tensor")
		d.Parallelism.Tensor, d.Parallelism.MoEExpert = size, size
		if m.Family == catalog.Llama {
			d.Parallelism.MoEExpert = 1
		}
		d.MemoryFraction = rapid.Float64Range(0, 1).Draw(r, "fraction")
		less, err := catalog.KVCapacity(d)
		if err != nil {
			var broken *catalog.Error
			require.ErrorAs(t, err, &broken)
			return
		}
		require.Equal(t, less.Tokens/d.BlockSize, less.Blocks)
		d.MemoryFraction = 1
		more, err := catalog.KVCapacity(d)
		require.NoError(t, err)
		require.GreaterOrEqual(t, more.Tokens, less.Tokens)
		d.CUDAGraphReserved = 1 << 20
		reserved, err := catalog.KVCapacity(d)
		require.NoError(t, err)
		require.LessOrEqual(t, reserved.Tokens, more.Tokens)
	})
}

func TestKVBytesPerToken(t *testing.T) {
	m := find(t, "meta-llama/Meta-Llama-3.1-8B", "")
	for tensor, want := range map[int]uint64{1: 131072, 2: 65536, 8: 16384, 16: 16384} {
		got, err := m.KVBytesPerToken(tensor)
		require.NoError(t, err)
		require.Equal(t, want, got)
	}
	_, err := find(t, "openai/gpt-oss-20b", "").KVBytesPerToken(1)
	require.NoError(t, err)
	_, err = find(t, "Qwen/Qwen3.5-27B", "").KVBytesPerToken(1)
	requireError(t, err, catalog.ModelField)
}
