package catalog

import (
	"fmt"
	"math"
	"strings"
)

// KVBytesPerToken returns how many bytes the KV cache of one rank holds for
// each token, with the model's attention spread over that many ranks. The
// error is an *[Error] of the [ModelField].
func (m *Model) KVBytesPerToken(tensor int) (uint64, error) {
	if err := m.complete(); err != nil {
		return 0, err
	}
	return uint64(m.kvBytesPerToken(tensor)), nil
}

func (m *Model) kvBytesPerToken(tensor int) float64 {
	bytes := m.Quant.KV.Bytes()
	if m.MLA != nil {
		return float64(m.Layers) * float64(m.MLA.KVLoraRank+m.MLA.QKRopeHeadDim) * bytes
	}
	return float64(ranksShare(m.KVHeads, tensor)) * float64(m.HeadDim) * 2 * float64(m.Layers) * bytes
}

// tokensIn returns how many tokens of one request fit into a budget of bytes.
// A layer with a window holds no more tokens than that.
func (m *Model) tokensIn(budget float64, tensor int) float64 {
	perToken := m.kvBytesPerToken(tensor)
	if !architectures()[m.Architecture].WindowedLayers {
		return math.Floor(budget / perToken)
	}
	layer := perToken / float64(m.Layers)
	window, global := float64(m.SlidingWindow), float64(m.Layers-m.Layers/2)
	if full := perToken * window; budget >= full {
		return window + math.Floor((budget-full)/(layer*global))
	}
	return math.Floor(budget / perToken)
}

// complete tells whether all is known of a model that its memory depends on.
func (m *Model) complete() error {
	refuse := func(found string) error {
		return &Error{Field: ModelField, Found: found, Rule: "the default KV capacity and the KV bytes of a token are computed for known architectures",
			Remedy: "give the capacity as a fixed number, or name another model"}
	}
	if m.TimingTier == 0 {
		return refuse(fmt.Sprintf("the memory of the model %q is not known: its architecture %q, quantised as %q, is not covered", m.Name, m.Architecture, m.Quant.Checkpoint))
	}
	var missing []string
	need := func(what string, n float64) {
		if n <= 0 {
			missing = append(missing, what)
		}
	}
	need("layers", float64(m.Layers))
	need("attention heads", float64(m.Heads))
	need("KV heads", float64(m.KVHeads))
	need("the size of heads", float64(m.HeadDim))
	need("the hidden size", float64(m.Hidden))
	need("the vocabulary", float64(m.Vocab))
	need("how its weights are stored", m.Quant.GEMM.Bytes())
	need("how its KV cache is stored", m.Quant.KV.Bytes())
	if m.Family == Llama {
		need("the size of the feed-forward layer", float64(m.Inter))
	} else {
		need("experts", float64(m.Experts))
		need("the size of experts", float64(m.MoEInter))
		need("how its experts are stored", m.Quant.MoE.Bytes())
	}
	if m.Family == DeepSeek || m.Family == KimiK25 {
		if m.MLA == nil {
			missing = append(missing, "the latent attention")
		} else {
			need("the rank of queries", float64(m.MLA.QLoraRank))
			need("the rank of keys and values", float64(m.MLA.KVLoraRank))
			need("the size of values", float64(m.MLA.VHeadDim))
		}
	}
	if architectures()[m.Architecture].WindowedLayers {
		need("the window of attention", float64(m.SlidingWindow))
	}
	if missing != nil {
		return refuse(fmt.Sprintf("the configuration of %q (%s) does not tell %s", m.Name, m.Source, strings.Join(missing, ", ")))
	}
	return nil
}
