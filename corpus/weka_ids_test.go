package corpus

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func naiveIDs(ids []int) string {
	words := make([]string, len(ids))
	for i, id := range ids {
		words[i] = strconv.Itoa(id)
	}
	return strings.Join(words, ",")
}

// The list that keeps its text says the same as one printed anew each time.
func TestIDListIsTheNaiveOne(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	var fast, copied idList
	var naive []int
	next := 0
	for range 2000 {
		keep, add := r.IntN(len(naive)+1), r.IntN(20)
		naive = naive[:keep]
		for i := range add {
			naive = append(naive, next+i)
		}
		fast.move(keep, add, &next)
		require.Equal(t, naiveIDs(naive), string(fast.text))
		require.Len(t, fast.ends, len(naive))

		n := r.IntN(len(naive) + 1)
		copied.copyFrom(&fast, n)
		require.Equal(t, naiveIDs(naive[:n]), string(copied.text))
		require.True(t, slices.Equal(fast.ends[:n], copied.ends))
	}
}
