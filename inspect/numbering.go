package inspect

import "math/bits"

// numbering numbers blocks from 0 in the order in which they are first seen,
// so that the blocks of a prompt mostly have consecutive numbers. (32 bits
// suffice: there is no memory for more blocks.)
type numbering struct {
	ids   []uint64 // by number
	table []uint32 // hash table by open addressing, at most half full: number + 1, 0 in an empty place
}

// number returns the number of a block, and whether it was seen before. If it
// has the number that is guessed, it is found without a search.
func (n *numbering) number(id uint64, guess int) (number int, known bool) {
	if guess < len(n.ids) && n.ids[guess] == id {
		return guess, true
	}
	if 2*len(n.ids) >= len(n.table) {
		n.grow()
	}
	i := n.home(id)
	for ; n.table[i] != 0; i = (i + 1) & (len(n.table) - 1) {
		if number := int(n.table[i] - 1); n.ids[number] == id {
			return number, true
		}
	}
	n.ids = append(n.ids, id)
	n.table[i] = uint32(len(n.ids))
	return len(n.ids) - 1, false
}

func (n *numbering) grow() {
	n.table = make([]uint32, max(1024, 2*len(n.table)))
	for number, id := range n.ids {
		i := n.home(id)
		for n.table[i] != 0 {
			i = (i + 1) & (len(n.table) - 1)
		}
		n.table[i] = uint32(number + 1)
	}
}

// home spreads ids, which are often consecutive, by the golden ratio.
func (n *numbering) home(id uint64) int {
	return int(id * 0x9e3779b97f4a7c15 >> (64 - bits.TrailingZeros(uint(len(n.table)))))
}

// reset forgets all blocks.
func (n *numbering) reset() {
	n.ids = n.ids[:0]
	clear(n.table)
}
