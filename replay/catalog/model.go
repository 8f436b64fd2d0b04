package catalog

import "fmt"

// Model is what is known of a model. A number that its source does not give
// is 0.
type Model struct {
	Name    string `json:"-"` // as it was asked for
	AliasOf string `json:"-"` // built-in name that stands for it, when it was found by an alias
	Source  string `json:"-"` // "built in", or the file it was read from

	Architecture string `json:"architecture"` // as config.json names it
	Family       Family `json:"family"`

	Layers     int    `json:"layers"`
	Heads      int    `json:"heads"`        // query heads of a layer
	KVHeads    int    `json:"kv_heads"`     // of a layer
	HeadDim    int    `json:"head_dim"`     // elements of a head
	Hidden     int    `json:"hidden"`       // elements of a token's hidden state
	Inter      int    `json:"inter"`        // of a dense feed-forward layer
	Vocab      int    `json:"vocab"`        // tokens of the vocabulary
	MaxContext uint64 `json:"max_position"` // declared maximum context in tokens; 0 if it declares none

	Experts       int `json:"experts"` // of a mixture layer; 0 in a dense model
	TopK          int `json:"topk"`    // experts that a token is sent to
	MoEInter      int `json:"moe_inter"`
	SharedExperts int `json:"shared_experts"`
	MoELayers     int `json:"moe_layers"`

	SlidingWindow int   `json:"sliding_window"` // tokens; 0 if all layers attend to everything
	Quant         Quant `json:"quant"`
	MLA           *MLA  `json:"mla"` // nil without latent attention
	TimingTier    int   `json:"timing_tier"`
}

// Family is the shape of a model, by which operators and memory are counted.
type Family string

// The families that capacity is known for.
const (
	Llama    Family = "LLAMA" // dense
	MoE      Family = "MOE"
	DeepSeek Family = "DEEPSEEK" // latent attention and a mixture of experts
	KimiK25  Family = "KIMIK25"  // the same
)

// MLA is the shape of multi-head latent attention.
type MLA struct {
	KVLoraRank    int `json:"kv_lora_rank"`
	QLoraRank     int `json:"q_lora_rank"`
	QKRopeHeadDim int `json:"qk_rope_head_dim"`
	QKNopeHeadDim int `json:"qk_nope_head_dim"`
	VHeadDim      int `json:"v_head_dim"`
	FirstDense    int `json:"first_k_dense_replace"` // leading layers without a mixture
}

// DeclaredContext returns the longest context that the model declares, in
// tokens. The error is an *[Error] of the [ModelField].
func (m *Model) DeclaredContext() (uint64, error) {
	if m.MaxContext == 0 {
		return 0, &Error{Field: ModelField, Found: fmt.Sprintf("the model %q declares no maximum context (%s)", m.Name, m.Source),
			Rule: "its config.json gives one as " + oneOf(contextNames), Remedy: "give the context length as a number of tokens"}
	}
	return m.MaxContext, nil
}
