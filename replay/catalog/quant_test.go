package catalog_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/replay/catalog"
)

// What a configuration says of its quantisation, and what that means
// (timing-aic.md 2).
func TestQuantisation(t *testing.T) {
	quant := func(checkpoint string, gemm, moe, kv, fmha catalog.Format) catalog.Quant {
		return catalog.Quant{Checkpoint: checkpoint, GEMM: gemm, MoE: moe, KV: kv, FMHA: fmha}
	}
	const bf16 = catalog.BFloat16
	for _, c := range []struct {
		section string // in config.json
		beside  string // hf_quant_config.json
		want    catalog.Quant
	}{
		{``, ``, quant("", bf16, bf16, bf16, bf16)},
		{`{"quant_method":"fp8"}`, ``, quant("fp8", "fp8_static", "fp8", "fp8", "fp8")},
		{`{"quant_method":"fp8","activation_scheme":"static"}`, ``, quant("fp8", "fp8_static", "fp8", "fp8", "fp8")},
		{`{"quant_method":"fp8","activation_scheme":"dynamic"}`, ``, quant("fp8", "fp8", "fp8", "fp8", "fp8")},
		{`{"quant_method":"fp8","activation_scheme":"dynamic","weight_block_size":[128,128]}`, ``, quant("fp8_block", "fp8_block", "fp8_block", "fp8", "fp8")},
		{`{"quant_method":"mxfp4"}`, ``, quant("mxfp4", bf16, "w4a16_mxfp4", bf16, bf16)},
		{`{"quant_method":"modelopt","quant_algo":"NVFP4"}`, ``, quant("nvfp4", "nvfp4", "nvfp4", "fp8", "fp8")},
		{`{"quant_method":"awq"}`, ``, quant("awq", "", "", "", "")},
		{`{"quant_method":"awq"}`, `{"quantization":{"quant_algo":"FP8","kv_cache_quant_algo":"FP8"}}`, quant("fp8", "fp8_static", "fp8", "fp8", "fp8")},
		{``, `{"quantization":{"quant_algo":"NVFP4","kv_cache_quant_algo":"none"}}`, quant("nvfp4", "nvfp4", "nvfp4", bf16, bf16)},
		{``, `{"quantization":{"quant_algo":"NVFP4","kv_cache_quant_algo":null}}`, quant("nvfp4", "nvfp4", "nvfp4", "fp8", "fp8")},
		{``, `{"quantization":{"kv_cache_quant_algo":"FP8"}}`, quant("", bf16, bf16, "fp8", bf16)},
		{``, `{"producer":{}}`, quant("", bf16, bf16, bf16, bf16)},
	} {
		config := qwen3
		if c.section != "" {
			config = strings.Replace(qwen3, "{", `{"quantization_config":`+c.section+",", 1)
		}
		files := []string{"config.json", config}
		if c.beside != "" {
			files = append(files, "hf_quant_config.json", c.beside)
		}
		require.Equal(t, c.want, find(t, folder(t, files...), "").Quant, c.section+c.beside)
	}
}
