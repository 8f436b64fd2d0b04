package kvcache

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// The index against a map, with hashes that crowd one place.
func TestIndexAgainstMap(t *testing.T) {
	random := rand.New(rand.NewPCG(5, 6))
	var x index
	twin := map[Hash]int32{}
	for range 200_000 {
		h := Hash(random.Uint64N(40))<<56 | Hash(random.Uint64N(8))
		switch _, known := twin[h]; {
		case known && random.IntN(2) == 0:
			x.remove(x.find(h))
			delete(twin, h)
		default:
			block := random.Int32N(1000)
			first, had := x.add(h, block)
			require.Equal(t, known, had)
			if !known {
				twin[h] = block
			}
			require.Equal(t, twin[h], first)
		}
		h = Hash(random.Uint64N(40))<<56 | Hash(random.Uint64N(8))
		got, known := x.get(h)
		want, wanted := twin[h]
		require.Equal(t, wanted, known)
		if wanted {
			require.Equal(t, want, got)
		}
		require.Equal(t, len(twin), x.count)
	}
}
