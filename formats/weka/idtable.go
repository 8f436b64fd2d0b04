package weka

import "math/bits"

// idTable maps 64-bit ids to 64-bit values. It is emptied in no time and
// keeps its memory, which the runtime's map does not: a corpus fills one anew
// for each of its plays, with thousands of ids.
type idTable struct {
	slots []slot
	round uint32 // slots of an earlier round are empty
	count int
}

type slot struct {
	id, value uint64
	round     uint32
}

func (t *idTable) reset() {
	t.round++
	t.count = 0
	if t.round == 0 { // wrapped around: old marks would come alive
		clear(t.slots)
		t.round = 1
	}
}

func (t *idTable) get(id uint64) (value uint64, known bool) {
	if len(t.slots) == 0 {
		return 0, false
	}
	for i := t.home(id); t.slots[i].round == t.round; i = (i + 1) & (len(t.slots) - 1) {
		if t.slots[i].id == id {
			return t.slots[i].value, true
		}
	}
	return 0, false
}

// put adds an id that is not in the table.
func (t *idTable) put(id, value uint64) {
	if t.count >= len(t.slots)/2 {
		t.grow()
	}
	i := t.home(id)
	for t.slots[i].round == t.round {
		i = (i + 1) & (len(t.slots) - 1)
	}
	t.slots[i] = slot{id, value, t.round}
	t.count++
}

func (t *idTable) grow() {
	old := t.slots
	t.slots = make([]slot, max(1024, 2*len(old)))
	t.count = 0
	for _, s := range old {
		if s.round == t.round {
			t.put(s.id, s.value)
		}
	}
}

// home spreads ids, which are often consecutive, by the golden ratio.
func (t *idTable) home(id uint64) int {
	return int(id * 0x9e3779b97f4a7c15 >> (64 - bits.TrailingZeros(uint(len(t.slots)))))
}
