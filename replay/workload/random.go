package workload

import (
	"math"
	"math/bits"
)

// random is the generator of all draws (loadgen.md 2): ChaCha with 12 rounds.
type random struct {
	key     [8]uint32
	counter uint64
	block   [16]uint32
	next    int // word of block that comes next
}

// newRandom expands a seed to a key.
func newRandom(seed uint64) *random {
	r := &random{next: 16}
	for i := range r.key {
		seed = seed*6364136223846793005 + 11634580027462260723
		x := uint32(((seed >> 18) ^ seed) >> 27)
		r.key[i] = bits.RotateLeft32(x, -int(seed>>59))
	}
	return r
}

func (r *random) refill() {
	s := [16]uint32{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574,
		r.key[0], r.key[1], r.key[2], r.key[3], r.key[4], r.key[5], r.key[6], r.key[7],
		uint32(r.counter), uint32(r.counter >> 32), 0, 0}
	x := s
	const rounds = 12
	for range rounds / 2 {
		quarter(&x, 0, 4, 8, 12)
		quarter(&x, 1, 5, 9, 13)
		quarter(&x, 2, 6, 10, 14)
		quarter(&x, 3, 7, 11, 15)
		quarter(&x, 0, 5, 10, 15)
		quarter(&x, 1, 6, 11, 12)
		quarter(&x, 2, 7, 8, 13)
		quarter(&x, 3, 4, 9, 14)
	}
	for i := range x {
		r.block[i] = x[i] + s[i]
	}
	r.counter++
	r.next = 0
}

func quarter(x *[16]uint32, a, b, c, d int) {
	x[a] += x[b]
	x[d] = bits.RotateLeft32(x[d]^x[a], 16)
	x[c] += x[d]
	x[b] = bits.RotateLeft32(x[b]^x[c], 12)
	x[a] += x[b]
	x[d] = bits.RotateLeft32(x[d]^x[a], 8)
	x[c] += x[d]
	x[b] = bits.RotateLeft32(x[b]^x[c], 7)
}

func (r *random) uint32() uint32 {
	if r.next == len(r.block) {
		r.refill()
	}
	r.next++
	return r.block[r.next-1]
}

func (r *random) uint64() uint64 {
	low := uint64(r.uint32())
	return low | uint64(r.uint32())<<32
}

// real draws from [0,1).
func (r *random) real() float64 { return float64(r.uint64()>>11) * 0x1p-53 }

// below draws an integer from [0,n).
func (r *random) below(n uint32) uint32 {
	m := uint64(r.uint32()) * uint64(n)
	high, low := uint32(m>>32), uint32(m)
	if low > -n { // 2^32 - n
		if v := uint64(r.uint32()); uint64(low)+(v*uint64(n))>>32 >= 1<<32 {
			high++
		}
	}
	return high
}

// exponential draws a gap in milliseconds of a Poisson process of that rate
// per second.
func (r *random) exponential(rate float64) float64 {
	u := math.Max(1-r.real(), 0x1p-1022)
	return -(1000 / rate) * math.Log(u)
}
