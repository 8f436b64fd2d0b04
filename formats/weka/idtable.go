package weka

import "math/bits"

// idTable maps 64-bit ids to 64-bit values. A corpus fills one anew for each
// of its plays, with thousands of ids: unlike the runtime's map it is emptied
// in no time, keeps its memory, and uses no more of it than a play needs, so
// that small plays stay in the processor's caches after a large one.
type idTable struct {
	memory []slot
	slots  []slot // the part of memory in use, a power of two
	round  uint32 // slots of an earlier round are empty
	count  int
}

type slot struct {
	id, value uint64
	round     uint32
}

// reset empties the table and makes it fit for about so many ids.
func (t *idTable) reset(expected int) {
	t.round++
	if t.round == 0 { // wrapped around: old marks would come alive
		clear(t.memory)
		t.round = 1
	}
	t.use(1 << bits.Len(uint(max(2*expected, 512))))
}

// use begins an empty table of n slots.
func (t *idTable) use(n int) {
	if n > len(t.memory) {
		t.memory = make([]slot, n)
	}
	t.slots, t.count = t.memory[:n], 0
}

func (t *idTable) get(id uint64) (value uint64, known bool) {
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
	t.memory = nil // the next must not lie over this one
	t.use(2 * len(old))
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
