package graph_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/graph"
)

func after(id string) graph.Dependency {
	return graph.Dependency{Predecessor: id, Trigger: graph.Completion}
}

func TestNewPlay(t *testing.T) {
	nodes := []graph.Node{node("c", 0, after("b"), after("a"), after("b")), node("a", 0), node("b", 0, after("a"))}
	for i := range nodes {
		nodes[i].Ordinal, nodes[i].HasOrdinal = 7, true
	}
	p, err := graph.NewPlay(nodes)
	require.NoError(t, err)
	require.Equal(t, "p", p.ID)
	require.True(t, p.HasOrdinal)
	require.EqualValues(t, 7, p.Ordinal)
	require.Equal(t, "b", p.Nodes[1].RequestID)
	require.Empty(t, p.Predecessors(0))
	require.Equal(t, []int32{0}, p.Predecessors(1))
	require.Equal(t, []int32{1, 0, 1}, p.Predecessors(2))
}

func TestPlayRules(t *testing.T) {
	for _, c := range []struct {
		nodes []graph.Node
		want  string
	}{
		{[]graph.Node{node("a", 0), node("a", 1)}, `request "a": the request id is given twice; request ids are unique`},
		{[]graph.Node{node("a", 0, after("b"))}, `request "a": dependencies[0].request_id: the predecessor "b" is not a request of the play; an edge names another request of the same play`},
		{[]graph.Node{node("b", 0), node("a", 0, after("b"), after("a"))}, `request "a": dependencies[1].request_id: the request names itself as its predecessor; an edge names another request of the same play`},
		{[]graph.Node{node("a", 0, after("b")), node("b", 0, after("a"))}, `request "a": dependencies: the edges form a cycle: a waits for b waits for a; a graph has no cycles`},
	} {
		_, err := graph.NewPlay(c.nodes)
		var rule *graph.RuleError
		require.ErrorAs(t, err, &rule)
		require.EqualError(t, err, c.want)
	}
}

func TestCycleErrorIsShort(t *testing.T) {
	var names []string
	for i := range 100 {
		names = append(names, fmt.Sprint(i))
	}
	require.EqualError(t, graph.CycleError(names),
		`request "0": dependencies: the edges form a cycle: 0 waits for 1 waits for 2 waits for 3 waits for 4 waits for 5 … (100 requests in all); a graph has no cycles`)
}

// FindCycle agrees with the plain search, and what it returns is a cycle.
func TestFindCycle(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 3000 {
		n := 1 + random.IntN(8)
		edges := make([][]int32, n)
		for range random.IntN(2 * n) {
			at := random.IntN(n)
			edges[at] = append(edges[at], int32(random.IntN(n)))
		}
		cycle := graph.FindCycle(n, func(i int) []int32 { return edges[i] })
		require.Equal(t, plainHasCycle(edges), cycle != nil, "%v", edges)
		for i, at := range cycle {
			require.Contains(t, edges[at], int32(cycle[(i+1)%len(cycle)]))
		}
		if cycle != nil {
			found++
			slices.Sort(cycle)
			require.Len(t, slices.Compact(cycle), len(cycle))
		}
	}
	require.Greater(t, found, 500)
}

// plainHasCycle follows all edges from each node for as long as there are nodes.
func plainHasCycle(edges [][]int32) bool {
	for start := range edges {
		reached := map[int32]bool{int32(start): true}
		for range edges {
			next := map[int32]bool{}
			for at := range reached {
				for _, p := range edges[at] {
					next[p] = true
				}
			}
			if next[int32(start)] {
				return true
			}
			reached = next
		}
	}
	return false
}

// A chain of any length is walked without recursion.
func TestLongChain(t *testing.T) {
	const n = 1_000_000
	one := make([]int32, n)
	for i := range one {
		one[i] = int32((i + 1) % n)
	}
	require.Len(t, graph.FindCycle(n, func(i int) []int32 { return one[i : i+1] }), n)
	require.Nil(t, graph.FindCycle(n, func(i int) []int32 {
		if i == n-1 {
			return nil
		}
		return one[i : i+1]
	}))
}

func TestNames(t *testing.T) {
	for _, trigger := range []graph.Trigger{graph.Dispatch, graph.Completion} {
		parsed, known := graph.ParseTrigger([]byte(trigger.String()))
		require.True(t, known)
		require.Equal(t, trigger, parsed)
	}
	for _, relation := range []graph.Relation{graph.Sequence, graph.Spawn, graph.Join, graph.ReplayBarrier} {
		parsed, known := graph.ParseRelation([]byte(relation.String()))
		require.True(t, known)
		require.Equal(t, relation, parsed)
		require.True(t, relation.Allowed(graph.Completion))
		require.Equal(t, relation == graph.Spawn, relation.Allowed(graph.Dispatch))
	}
	_, known := graph.ParseTrigger([]byte("Dispatch"))
	require.False(t, known)
	_, known = graph.ParseRelation(nil)
	require.False(t, known)
}
