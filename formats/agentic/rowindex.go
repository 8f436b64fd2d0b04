package agentic

// rowIndex finds a row by the hash of its id: a hash table with open
// addressing that holds row numbers, in a third of the memory of a map.
type rowIndex struct {
	hashes column[uint64] // of the rows
	slots  []int32        // row number + 1; 0 is empty
}

// find returns the row with that hash.
func (x *rowIndex) find(hash uint64) (row int32, known bool) {
	if len(x.slots) == 0 {
		return 0, false
	}
	slot := x.slotOf(hash)
	return x.slots[slot] - 1, x.slots[slot] != 0
}

// add adds the next row. Its hash must be a new one.
func (x *rowIndex) add(hash uint64) {
	if 4*(x.hashes.size+1) > 3*len(x.slots) {
		x.slots = make([]int32, max(2*len(x.slots), 64))
		for row := range x.hashes.size {
			x.slots[x.slotOf(x.hashes.at(row))] = int32(row + 1)
		}
	}
	x.slots[x.slotOf(hash)] = int32(x.hashes.size + 1)
	x.hashes.add(hash)
}

// slotOf returns the slot that holds a hash, or the empty one where it would
// go. There always is one, as the table is never full.
func (x *rowIndex) slotOf(hash uint64) int {
	mask := len(x.slots) - 1
	for slot := int(hash) & mask; ; slot = (slot + 1) & mask {
		if row := x.slots[slot]; row == 0 || x.hashes.at(int(row-1)) == hash {
			return slot
		}
	}
}
