package catalog

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
)

// The files of a model's folder that are read.
const (
	configName = "config.json"
	quantName  = "hf_quant_config.json" // beside it, if there is one
)

// contextNames are the fields that may declare the maximum context, the first
// that does counting.
var contextNames = []string{"max_position_embeddings", "model_max_length", "max_sequence_length", "seq_length", "n_positions"}

// config is a config.json: what describes the language model of a model that
// does more than that, and the whole.
type config []map[string]any

// readModel reads a model's configuration. It asks for nothing but JSON: what
// a deployment needs and does not find is an error when it is needed.
func readModel(name, path string) (*Model, error) {
	root, err := readObject(path)
	if err != nil {
		return nil, err
	}
	c := config{root}
	if text, nested := root["text_config"].(map[string]any); nested {
		c = config{text, root}
	}
	m := c.model()
	m.Name, m.Source = name, path
	beside, err := readObject(filepath.Join(filepath.Dir(path), quantName))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	m.Quant = c.quant(beside)
	m.TimingTier = timingTier(m)
	return m, nil
}

// readObject reads a JSON object. The error is an *[Error] that wraps the
// system's.
func readObject(path string) (map[string]any, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, &Error{Field: ModelField, Found: fmt.Sprintf("the model's configuration cannot be read: %v", err),
			Rule: "a model's folder holds its " + configName, cause: err}
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var object map[string]any
	if err := d.Decode(&object); err != nil {
		return nil, &Error{Field: ModelField, Found: fmt.Sprintf("%s is not a JSON object: %v", path, err), Remedy: "fetch the file again", cause: err}
	}
	return object, nil
}

// model takes the shape from the configuration.
func (c config) model() *Model {
	m := &Model{
		Architecture:  c.architecture(),
		Layers:        c.count("num_hidden_layers"),
		Heads:         c.count("num_attention_heads"),
		KVHeads:       c.count("num_key_value_heads", "num_attention_heads"),
		HeadDim:       c.count("head_dim"),
		Hidden:        c.count("hidden_size"),
		Inter:         c.count("intermediate_size"),
		Vocab:         c.count("vocab_size"),
		MaxContext:    uint64(c.count(contextNames...)),
		Experts:       c.count("num_local_experts", "num_experts", "n_routed_experts"),
		TopK:          c.count("num_experts_per_tok"),
		SharedExperts: c.count("n_shared_experts"),
	}
	facts := architectures()[m.Architecture]
	m.Family = facts.Family
	if m.HeadDim == 0 && m.Heads > 0 {
		m.HeadDim = m.Hidden / m.Heads
	}
	if m.Experts > 0 {
		m.MoEInter = c.count("moe_intermediate_size", "intermediate_size")
		m.MoELayers = m.Layers
	}
	if facts.WindowedLayers {
		m.SlidingWindow = c.count("sliding_window")
	}
	if rank := c.count("kv_lora_rank"); rank > 0 {
		m.MLA = &MLA{
			KVLoraRank: rank, QLoraRank: c.count("q_lora_rank"),
			QKRopeHeadDim: c.count("qk_rope_head_dim"), QKNopeHeadDim: c.count("qk_nope_head_dim"), VHeadDim: c.count("v_head_dim"),
			FirstDense: c.count("first_k_dense_replace"),
		}
		m.MoELayers = max(m.Layers-m.MLA.FirstDense, 0)
	}
	return m
}

// architecture returns the first architecture that the whole names, else the
// language model.
func (c config) architecture() string {
	for i := len(c) - 1; i >= 0; i-- {
		if all, _ := c[i]["architectures"].([]any); len(all) > 0 {
			if name, is := all[0].(string); is {
				return name
			}
		}
	}
	return ""
}

// count returns the first positive integer under any of these names in the
// language model, else in the whole; 0 if there is none.
func (c config) count(names ...string) int {
	for _, part := range c {
		for _, name := range names {
			number, _ := part[name].(json.Number)
			if n, err := number.Int64(); err == nil && n > 0 && n <= math.MaxInt {
				return int(n)
			}
		}
	}
	return 0
}

// timingTier tells whether the operators of a model are known, and which list
// of them it has.
func timingTier(m *Model) int {
	switch m.Family {
	case Llama:
		return 1
	case MoE:
		return 2
	case DeepSeek, KimiK25:
		if m.Quant.Checkpoint != "nvfp4" { // its projections are stored otherwise
			return 3
		}
	}
	return 0
}
