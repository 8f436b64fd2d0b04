package catalog_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracekit/replay/catalog"
)

// qwen3 is the configuration of Qwen/Qwen3-8B, as far as it is read.
const qwen3 = `{"architectures":["Qwen3ForCausalLM"],"num_hidden_layers":36,"num_attention_heads":32,"num_key_value_heads":8,"head_dim":128,
"hidden_size":4096,"intermediate_size":12288,"vocab_size":151936,"max_position_embeddings":40960,"sliding_window":null}`

func write(t testing.TB, path, text string) {
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
}

// folder makes a model's folder of its files, named in turn with their text.
func folder(t testing.TB, files ...string) string {
	dir := t.TempDir()
	for i := 0; i < len(files); i += 2 {
		write(t, filepath.Join(dir, files[i]), files[i+1])
	}
	return dir
}

func find(t testing.TB, name, hub string) *catalog.Model {
	m, err := catalog.FindModel(name, hub)
	require.NoError(t, err)
	return m
}

func requireError(t testing.TB, err error, field catalog.Field, words ...string) {
	var broken *catalog.Error
	require.ErrorAs(t, err, &broken)
	require.Equal(t, field, broken.Field)
	for _, word := range words {
		require.ErrorContains(t, err, word)
	}
}

// A folder, its file, a snapshot in the cache and the built-in model are the
// same, but for where they were found.
func TestSameModelEverywhere(t *testing.T) {
	hub := t.TempDir()
	write(t, filepath.Join(hub, "models--me--mine", "snapshots", "abc", "config.json"), qwen3)
	dir := folder(t, "config.json", qwen3)
	want := *find(t, "Qwen/Qwen3-8B", "")
	require.Equal(t, "built in", want.Source)
	for _, name := range []string{dir, filepath.Join(dir, "config.json"), "me/mine"} {
		m := *find(t, name, hub)
		require.Equal(t, name, m.Name)
		require.Contains(t, m.Source, "config.json")
		m.Name, m.Source = want.Name, want.Source
		require.Equal(t, want, m)
	}
}

func TestAlias(t *testing.T) {
	m := find(t, "meta-llama/Meta-Llama-3.1-8B-Instruct", "")
	require.Equal(t, "meta-llama/Meta-Llama-3.1-8B", m.AliasOf)
	require.Equal(t, "meta-llama/Meta-Llama-3.1-8B-Instruct", m.Name)
	require.EqualValues(t, 131072, m.MaxContext)
}

func TestNewestSnapshot(t *testing.T) {
	hub := t.TempDir()
	snapshots := filepath.Join(hub, "models--me--mine", "snapshots")
	for i, name := range []string{"b", "a", "c"} {
		dir := filepath.Join(snapshots, name)
		write(t, filepath.Join(dir, "config.json"), `{"n_positions":`+string(rune('1'+i))+`}`)
		when := time.Unix(int64(1000+i), 0)
		require.NoError(t, os.Chtimes(dir, when, when))
	}
	write(t, filepath.Join(snapshots, "d", "tokenizer.json"), "{}") // the newest, but no configuration
	require.EqualValues(t, 3, find(t, "me/mine", hub).MaxContext)
}

func TestHubCache(t *testing.T) {
	for _, c := range []struct {
		environment map[string]string
		want        string
	}{
		{map[string]string{}, ""},
		{map[string]string{"HOME": "/h"}, "/h/.cache/huggingface/hub"},
		{map[string]string{"HOME": "/h", "XDG_CACHE_HOME": "/x"}, "/x/huggingface/hub"},
		{map[string]string{"XDG_CACHE_HOME": "/x", "HF_HOME": "/f"}, "/f/hub"},
		{map[string]string{"HF_HOME": "/f", "HUGGINGFACE_HUB_CACHE": "/old"}, "/old"},
		{map[string]string{"HUGGINGFACE_HUB_CACHE": "/old", "HF_HUB_CACHE": "/new"}, "/new"},
	} {
		got := catalog.HubCache(func(name string) string { return c.environment[name] })
		require.Equal(t, filepath.FromSlash(c.want), got)
	}
}

func TestNotFound(t *testing.T) {
	_, err := catalog.FindModel("Qwen/Qwen3-8b-it", "")
	requireError(t, err, catalog.ModelField, `"Qwen/Qwen3-8b-it" is not known`, "no hub cache", "choose one of the nearest names, Qwen/Qwen3-8B, ")
	hub := t.TempDir()
	_, err = catalog.FindModel("of/nobody", hub)
	requireError(t, err, catalog.ModelField, "not in the hub cache "+hub, "name a folder that holds the model's config.json")
	_, err = catalog.FindModel("../\x00", hub)
	requireError(t, err, catalog.ModelField, "is not known")
	_, err = catalog.FindModel(t.TempDir(), hub)
	requireError(t, err, catalog.ModelField, "cannot be read", "a model's folder holds its config.json")
	for _, text := range []string{"", "[]", `{"a":`, "\xff"} {
		_, err = catalog.FindModel(folder(t, "config.json", text), "")
		requireError(t, err, catalog.ModelField, "is not a JSON object")
	}
	_, err = catalog.FindModel(folder(t, "config.json", qwen3, "hf_quant_config.json", "no"), "")
	requireError(t, err, catalog.ModelField, "hf_quant_config.json is not a JSON object")

	_, err = catalog.FindHardware("h200")
	requireError(t, err, catalog.HardwareField, `"h200" is not known`, "h200_sxm")
	_, err = catalog.FindHardware("H100_SXM")
	requireError(t, err, catalog.HardwareField, "nearest names, h100_sxm, ")
}

// The first name that declares a context counts, in the language model before
// the whole.
func TestDeclaredContext(t *testing.T) {
	for _, c := range []struct {
		config string
		want   uint64
	}{
		{`{"max_position_embeddings":5,"model_max_length":6}`, 5},
		{`{"max_position_embeddings":0,"model_max_length":-6,"max_sequence_length":"7","seq_length":8.5,"n_positions":9}`, 9},
		{`{"text_config":{"n_positions":3},"max_position_embeddings":5}`, 3},
		{`{"text_config":{"n_positions":null},"seq_length":5}`, 5},
	} {
		got, err := find(t, folder(t, "config.json", c.config), "").DeclaredContext()
		require.NoError(t, err)
		require.Equal(t, c.want, got)
	}
	_, err := find(t, folder(t, "config.json", `{}`), "").DeclaredContext()
	requireError(t, err, catalog.ModelField, "declares no maximum context", "max_position_embeddings")
}
