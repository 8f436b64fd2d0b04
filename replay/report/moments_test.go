package report

import (
	"math"
	"math/big"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestMomentsOfExtremes(t *testing.T) {
	var m moments
	require.Zero(t, m.mean())
	require.Zero(t, m.std())

	m.add(math.MaxFloat64, math.MaxInt32)
	require.Equal(t, math.MaxFloat64, m.mean())
	require.Zero(t, m.std())

	m = moments{}
	m.add(math.SmallestNonzeroFloat64, 3)
	require.Equal(t, math.SmallestNonzeroFloat64, m.mean())
	require.Zero(t, m.std())

	// Naive sums would lose the small ones, and the deviation with them.
	m = moments{}
	m.add(1e15, 1)
	m.add(1e15+1, 1)
	require.Equal(t, 1e15+0.5, m.mean())
	require.Equal(t, 0.5, m.std())
	require.Equal(t, 1e15, m.min)
	require.Equal(t, 1e15+1, m.max)
}

// The sums are those of exact arithmetic.
func TestMomentsAreExact(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sample := rapid.OneOf(rapid.Float64Range(0, math.MaxFloat64), rapid.Float64Range(0, 1000), rapid.Just(5e-324))
		var m moments
		sum, squares := new(big.Rat), new(big.Rat)
		for range rapid.IntRange(1, 12).Draw(t, "samples") {
			x := sample.Draw(t, "x")
			count := rapid.Int64Range(1, math.MaxInt64/16).Draw(t, "count")
			m.add(x, int(count))
			exact, weight := new(big.Rat).SetFloat64(x), new(big.Rat).SetInt64(count)
			sum.Add(sum, weight.Mul(weight, exact))
			squares.Add(squares, weight.Mul(weight, exact))
		}
		scale := func(words []uint64, exponent uint) *big.Rat {
			return new(big.Rat).SetFrac(integer(words), new(big.Int).Lsh(big.NewInt(1), exponent))
		}
		if scale(m.sum[:], -unit).Cmp(sum) != 0 || scale(m.squares[:], -2*unit).Cmp(squares) != 0 {
			t.Fatal("the sums are not exact")
		}
	})
}
