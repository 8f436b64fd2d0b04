package corpus

import (
	"embed"
	"io/fs"
)

//go:embed demo/*.json weka/*.json weka/README.md weka/identity.tsv predict/*.yaml
var files embed.FS

// Demo returns the Weka corpus that demonstrations use: a few plays of one
// model, together below 150 kB, which every command accepts with its default
// settings. They have subagents the session waits for and such that run
// beside it, a join and a compaction.
func Demo() fs.FS { return folder("demo") }

// RealWeka returns a dozen small recordings of the kv-cache-tester corpus,
// unchanged: trace_NNNN.json, a README.md with their provenance and licence,
// and identity.tsv with what a reader of the aisimulate-0.13 rules makes of
// each file. Most are refused by the documented rules.
func RealWeka() fs.FS { return folder("weka") }

// Predict returns configurations of `tracekit predict`: example.yaml, which
// explains the settings and runs as it stands, and graph.yaml, which replays
// graph.jsonl, the graph that [Demo] converts to.
func Predict() fs.FS { return folder("predict") }

func folder(name string) fs.FS {
	sub, err := fs.Sub(files, name)
	if err != nil {
		panic(err) // the name is not a valid path: a mistake in this file
	}
	return sub
}
