package replay

import (
	"math"

	"tracekit/graph"
	"tracekit/replay/engine"
	"tracekit/replay/kvcache"
)

// blockIDs turns the hash ids of a trace into values of tokens. Without
// authored outputs any values will do that differ where ids do. With them, a
// block holds copies of a number that counts first appearances (formats.md
// 1.3), which an authored token may equal.
type blockIDs struct{ numbers map[uint64]uint64 }

// newBlockIDs numbers the ids of all lists in order, if need be.
func newBlockIDs(authored bool, lists func(yield func(func(func(uint64) bool)))) *blockIDs {
	b := &blockIDs{}
	if authored {
		b.numbers = map[uint64]uint64{}
		lists(func(ids func(func(uint64) bool)) {
			ids(func(id uint64) bool {
				if _, known := b.numbers[id]; !known {
					b.numbers[id] = uint64(len(b.numbers))
				}
				return true
			})
		})
	}
	return b
}

// prompt returns the tokens of a prompt of so many tokens in trace blocks of
// a size.
func (b *blockIDs) prompt(ids func(func(uint64) bool), blockSize, tokens int) kvcache.Tokens {
	t := kvcache.Tokens{Runs: make([]kvcache.Run, 0, (tokens+blockSize-1)/blockSize)}
	ids(func(id uint64) bool {
		if b.numbers != nil {
			id = b.numbers[id]
		}
		t.Append(kvcache.Run{ID: id, Len: min(blockSize, tokens-t.Len), Constant: true})
		return t.Len < tokens
	})
	return t
}

// authored returns the tokens of an authored output, nil for none.
func authored(ids *graph.Integers) *kvcache.Tokens {
	if ids == nil {
		return nil
	}
	t := &kvcache.Tokens{}
	for id := range ids.All {
		t.Append(kvcache.Run{ID: id, Len: 1, Constant: true})
	}
	return t
}

// Runs of generated prompts are told from others, and from one another, by
// their highest bits.
const (
	syntheticRuns = 1 << 62
	prefixRuns    = 1 << 61
)

// syntheticRequest makes the i-th of independent requests, whose prompt is
// like no other.
func syntheticRequest(i, input, output int) *engine.Request {
	r := &engine.Request{Ordinal: i + 1, Input: input, Output: output}
	r.Tokens.Append(kvcache.Run{ID: syntheticRuns | uint64(i), Len: input})
	return r
}

// sessionPrompts makes the new tokens of the turns of generated sessions
// (loadgen.md 5.3): blocks of a prefix that the sessions of a group share,
// then blocks like no others.
type sessionPrompts struct {
	tokens, blockSize int
	prefix            int      // blocks of the group's prefix
	group             []uint32 // of each session; nil without prefixes
	fresh             uint64   // blocks made so far
}

func newSessionPrompts(tokens, blockSize int, ratio float64, group []uint32) *sessionPrompts {
	n := (tokens + blockSize - 1) / blockSize
	return &sessionPrompts{tokens: tokens, blockSize: blockSize, prefix: min(n, int(math.Round(float64(n)*ratio))), group: group}
}

// append adds the new tokens of a turn of that session.
func (s *sessionPrompts) append(t *kvcache.Tokens, session int) {
	for block, left := 0, s.tokens; left > 0; block++ {
		run := kvcache.Run{Len: min(left, s.blockSize), Constant: true}
		if block < s.prefix && s.group != nil {
			run.ID = prefixRuns | uint64(s.group[session])<<30 | uint64(block)
		} else {
			s.fresh++
			run.ID = syntheticRuns | s.fresh
		}
		t.Append(run)
		left -= run.Len
	}
}
