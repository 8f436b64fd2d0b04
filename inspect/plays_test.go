package inspect

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/graph"
)

// integers writes ids as text.
func integers(ids ...uint64) graph.Integers {
	var text []byte
	for i, id := range ids {
		if i > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendUint(text, id, 10)
	}
	return graph.Integers{Text: text, Len: len(ids)}
}

// hashIDs puts ids into a head, and the rest into a tail.
func hashIDs(head int, ids ...uint64) graph.HashIDs {
	return graph.HashIDs{Head: integers(ids[:head]...), Tail: integers(ids[head:]...)}
}

// node has the blocks that are given, of 10 tokens each.
func node(id string, at float64, blocks ...uint64) graph.Node {
	return graph.Node{
		RequestID: id, PlayID: "p", SessionID: "s", Model: "m", NotBeforeMs: at,
		InputLength: 10 * uint64(len(blocks)), MaxOutputTokens: 1, HashIDs: hashIDs(len(blocks), blocks...),
	}
}

func after(n graph.Node, predecessors ...string) graph.Node {
	for _, p := range predecessors {
		n.Dependencies = append(n.Dependencies, graph.Dependency{Predecessor: p, Trigger: graph.Completion})
	}
	return n
}

func play(t testing.TB, nodes ...graph.Node) *graph.Play {
	p, err := graph.NewPlay(nodes)
	require.NoError(t, err)
	return p
}

// someNodes draws the nodes of a play: prompts that grow, shrink, start anew,
// go back to an earlier one or repeat a block, with edges between them. No
// block is less than base.
func someNodes(rng *rand.Rand, base uint64) []graph.Node {
	fresh := base
	draw := func(n int) (ids []uint64) {
		for range n {
			ids = append(ids, fresh)
			fresh++
		}
		return ids
	}
	prompts := [][]uint64{draw(1 + rng.IntN(90))}
	var nodes []graph.Node
	for i := range 1 + rng.IntN(30) {
		prompt := prompts[len(prompts)-1]
		if rng.IntN(3) == 0 {
			prompt = prompts[rng.IntN(len(prompts))]
		}
		prompt = slices.Clone(prompt[:len(prompt)-rng.IntN(1+rng.IntN(len(prompt)))])
		prompt = append(prompt, draw(rng.IntN(1+rng.IntN(40)))...)
		switch rng.IntN(12) {
		case 0:
			prompt = append(prompt, prompt[rng.IntN(len(prompt))])
		case 1:
			rng.Shuffle(len(prompt), func(i, j int) { prompt[i], prompt[j] = prompt[j], prompt[i] })
		case 2:
			prompt = append(draw(1+rng.IntN(3)), prompt...)
		}
		prompts = append(prompts, prompt)
		n := node(fmt.Sprintf("r%03d", rng.IntN(10)*100+i), float64(rng.IntN(40)), prompt...)
		n.HashIDs = hashIDs(rng.IntN(len(prompt)+1), prompt...)
		n.SessionID, n.Model = fmt.Sprint("s", rng.IntN(4)), fmt.Sprint("m", rng.IntN(2))
		n.MaxOutputTokens = uint64(rng.IntN(50))
		for range rng.IntN(4) {
			if i > 0 {
				n = after(n, nodes[rng.IntN(i)].RequestID)
			}
		}
		nodes = append(nodes, n)
	}
	return nodes
}
