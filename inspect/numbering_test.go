package inspect

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNumberingIsAMap(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	var n numbering
	for range 3 {
		plain := map[uint64]int{}
		for range 20_000 {
			id := rng.Uint64N(1<<13) << (16 * rng.IntN(4))
			want, seen := plain[id]
			if !seen {
				want = len(plain)
				plain[id] = want
			}
			number, known := n.number(id, rng.IntN(1<<13))
			require.Equal(t, seen, known)
			require.Equal(t, want, number)
		}
		n.reset()
	}
}

func TestNumberingGuess(t *testing.T) {
	var n numbering
	for i, id := range []uint64{70, 60, 50} {
		number, known := n.number(id, i)
		require.False(t, known)
		require.Equal(t, i, number)
	}
	for _, guess := range []int{0, 1, 2, 3, 1000} {
		number, known := n.number(60, guess)
		require.True(t, known)
		require.Equal(t, 1, number)
	}
}
