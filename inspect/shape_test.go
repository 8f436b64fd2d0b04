package inspect

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/graph"
)

func TestShape(t *testing.T) {
	n := func(id string, predecessors ...string) graph.Node { return after(node(id, 0, 1), predecessors...) }
	tests := map[string]struct {
		nodes  []graph.Node
		depth  int
		fanOut []int
	}{
		"alone":       {[]graph.Node{n("a")}, 1, []int{0}},
		"no edges":    {[]graph.Node{n("a"), n("b")}, 1, []int{0, 0}},
		"chain":       {[]graph.Node{n("a"), n("b", "a"), n("c", "b")}, 3, []int{1, 1, 0}},
		"backwards":   {[]graph.Node{n("a", "b"), n("b", "c"), n("c")}, 3, []int{0, 1, 1}},
		"diamond":     {[]graph.Node{n("a"), n("b", "a"), n("c", "a"), n("d", "b", "c")}, 3, []int{2, 1, 1, 0}},
		"short cut":   {[]graph.Node{n("a"), n("b", "a"), n("c", "a", "b")}, 3, []int{2, 1, 0}},
		"edge twice":  {[]graph.Node{n("a"), n("b", "a", "a"), n("c", "a", "b", "a")}, 3, []int{2, 1, 0}},
		"two streams": {[]graph.Node{n("a"), n("b", "a"), n("x", "a"), n("y", "x"), n("z", "y")}, 4, []int{2, 0, 1, 1, 0}},
	}
	var s shape
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, test.depth, s.measure(play(t, test.nodes...)))
			require.Equal(t, test.fanOut, s.fanOut)
		})
	}
}

func TestShapeIsThePlainOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	var s shape
	for range 200 {
		p := play(t, someNodes(rng, 0)...)
		var chain func(i int) int
		chain = func(i int) int {
			longest := 0
			for _, before := range p.Predecessors(i) {
				longest = max(longest, chain(int(before)))
			}
			return 1 + longest
		}
		depth, successors := 0, map[[2]int]bool{}
		for i := range p.Nodes {
			depth = max(depth, chain(i))
			for _, before := range p.Predecessors(i) {
				successors[[2]int{int(before), i}] = true
			}
		}
		fanOut := make([]int, len(p.Nodes))
		for pair := range successors {
			fanOut[pair[0]]++
		}
		require.Equal(t, depth, s.measure(p))
		require.Equal(t, fanOut, s.fanOut)
	}
}
