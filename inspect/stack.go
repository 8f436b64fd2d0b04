package inspect

import "tracekit/graph"

// stack is the LRU stack of all blocks: the most recent on top. Each prompt
// brings its blocks to the top in their order, the first block on the very
// top, so that the end of a prompt is forgotten before its beginning. Where a
// block is found is its stack distance: a cache of more blocks than lie above
// it would have held it.
//
// Work is done for runs of blocks, because prompts repeat long pieces of
// earlier ones. The blocks of the last prompt are kept apart, as a list: what
// the next prompt has in common with its beginning stays where it is. Of the
// others, those that lie one below the other are brought up as one.
type stack struct {
	blocks numbering
	top    []uint32 // block numbers of the last prompt, from the top of the stack down
	below  recency  // all other blocks
	place  []uint32 // by block number: index in top, or slot in below

	last  graph.Integers // head of the last prompt, if its blocks and top correspond one to one
	guess int            // number that the next block probably has
	run   run

	references int // blocks of all prompts
	distinct   int

	sizes []int // of caches, in blocks
	hits  []int // by size: references whose stack distance is less
}

// run is a number of blocks, now the end of top, that still have their slots
// in below: slot, slot-1, ….
type run struct{ slot, n int }

func newStack(sizes []int) *stack {
	return &stack{sizes: sizes, hits: make([]int, len(sizes))}
}

// prompt brings the blocks of a prompt to the top.
func (s *stack) prompt(ids graph.HashIDs) {
	kept, size := s.last.CommonPrefix(ids.Head)
	s.found(0, kept)
	s.lower(kept)
	rest := graph.Integers{Text: ids.Head.Text[size:]}
	if kept > 0 && len(rest.Text) > 0 {
		rest.Text = rest.Text[1:] // the comma between
	}
	rest.All(s.touch)
	ids.Tail.All(s.touch)
	s.endRun()
	s.references += ids.Len()
	s.last = graph.Integers{}
	if len(s.top) == ids.Len() { // no block twice
		s.last = ids.Head
	}
}

// touch brings a block to the top, beneath those that the prompt has brought
// there before it. It always returns true, to be called for each block.
func (s *stack) touch(id uint64) bool {
	number, known := s.blocks.number(id, s.guess)
	s.guess = number + 1
	if !known {
		s.endRun()
		s.distinct++
		s.place = append(s.place, uint32(len(s.top)))
		s.top = append(s.top, uint32(number))
		return true
	}
	at := int(s.place[number])
	if s.inTop(number) { // the prompt repeats it
		s.found(at, 1)
		return true
	}
	if at != s.run.slot-s.run.n {
		s.endRun()
		s.run.slot = at
	}
	s.run.n++
	s.place[number] = uint32(len(s.top))
	s.top = append(s.top, uint32(number))
	return true
}

// endRun finds and takes out of below the blocks of the run.
func (s *stack) endRun() {
	if s.run.n == 0 {
		return
	}
	s.found(len(s.top)-s.run.n+s.below.above(s.run.slot), s.run.n)
	s.below.remove(s.run.slot-s.run.n+1, s.run.n)
	s.run.n = 0
}

func (s *stack) inTop(number int) bool {
	at := int(s.place[number])
	return at < len(s.top) && s.top[at] == uint32(number)
}

// lower moves the blocks of the last prompt, but for the first kept, to the
// others. The order of the stack stays as it is.
func (s *stack) lower(kept int) {
	for i := len(s.top) - 1; i >= kept; i-- {
		s.place[s.top[i]] = uint32(s.below.push())
	}
	s.top = s.top[:kept]
	if s.below.sparse() {
		for number, slot := range s.place {
			if !s.inTop(number) {
				s.place[number] = uint32(s.below.packed(int(slot)))
			}
		}
		s.below.pack()
	}
}

// found counts n references whose stack distances are first, first+1, ….
func (s *stack) found(first, n int) {
	for i, size := range s.sizes {
		s.hits[i] += min(max(size-first, 0), n)
	}
}

// endPlay lets go of the text of the last prompt, which belongs to its play.
func (s *stack) endPlay() { s.last = graph.Integers{} }

// forget empties the stack. What was counted stays.
func (s *stack) forget() {
	s.blocks.reset()
	s.below.reset()
	s.top, s.place = s.top[:0], s.place[:0]
}
