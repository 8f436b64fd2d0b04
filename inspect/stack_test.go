package inspect

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/graph"
)

// plainStack is the rule of stack in as many words: blocks of a prompt are
// looked up one after the other, and each is put behind those before it.
type plainStack struct {
	blocks    []uint64 // from the top down
	distances []int    // of all references that found their block
	distinct  int
}

func (s *plainStack) prompt(ids graph.HashIDs) {
	front := 0
	for id := range ids.All {
		at := slices.Index(s.blocks, id)
		switch {
		case at < 0:
			s.distinct++
			s.blocks = slices.Insert(s.blocks, front, id)
			front++
		case at < front: // the prompt repeats it
			s.distances = append(s.distances, at)
		default:
			s.distances = append(s.distances, at)
			s.blocks = slices.Insert(slices.Delete(s.blocks, at, at+1), front, id)
			front++
		}
	}
}

func (s *plainStack) hits(size int) (hits int) {
	for _, d := range s.distances {
		if d < size {
			hits++
		}
	}
	return hits
}

func TestStackByHand(t *testing.T) {
	tests := map[string]struct {
		prompts   [][]uint64
		distances []int
		distinct  int
	}{
		"nothing comes back":     {[][]uint64{{1, 2}, {3}}, nil, 3},
		"the same again":         {[][]uint64{{1, 2, 3}, {1, 2, 3}}, []int{0, 1, 2}, 3},
		"it grows":               {[][]uint64{{1, 2}, {1, 2, 3, 4}, {1, 2, 3, 4}}, []int{0, 1, 0, 1, 2, 3}, 4},
		"it shrinks":             {[][]uint64{{1, 2, 3}, {1}, {1, 2, 3}}, []int{0, 0, 1, 2}, 3},
		"another tail":           {[][]uint64{{1, 2, 3}, {1, 4}, {1, 2, 3}}, []int{0, 0, 2, 3}, 4}, // 1 4 2 3
		"two take turns":         {[][]uint64{{1, 2}, {3, 4, 5}, {1, 2}, {3, 4, 5}}, []int{3, 4, 2, 3, 4}, 5},
		"common prefix, turns":   {[][]uint64{{1, 2, 3}, {1, 4, 5}, {1, 2, 3}}, []int{0, 0, 3, 4}, 5}, // 1 4 5 2 3
		"a block twice":          {[][]uint64{{1, 2, 1, 2}}, []int{0, 1}, 2},
		"twice, then once":       {[][]uint64{{1, 1, 2}, {1, 1, 2, 3}}, []int{0, 0, 0, 1}, 3},
		"backwards":              {[][]uint64{{1, 2, 3}, {3, 2, 1}}, []int{2, 2, 2}, 3},
		"something put in front": {[][]uint64{{1, 2}, {9, 1, 2}}, []int{1, 2}, 3},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			var sizes []int
			for size := range 8 {
				sizes = append(sizes, size)
			}
			s, plain := newStack(sizes), &plainStack{}
			for _, ids := range test.prompts {
				s.prompt(hashIDs(len(ids), ids...))
				plain.prompt(hashIDs(len(ids), ids...))
			}
			require.Equal(t, test.distances, plain.distances)
			require.Equal(t, test.distinct, s.distinct)
			for i, size := range sizes {
				require.Equal(t, plain.hits(size), s.hits[i], "cache of %d blocks", size)
			}
		})
	}
}

func TestStackIsThePlainOne(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	sizes := []int{0, 1, 2, 5, 10, 25, 60, 100, 200, 400, 1 << 30}
	for round := range 300 {
		s, plain := newStack(sizes), &plainStack{}
		references := 0
		for _, n := range someNodes(rng, uint64(round)) {
			s.prompt(n.HashIDs)
			plain.prompt(n.HashIDs)
			references += n.HashIDs.Len()
			if rng.IntN(10) == 0 {
				s.endPlay()
			}
		}
		require.Equal(t, references, s.references)
		require.Equal(t, plain.distinct, s.distinct)
		for i, size := range sizes {
			require.Equal(t, plain.hits(size), s.hits[i], "round %d, cache of %d blocks", round, size)
		}
		require.Equal(t, references-plain.distinct, s.hits[len(sizes)-1])
	}
}

// Packing comes only after many holes, which small prompts do not make.
func TestStackIsPacked(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	prompts := make([]graph.HashIDs, 5)
	for i := range prompts {
		var ids []uint64
		for k := range 150 {
			ids = append(ids, uint64(k/(i+20)*1000+k))
		}
		rng.Shuffle(i*20, func(a, b int) { ids[a], ids[b] = ids[b], ids[a] })
		prompts[i] = hashIDs(len(ids), ids...)
	}
	s, plain := newStack([]int{100, 200, 300, 400}), &plainStack{}
	packed, slots := false, 0
	for range 2000 {
		ids := prompts[rng.IntN(len(prompts))]
		s.prompt(ids)
		plain.prompt(ids)
		packed = packed || s.below.next < slots
		slots = s.below.next
	}
	require.True(t, packed)
	for i, size := range s.sizes {
		require.Equal(t, plain.hits(size), s.hits[i], "cache of %d blocks", size)
	}
}

// Where block names are chained, as in a prefix cache, what a cache of any
// size holds of a prompt is a beginning of it.
func TestHitsAreABeginning(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	var s plainStack
	for range 500 {
		// A path in a tree, in which a block's name tells the whole path.
		var ids []uint64
		name := uint64(1)
		for range 1 + rng.IntN(8) {
			name = 3*name + uint64(rng.IntN(3))
			ids = append(ids, name)
		}
		before := len(s.distances)
		s.prompt(hashIDs(len(ids), ids...))
		require.IsIncreasing(t, append([]int{-2, -1}, s.distances[before:]...))
	}
}
