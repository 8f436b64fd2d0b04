package weka_test

import (
	"math"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/formats/weka"
	"tracekit/graph"
	"tracekit/internal/semantics"
)

// manyTokens finds prompts that are allowed but take long to name block by
// block.
var manyTokens = regexp.MustCompile(`[0-9]{5}`)

// FuzzDocument reads arbitrary bytes as a .json and as a .jsonl file. What is
// accepted lowers to a graph that keeps the rules of graphs, however many
// documents are worked on at once.
func FuzzDocument(f *testing.F) {
	inputs, err := filepath.Glob(filepath.Join(goldenWeka, "*", "trace.json*"))
	require.NoError(f, err)
	require.NotEmpty(f, inputs)
	for _, path := range inputs {
		text, err := os.ReadFile(path)
		require.NoError(f, err)
		if len(text) < 1500 {
			f.Add(text, true)
		}
	}
	f.Add([]byte(session(aCall)+session(aCall, aSubagent)+"\n{"), false)
	dir := f.TempDir()
	f.Fuzz(func(t *testing.T, text []byte, program bool) {
		if manyTokens.Match(text) {
			return
		}
		opts := weka.Options{Basis: weka.BasisAuto}
		if program {
			opts.Semantics = semantics.AISimulate013
		}
		one := fuzzRead(t, filepath.Join(dir, "a.json"), text, opts)
		lines := fuzzRead(t, filepath.Join(dir, "a.jsonl"), text, opts)
		if one != nil { // a document is also the only one of a .jsonl file, under another name
			require.NotNil(t, lines)
			require.Equal(t, one.Requests, lines.Requests)
			require.Equal(t, one.Edges, lines.Edges)
			require.Equal(t, one.Sessions, lines.Sessions)
			require.Equal(t, one.Models, lines.Models)
		}
	})
}

// fuzzRead returns the summary of a file, nil if it is refused.
func fuzzRead(t *testing.T, path string, text []byte, opts weka.Options) *graph.Summary {
	require.NoError(t, os.WriteFile(path, text, 0o644))
	var results [2]*graph.Summary
	var problems [2]string
	for i, jobs := range []int{1, 3} {
		opts.Jobs = jobs
		trace, err := weka.Open(t.Context(), path, opts)
		if err == nil {
			var summary graph.Summary
			if summary, err = trace.Summary(t.Context()); err == nil {
				results[i] = &summary
				requireGraph(t, trace, summary)
			}
		}
		if err != nil {
			problems[i] = err.Error()
			require.Less(t, len(problems[i]), 20_000)
		}
	}
	require.Equal(t, results[0], results[1])
	require.Equal(t, problems[0], problems[1])
	return results[0]
}

// requireGraph holds all plays of a trace against the rules of graphs.
func requireGraph(t *testing.T, trace *weka.Trace, summary graph.Summary) {
	plays, requests := 0, 0
	for play, err := range trace.Plays(t.Context()) {
		require.NoError(t, err)
		require.Equal(t, uint64(plays), play.Ordinal)
		plays++
		requests += len(play.Nodes)
		known := map[string]bool{}
		for i := range play.Nodes {
			known[play.Nodes[i].RequestID] = true
		}
		require.Len(t, known, len(play.Nodes))
		roots := 0
		for i := range play.Nodes {
			n := &play.Nodes[i]
			blocks := n.InputLength / summary.BlockSize
			if n.InputLength%summary.BlockSize != 0 {
				blocks++
			}
			require.Equal(t, blocks, uint64(n.HashIDs.Len()))
			ids := 0
			for range n.HashIDs.All {
				ids++
			}
			require.Equal(t, blocks, uint64(ids))
			require.True(t, n.NotBeforeMs >= 0 && !math.IsInf(n.NotBeforeMs, 0))
			if len(n.Dependencies) == 0 {
				roots++
			}
			for _, d := range n.Dependencies {
				require.True(t, known[d.Predecessor] && d.Predecessor != n.RequestID)
				require.True(t, d.Relation.Allowed(d.Trigger), "%v on %v", d.Relation, d.Trigger)
				require.True(t, d.DelayMs >= 0 && !math.IsInf(d.DelayMs, 0))
			}
		}
		require.Equal(t, 1, roots)
		require.False(t, hasCycle(play.Nodes))
	}
	require.Equal(t, summary.Plays, plays)
	require.Equal(t, summary.Requests, requests)
}
