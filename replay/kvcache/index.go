package kvcache

import "math/bits"

// index finds the first published block of a hash. Every pass looks blocks up
// and every eviction takes one out: hashes are their own hash values, and a
// deletion closes its gap, so that the table never needs to be cleaned up.
type index struct {
	slots []indexSlot // a power of two
	count int
}

type indexSlot struct {
	hash  Hash
	block int32 // number of the published block plus one; 0 is an empty slot
}

func (x *index) mask() int { return len(x.slots) - 1 }

// home is where a hash would lie if it were alone.
func (x *index) home(h Hash) int {
	return int(uint64(h) >> (64 - bits.TrailingZeros(uint(len(x.slots)))))
}

// find returns the slot that holds a hash, or the empty one where it would go.
func (x *index) find(h Hash) int {
	for i := x.home(h); ; i = (i + 1) & x.mask() {
		if s := &x.slots[i]; s.block == 0 || s.hash == h {
			return i
		}
	}
}

func (x *index) get(h Hash) (block int32, known bool) {
	if x.count == 0 {
		return 0, false
	}
	s := x.slots[x.find(h)]
	return s.block - 1, s.block != 0
}

// add gives a hash that is not known its first block, or returns the one that
// it has.
func (x *index) add(h Hash, block int32) (first int32, known bool) {
	if 2*(x.count+1) > len(x.slots) {
		x.grow()
	}
	s := &x.slots[x.find(h)]
	if s.block != 0 {
		return s.block - 1, true
	}
	*s = indexSlot{h, block + 1}
	x.count++
	return block, false
}

func (x *index) grow() {
	old := x.slots
	x.slots = make([]indexSlot, max(64, 2*len(old)))
	for _, s := range old {
		if s.block != 0 {
			x.slots[x.find(s.hash)] = s
		}
	}
}

// remove empties slot i. What lies behind it moves up as long as that brings
// it no further from home than it may be.
func (x *index) remove(i int) {
	for k := (i + 1) & x.mask(); x.slots[k].block != 0; k = (k + 1) & x.mask() {
		if home := x.home(x.slots[k].hash); (k-home)&x.mask() >= (k-i)&x.mask() {
			x.slots[i] = x.slots[k]
			i = k
		}
	}
	x.slots[i] = indexSlot{}
	x.count--
}
