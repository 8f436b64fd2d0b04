package catalog

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// FindModel returns the model of that name: a folder with a config.json, such
// a file itself, a built-in name, an alias of one, or a name in the hub cache,
// tried in this order. Hub is the folder of the cache ([HubCache]); empty is
// none. The error is an *[Error] of the [ModelField].
func FindModel(name, hub string) (*Model, error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return readModel(name, filepath.Join(name, configName))
	case err == nil && strings.HasSuffix(name, ".json"):
		return readModel(name, name)
	}
	if m, known := builtin(name); known {
		return m, nil
	}
	if base, known := aliases()[name]; known {
		m, _ := builtin(base)
		m.Name, m.AliasOf = name, base
		return m, nil
	}
	path, err := inHub(hub, name)
	if err != nil {
		return nil, &Error{Field: ModelField, Found: err.Error()}
	}
	if path != "" {
		return readModel(name, path)
	}
	return nil, unknownModel(name, hub)
}

func builtin(name string) (*Model, bool) {
	m, known := builtinModels()[name]
	m.Name, m.Source = name, "built in"
	return &m, known
}

func unknownModel(name, hub string) error {
	cache := "there is no hub cache to look into"
	if hub != "" {
		cache = "it is not in the hub cache " + hub
	}
	known := slices.Concat(ModelNames(), slices.Sorted(maps.Keys(aliases())))
	return &Error{
		Field:  ModelField,
		Found:  fmt.Sprintf("the model %q is not known: it is no folder, no built-in name and no alias of one, and %s", name, cache),
		Rule:   "models are found by a built-in name, in the local cache, or in a folder with a config.json; nothing is downloaded",
		Remedy: cmp.Or(didYouMean(nearest(name, known)), "name a folder that holds the model's config.json"),
	}
}

// ModelNames lists the built-in models by name.
func ModelNames() []string { return slices.Sorted(maps.Keys(builtinModels())) }

// HubCache returns the folder in which the Hugging Face hub keeps downloaded
// models, as its own tools find it, given os.Getenv; empty if there is no home.
func HubCache(getenv func(string) string) string {
	if cache := cmp.Or(getenv("HF_HUB_CACHE"), getenv("HUGGINGFACE_HUB_CACHE")); cache != "" {
		return cache
	}
	home := getenv("HF_HOME")
	if cache := getenv("XDG_CACHE_HOME"); home == "" && cache != "" {
		home = filepath.Join(cache, "huggingface")
	}
	if user := getenv("HOME"); home == "" && user != "" {
		home = filepath.Join(user, ".cache", "huggingface")
	}
	if home == "" {
		return ""
	}
	return filepath.Join(home, "hub")
}

// inHub returns the configuration of a model's newest snapshot that has one;
// empty if there is none.
func inHub(hub, name string) (path string, err error) {
	if hub == "" {
		return "", nil
	}
	snapshots := filepath.Join(hub, "models--"+strings.ReplaceAll(name, "/", "--"), "snapshots")
	entries, err := os.ReadDir(snapshots)
	if errors.Is(err, fs.ErrPermission) {
		return "", err
	}
	if err != nil {
		return "", nil //nolint:nilerr // no such folder, or no name that one can have
	}
	var newest time.Time
	for _, entry := range entries { // by name, so that of equally new ones the last counts
		config := filepath.Join(snapshots, entry.Name(), configName)
		folder, err := entry.Info()
		if _, missing := os.Stat(config); err != nil || missing != nil {
			continue
		}
		if when := folder.ModTime(); path == "" || !when.Before(newest) {
			path, newest = config, when
		}
	}
	return path, nil
}
