package inspect

import "math/bits"

// recency is a pile of things with random access: it knows how many lie above
// any of them. Each gets the next slot when it is put on top, and leaves a hole
// when it is taken out. A slot costs two bits, a hole too until the pile is
// packed. All operations take time logarithmic in slots / 64.
type recency struct {
	words []uint64 // a bit for each slot, set while it is taken
	tree  []int    // Fenwick tree: tree[i] is the number of bits in words i&(i+1) … i
	next  int      // slot
	live  int      // bits set
}

// push puts something on top and returns its slot.
func (r *recency) push() (slot int) {
	slot = r.next
	r.next++
	r.live++
	last := slot / 64
	if last == len(r.words) {
		inside := 0 // what the tree counts before this word and below its node
		for i := last - 1; i >= last&(last+1); i = i&(i+1) - 1 {
			inside += r.tree[i]
		}
		r.words = append(r.words, 0)
		r.tree = append(r.tree, inside)
	}
	r.words[last] |= 1 << (slot % 64)
	r.tree[last]++ // no later node exists yet
	return slot
}

// remove takes out what lies in n slots from first on, all of them taken.
func (r *recency) remove(first, n int) {
	r.live -= n
	for n > 0 {
		word, bit := first/64, first%64
		count := min(n, 64-bit)
		r.words[word] &^= (1<<count - 1) << bit
		for i := word; i < len(r.tree); i |= i + 1 {
			r.tree[i] -= count
		}
		first += count
		n -= count
	}
}

// above returns how many things lie above a slot that is taken.
func (r *recency) above(slot int) int {
	word := slot / 64
	upTo := bits.OnesCount64(r.words[word] << (63 - slot%64))
	for i := word - 1; i >= 0; i = i&(i+1) - 1 {
		upTo += r.tree[i]
	}
	return r.live - upTo
}

// sparse tells whether holes are so many that packing pays.
func (r *recency) sparse() bool { return r.next >= 2*r.live+1<<16 }

// packed returns the slot that what lies in a slot gets by pack.
func (r *recency) packed(slot int) int { return r.live - 1 - r.above(slot) }

// pack closes all holes.
func (r *recency) pack() {
	live := r.live
	r.reset()
	for range live {
		r.push()
	}
}

// reset empties the pile.
func (r *recency) reset() {
	r.words, r.tree, r.next, r.live = r.words[:0], r.tree[:0], 0, 0
}
