package weka_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tracekit/formats/weka"
	"tracekit/graph"
	"tracekit/internal/semantics"
)

// write puts a file into a folder and returns its path.
func write(t require.TestingT, dir, name, text string) string {
	path := filepath.Join(dir, name)
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	return path
}

// program are the options under which random documents are accepted.
func program(basis weka.Basis) weka.Options {
	return weka.Options{Semantics: semantics.AISimulate013, Basis: basis, Jobs: 2}
}

// flat puts the hash ids of a node into one piece of text and leaves nothing
// else to tell equal nodes apart.
func flat(n graph.Node) graph.Node {
	n.HashIDs = graph.HashIDs{Head: graph.Integers{Text: n.HashIDs.AppendText(nil), Len: n.HashIDs.Len()}}
	if len(n.Dependencies) == 0 {
		n.Dependencies = nil
	}
	return n
}

// Lowering gives the nodes that the plain twin gives, edges in the same order.
func TestLoweringAgainstPlainTwin(t *testing.T) {
	dir := t.TempDir()
	accepted, cycles, barriers, joins, workers := 0, 0, 0, 0, 0
	check := func(rt *rapid.T) {
		basis := rapid.SampledFrom([]weka.Basis{weka.BasisAbsolute, weka.BasisRelative}).Draw(rt, "basis")
		text := randomDocument(rt, basis)
		path := write(rt, dir, "d.json", string(text))
		want := plainLower(text, "d.json", 0, basis)
		trace, err := weka.Open(t.Context(), path, program(basis))
		require.NoError(rt, err, "%s", text)
		if hasCycle(want) {
			cycles++
			_, err := trace.Summary(t.Context())
			require.ErrorContains(rt, err, "cycle")
			return
		}
		accepted++
		plays := 0
		for play, err := range trace.Plays(t.Context()) {
			require.NoError(rt, err, "%s", text)
			plays++
			require.Equal(rt, len(want), len(play.Nodes))
			for i := range want {
				require.Equal(rt, flat(want[i]), flat(play.Nodes[i]), "%s", text)
				for _, d := range want[i].Dependencies {
					switch d.Relation {
					case graph.ReplayBarrier:
						barriers++
					case graph.Join:
						joins++
					case graph.Spawn:
						workers++
					}
				}
			}
		}
		require.Equal(rt, 1, plays)

		// The streaming view gives the same.
		i := 0
		for node, err := range trace.Nodes(t.Context()) {
			require.NoError(rt, err)
			require.Equal(rt, flat(want[i]), flat(*node))
			i++
		}
		require.Equal(rt, len(want), i)
	}
	for range 8 {
		rapid.Check(t, check)
	}
	// The documents are worth the name of a test.
	t.Logf("%d lowered, %d with a cycle; %d barriers, %d joins, %d spawns", accepted, cycles, barriers, joins, workers)
	require.NotZero(t, barriers)
	require.NotZero(t, joins)
	require.NotZero(t, workers)
}

// Corners that random documents seldom reach, against the plain twin.
func TestRareLowering(t *testing.T) {
	call := func(at, apiTime, hashIDs string) string {
		return `{"type":"n","t":` + at + `,"model":"m","in":40,"out":1,"hash_ids":` + hashIDs + `,"api_time":` + apiTime + `}`
	}
	for name, text := range map[string]string{
		// outer:3 is registered under itself before outer:2 is, which is the lower chain and shares as much.
		"two branches of a spliced chain": session(
			call("0", "1", "[1,2,3,4,5]"), call("2", "1", "[1,2,9]"), call("5", "0", "[1,2,7]"), call("5", "0", "[1,2,9,8,8,8]"), call("6", "1", "[1,2,6]")),
		"a join within the tolerance": session(call("1", "1", "[1]"), strings.Replace(aSubagent, `"api_time":1`, `"api_time":3.0000006`, 1), call("5", "1", "[1,2]"), call("9", "1", "[1,2,3]")),
		"no join beyond it":           session(call("1", "1", "[1]"), strings.Replace(aSubagent, `"api_time":1`, `"api_time":3.000002`, 1), call("5", "1", "[1,2]"), call("9", "1", "[1,2,3]")),
	} {
		trace, err := weka.Open(t.Context(), write(t, t.TempDir(), "a.json", text), program(weka.BasisAbsolute))
		require.NoError(t, err)
		want := plainLower([]byte(text), "a.json", 0, weka.BasisAbsolute)
		for play, err := range trace.Plays(t.Context()) {
			require.NoError(t, err)
			for i := range want {
				require.Equal(t, flat(want[i]), flat(play.Nodes[i]), name)
			}
		}
	}
}
