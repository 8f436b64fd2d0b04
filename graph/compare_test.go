package graph_test

import (
	"encoding/json"
	"errors"
	"iter"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/graph"
)

func walk(nodes []graph.Node) iter.Seq2[*graph.Node, error] {
	return func(yield func(*graph.Node, error) bool) {
		for i := range nodes {
			if !yield(&nodes[i], nil) {
				return
			}
		}
	}
}

// Every field is told by name, with both values.
func TestCompareNamesTheField(t *testing.T) {
	class, empty := "gold", ""
	one, other := ids("1"), ids("2")
	for _, c := range []struct {
		change               func(*graph.Node)
		field, first, second string
	}{
		{func(n *graph.Node) { n.PlayID = "q" }, "play_id", `"p"`, `"q"`},
		{func(n *graph.Node) { n.HasOrdinal = true }, "source_play_ordinal", "null", "0"},
		{func(n *graph.Node) { n.SessionID = "\n" }, "session_id", `"s"`, `"\n"`},
		{func(n *graph.Node) { n.Model = "x" }, "model", `"m"`, `"x"`},
		{func(n *graph.Node) { n.InputLength = 63 }, "input_length", "64", "63"},
		{func(n *graph.Node) { n.MaxOutputTokens = 2 }, "max_output_tokens", "1", "2"},
		{func(n *graph.Node) { n.OutputTokenIDs = &one }, "output_token_ids", "null", "1 ids"},
		{func(n *graph.Node) { n.HashIDs = graph.HashIDs{Head: other} }, "hash_ids[0]", "1", "2"},
		{func(n *graph.Node) { n.HashIDs = graph.HashIDs{Head: one, Tail: other} }, "hash_ids[1]", "", "2"},
		{func(n *graph.Node) { n.NotBeforeMs = 1e-6 }, "not_before_ms", "0.0", "1e-6"},
		{func(n *graph.Node) { n.HasAPITime = true }, "recorded_api_time_ms", "null", "0.0"},
		{func(n *graph.Node) { n.Priority = -1 }, "priority", "0", "-1"},
		{func(n *graph.Node) { n.StrictPriority = 1 }, "strict_priority", "0", "1"},
		{func(n *graph.Node) { n.PolicyClass = &class }, "policy_class", "null", `"gold"`},
		{func(n *graph.Node) { n.PolicyClass = &empty }, "policy_class", "null", `""`},
		{func(n *graph.Node) { n.Dependencies = []graph.Dependency{after("z")} }, "dependencies[0]", "",
			`{"request_id":"z","trigger":"completion","delay_ms":0.0,"relation":"sequence"}`},
	} {
		a, b := []graph.Node{node("r", 0)}, []graph.Node{node("r", 0)}
		c.change(&b[0])
		got, err := graph.Compare(walk(a), walk(b))
		require.NoError(t, err)
		require.Equal(t, graph.Comparison{Changed: 1, First: &graph.Difference{PlayID: "p", RequestID: "r", Field: c.field, First: c.first, Second: c.second}}, got)
	}
	a, b := node("r", 0), node("r", 0)
	a.OutputTokenIDs, b.OutputTokenIDs = &one, &other
	got, err := graph.Compare(walk([]graph.Node{a}), walk([]graph.Node{b}))
	require.NoError(t, err)
	require.Equal(t, "output_token_ids[0]", got.First.Field)
}

func TestCompareCountsNodes(t *testing.T) {
	changed := node("c", 1)
	got, err := graph.Compare(
		walk([]graph.Node{node("b", 0), node("c", 0), node("d", 0), node("x", 0)}),
		walk([]graph.Node{node("a", 0), changed, node("d", 0), node("e", 0)}))
	require.NoError(t, err)
	require.Equal(t, graph.Comparison{Missing: 2, Extra: 2, Changed: 1, First: &graph.Difference{PlayID: "p", RequestID: "a", Field: "request_id", Second: `"a"`}}, got)
	got, err = graph.Compare(walk(exampleC()), walk(exampleC()))
	require.NoError(t, err)
	require.Equal(t, graph.Comparison{}, got)
}

// The order of edges in a file is not a difference.
func TestCompareIgnoresEdgeOrder(t *testing.T) {
	got, err := graph.Compare(walk([]graph.Node{node("r", 0, after("a"), after("b"))}), walk([]graph.Node{node("r", 0, after("b"), after("a"))}))
	require.NoError(t, err)
	require.Nil(t, got.First)
}

func TestCompareReportsReadErrors(t *testing.T) {
	failure := errors.New("disk on fire")
	broken := func(yield func(*graph.Node, error) bool) {
		n := node("a", 0)
		if yield(&n, nil) {
			yield(nil, failure)
		}
	}
	_, err := graph.Compare(broken, walk([]graph.Node{node("a", 0)}))
	require.ErrorIs(t, err, failure)
	_, err = graph.Compare(walk([]graph.Node{node("a", 0)}), broken)
	require.ErrorIs(t, err, failure)
}

func TestFingerprints(t *testing.T) {
	var f graph.Fingerprinter
	a, b := node("a", 0), node("b", 0)
	require.Equal(t, f.Node(&a), f.Node(&a))
	require.NotEqual(t, f.Node(&a), f.Node(&b))
}

func TestIdentical(t *testing.T) {
	a := graph.Identity{Source: graph.Source{Format: "f", Digest: "d"}, GraphDigest: "g", BlockSize: 64, Plays: 1, Requests: 2, Models: []string{"m"}}
	require.True(t, a.Identical(a))
	for _, change := range []func(*graph.Identity){
		func(i *graph.Identity) { i.Source.Digest = "x" },
		func(i *graph.Identity) { i.GraphDigest = "x" },
		func(i *graph.Identity) { i.BlockSize++ },
		func(i *graph.Identity) { i.Plays++ },
		func(i *graph.Identity) { i.Requests++ },
		func(i *graph.Identity) { i.Models = nil },
	} {
		b := a
		change(&b)
		require.False(t, a.Identical(b))
	}
}

func TestEdgeCounts(t *testing.T) {
	var c, sum graph.EdgeCounts
	c.Add([]graph.Dependency{{Relation: graph.Spawn, Trigger: graph.Dispatch}, {Relation: graph.Join, Trigger: graph.Completion}})
	sum.Merge(c)
	sum.Merge(c)
	require.Equal(t, 4, sum.Total())
	text, err := json.Marshal(sum)
	require.NoError(t, err)
	require.Equal(t, `{"sequence":{"dispatch":0,"completion":0},"spawn":{"dispatch":2,"completion":0},"join":{"dispatch":0,"completion":2},"replay_barrier":{"dispatch":0,"completion":0}}`, string(text))
}
