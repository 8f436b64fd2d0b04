package corpus

import (
	"math/bits"
	"math/rand/v2"
)

// certain is the chance, in basis points, of what always happens.
const certain = 10_000

// dice is the randomness of one play. It draws integers from integers: floating
// point would let the last digit, and so the bytes of a corpus, depend on
// whether a processor fuses multiplication and addition.
type dice struct {
	pcg *rand.PCG
}

// newDice returns the dice of one play. Seed and ordinal are scrambled because
// neighbours in either would start PCG in neighbouring states.
func newDice(seed, profile, ordinal uint64) dice {
	return dice{rand.NewPCG(scramble(seed+scramble(profile)), scramble(ordinal))}
}

// scramble is the finalizer of SplitMix64: every input bit reaches every output bit.
func scramble(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// below returns a uniform number in [0, n). It takes the high half of a
// product instead of a remainder; the bias of n/2^64 is far below anything a
// corpus could show.
func (d dice) below(n int) int {
	hi, _ := bits.Mul64(d.pcg.Uint64(), uint64(n))
	return int(hi)
}

// between returns a uniform number in [lo, hi].
func (d dice) between(lo, hi int) int {
	return lo + d.below(hi-lo+1)
}

// chance reports true in basisPoints of 10,000 cases.
func (d dice) chance(basisPoints int) bool {
	return d.below(certain) < basisPoints
}

// pick returns an index with a probability in proportion to its weight.
func (d dice) pick(weights []int) int {
	return d.pickBy(len(weights), func(i int) int { return weights[i] })
}

// weighted is one of several things that are not equally likely.
type weighted[T any] struct {
	weight int
	is     T
}

// choose returns one of the list with a probability in proportion to its weight.
func choose[T any](d dice, list []weighted[T]) *T {
	return &list[d.pickBy(len(list), func(i int) int { return list[i].weight })].is
}

func (d dice) pickBy(n int, weight func(int) int) int {
	total := 0
	for i := range n {
		total += weight(i)
	}
	at := d.below(total)
	for i := range n {
		if at < weight(i) {
			return i
		}
		at -= weight(i)
	}
	panic("corpus: nothing to pick from")
}

// mark is one known point of a distribution: basisPoints of 10,000 values are
// not above value.
type mark struct {
	basisPoints, value int
}

// quantiles describes a distribution by marks in ascending order from 0 to
// 10,000 basis points. A measured distribution is written down as it was
// measured, and a normal, lognormal or exponential one as its quantiles, so
// one transform serves all: a uniform number chooses the place between two
// marks, and the value is interpolated linearly and rounded half up.
type quantiles []mark

// draw returns a value of the distribution.
func (d dice) draw(q quantiles) int {
	return q.at(d.pcg.Uint64())
}

// at returns the value at the given place, in parts of 2^64 of the whole.
func (q quantiles) at(place uint64) int {
	const parts = 1_000_000 // of a basis point: values must not move in steps of the marks
	hi, _ := bits.Mul64(place, certain*parts)
	at := int(hi)
	i := 1
	for i < len(q)-1 && at >= q[i].basisPoints*parts {
		i++
	}
	lower, upper := q[i-1], q[i]
	width := (upper.basisPoints - lower.basisPoints) * parts
	rise := (upper.value - lower.value) * (at - lower.basisPoints*parts)
	return lower.value + (rise+width/2)/width
}

// spread returns the place of an ordinal in a sequence that covers the whole
// evenly, however long it is: multiples of the golden ratio, from a start that
// depends on the seed.
func spread(seed uint64, ordinal int) uint64 {
	return scramble(seed) + uint64(ordinal)*0x9e3779b97f4a7c15
}
