package inspect

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRecencyIsAPile(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for range 20 {
		var r recency
		var pile []int // slots from the bottom up
		for range 2000 {
			switch k := rng.IntN(10); {
			case k < 6 || len(pile) == 0:
				pile = append(pile, r.push())
			case k < 9:
				// Take out a piece whose slots are consecutive.
				from := rng.IntN(len(pile))
				to := from + 1
				for to < len(pile) && to-from < 200 && pile[to] == pile[to-1]+1 {
					to++
				}
				r.remove(pile[from], to-from)
				pile = slices.Delete(pile, from, to)
			case rng.IntN(20) == 0:
				for i, slot := range pile {
					pile[i] = r.packed(slot)
					require.Equal(t, i, pile[i])
				}
				r.pack()
			}
			if len(pile) > 0 {
				i := rng.IntN(len(pile))
				require.Equal(t, len(pile)-1-i, r.above(pile[i]))
			}
		}
		for i, slot := range pile {
			require.Equal(t, len(pile)-1-i, r.above(slot))
		}
	}
}
