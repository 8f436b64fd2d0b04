package catalog

import "math"

// weights returns what the weights of a rank take, in bytes: the sum over the
// operators of a prefill pass (kv-capacity.md 1). Norms and biases weigh
// nothing, and neither does the output head of the family MOE, as in the
// reference.
func (d *Deployment) weights() float64 {
	m, tensor := d.Model, float64(d.Parallelism.Tensor)
	s := shapeOf(m)
	part := func(n float64) float64 { return math.Floor(n / tensor) }
	gemm := m.Quant.GEMM.Bytes()
	vocabulary := part(s.vocab) * s.hidden * 2 // into tokens, and out of them

	var total float64
	switch m.Family {
	case Llama:
		total = vocabulary + s.layers*(d.attentionWeights()+gemm*(part(2*s.inter)*s.hidden+s.hidden*part(s.inter))) + vocabulary
	case MoE:
		total = vocabulary + s.layers*(d.attentionWeights()+s.router()+d.expertWeights())
	default:
		shared := s.shared * s.moeInter
		total = s.vocab*s.hidden*2 + s.layers*(d.latentWeights()+gemm*(part(2*shared)*s.hidden+s.hidden*part(shared))+s.router()+d.expertWeights()) + vocabulary
	}
	total /= float64(d.Parallelism.Pipeline)
	if d.Backend == SGLang && d.Parallelism.Pipeline == 1 && architectures()[m.Architecture].SGLangDenseLayers {
		total += d.denseLayers()
	}
	return total
}

// attentionWeights is those of a layer's attention: the projections in and out.
func (d *Deployment) attentionWeights() float64 {
	s := shapeOf(d.Model)
	query := math.Floor(s.heads * s.headDim / float64(d.Parallelism.Tensor))
	return d.Model.Quant.GEMM.Bytes() * ((query+2*s.headDim*d.kvHeads())*s.hidden + s.hidden*query)
}

// latentWeights is those of a layer's multi-head latent attention: down to the
// latent ranks, up to queries, keys and values, and out.
func (d *Deployment) latentWeights() float64 {
	s, a := shapeOf(d.Model), d.Model.MLA
	heads := math.Floor(s.heads / float64(d.Parallelism.Tensor))
	query, latent, value := float64(a.QLoraRank), float64(a.KVLoraRank), float64(a.VHeadDim)
	rope, nope := float64(a.QKRopeHeadDim), float64(a.QKNopeHeadDim)
	return d.Model.Quant.GEMM.Bytes() *
		((query+latent+rope)*s.hidden + (nope+rope)*heads*query + (nope+value)*heads*latent + s.hidden*value*heads)
}

// expertWeights is those of a layer's experts.
func (d *Deployment) expertWeights() float64 {
	s := shapeOf(d.Model)
	all := s.hidden * s.moeInter * s.experts * d.Model.Quant.MoE.Bytes() * 3
	return math.Floor(math.Floor(all/float64(d.Parallelism.MoEExpert)) / float64(d.Parallelism.MoETensor))
}

// denseLayers is what SGLang's count of weights has more than the sum over
// operators: it knows which layers have a mixture of experts, and spreads the
// embedding over ranks.
func (d *Deployment) denseLayers() float64 {
	m, p := d.Model, d.Parallelism
	s, tensor := shapeOf(m), float64(p.Tensor)
	gemm, mixtures := m.Quant.GEMM.Bytes(), float64(m.MoELayers)
	routed := 3 * s.hidden * s.moeInter * s.experts * m.Quant.MoE.Bytes() / float64(p.MoETensor*p.MoEExpert)
	shared := 3 * s.hidden * s.moeInter * gemm / tensor
	dense := 3 * s.hidden * s.inter * gemm / tensor
	embedding := 2 * s.vocab * s.hidden
	return -embedding*(1-1/tensor) - s.layers*(routed+shared+s.router()) +
		mixtures*(routed+s.shared*shared+s.router()) + (s.layers-mixtures)*dense
}

// kvHeads returns how many KV heads a rank holds: heads are copied when there
// are more ranks.
func (d *Deployment) kvHeads() float64 {
	return float64(ranksShare(d.Model.KVHeads, d.Parallelism.Tensor))
}

// ranksShare returns n / ranks, rounded up.
func ranksShare(n, ranks int) int { return (n + ranks - 1) / ranks }

// shape is the numbers of a model as reals, for sums that may be beyond any
// integer.
type shape struct {
	layers, heads, headDim, hidden, inter, vocab float64
	experts, moeInter, shared                    float64
}

func shapeOf(m *Model) shape {
	return shape{
		layers: float64(m.Layers), heads: float64(m.Heads), headDim: float64(m.HeadDim), hidden: float64(m.Hidden), inter: float64(m.Inter), vocab: float64(m.Vocab),
		experts: float64(m.Experts), moeInter: float64(m.MoEInter), shared: float64(m.SharedExperts),
	}
}

// router is the weights that choose experts, which are not quantised.
func (s shape) router() float64 { return 2 * s.hidden * s.experts }
