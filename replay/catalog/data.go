package catalog

import (
	"embed"
	"encoding/json"
	"sync"
)

//go:embed data/*.json
var files embed.FS

// The embedded files (data/README.md), each read when it is first asked for.
var (
	builtinModels = table[Model]("models")
	aliases       = table[string]("aliases")
	architectures = table[architecture]("architectures")
	systems       = table[Hardware]("systems")
)

// table returns what reads an embedded object of named values.
func table[T any](name string) func() map[string]T {
	return sync.OnceValue(func() map[string]T {
		text, err := files.ReadFile("data/" + name + ".json")
		if err != nil {
			panic(err)
		}
		var values map[string]T
		if err := json.Unmarshal(text, &values); err != nil {
			panic("catalog: data/" + name + ".json: " + err.Error())
		}
		return values
	})
}

// architecture is what the name of an architecture tells of a model.
type architecture struct {
	Family Family `json:"family"`
	// WindowedLayers tells that every other layer attends to a window only.
	WindowedLayers bool `json:"every_other_layer_windowed"`
	// SGLangDenseLayers tells that SGLang counts the weights of its leading
	// layers without a mixture as what they are.
	SGLangDenseLayers bool `json:"sglang_counts_dense_layers"`
}
