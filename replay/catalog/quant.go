package catalog

import "strings"

// Quant tells in which form numbers are stored. Forms are empty when the
// checkpoint's algorithm is not known.
type Quant struct {
	Checkpoint string `json:"checkpoint"` // algorithm of the checkpoint; empty for none
	GEMM       Format `json:"gemm"`
	MoE        Format `json:"moe"`
	KV         Format `json:"kv"`
	FMHA       Format `json:"fmha"`
}

// plain is a checkpoint that is not quantised.
var plain = Quant{GEMM: BFloat16, MoE: BFloat16, KV: BFloat16, FMHA: BFloat16}

// algorithms is what the algorithm of a checkpoint means (timing-aic.md 2).
var algorithms = map[string]Quant{
	"fp8_static": {Checkpoint: "fp8", GEMM: "fp8_static", MoE: "fp8", KV: "fp8", FMHA: "fp8"},
	"fp8":        {Checkpoint: "fp8", GEMM: "fp8", MoE: "fp8", KV: "fp8", FMHA: "fp8"},
	"fp8_block":  {Checkpoint: "fp8_block", GEMM: "fp8_block", MoE: "fp8_block", KV: "fp8", FMHA: "fp8"},
	"nvfp4":      {Checkpoint: "nvfp4", GEMM: "nvfp4", MoE: "nvfp4", KV: "fp8", FMHA: "fp8"},
	"mxfp4":      {Checkpoint: "mxfp4", GEMM: BFloat16, MoE: "w4a16_mxfp4", KV: BFloat16, FMHA: BFloat16},
}

// quant tells the forms from the configuration and from what stands in the
// file beside it, which counts more.
func (c config) quant(beside map[string]any) Quant {
	if section, given := beside["quantization"].(map[string]any); given {
		return quantOf(section)
	}
	for _, part := range c {
		if section, given := part["quantization_config"].(map[string]any); given {
			return quantOf(section)
		}
	}
	return plain
}

// quantOf reads one of the sections that describe a quantisation.
func quantOf(section map[string]any) Quant {
	text := func(name string) string {
		value, _ := section[name].(string)
		return strings.ToLower(value)
	}
	algorithm := text("quant_algo")
	if algorithm == "" {
		algorithm = text("quant_method")
	}
	if algorithm == "fp8" {
		block, _ := section["weight_block_size"].([]any)
		switch {
		case len(block) > 0:
			algorithm = "fp8_block"
		case text("activation_scheme") != "dynamic":
			algorithm = "fp8_static"
		}
	}
	var q Quant
	switch known, is := algorithms[algorithm]; {
	case is:
		q = known
	case algorithm == "":
		q = plain
	default:
		q.Checkpoint = algorithm
	}
	switch text("kv_cache_quant_algo") {
	case "none":
		q.KV, q.FMHA = BFloat16, BFloat16
	case "fp8":
		q.KV = "fp8"
		if q.Checkpoint != "" {
			q.FMHA = "fp8"
		}
	}
	return q
}
