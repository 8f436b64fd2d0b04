package vllm

import (
	"cmp"
	"slices"
	"sort"

	"tracekit/replay/engine"
	"tracekit/replay/kvcache"
	"tracekit/replay/timing"
)

// Steady finds how many of the next passes are plain decoding: no request
// joins, ends or is preempted (engine-vllm.md 19). Every pass decided by
// [Rank.Pass] would do the same; the tests hold the two equal.
func (k *Rank) Steady(now float64, limit int, ends []float64) []float64 {
	passes := k.steadyPasses(limit)
	if passes < 2 {
		return ends
	}
	decode := timing.Decode{Requests: len(k.running)}
	for _, s := range k.running {
		decode.SumContext += s.known
	}
	begin := len(ends)
	end := now
	for range passes {
		duration := k.cfg.Timing.Decode(decode)
		if duration <= 0 {
			return ends[:begin]
		}
		end += duration
		ends = append(ends, end)
		decode.SumContext += decode.Requests
	}
	return ends
}

// steadyPasses returns how many passes are steady, their durations aside.
func (k *Rank) steadyPasses(limit int) int {
	if len(k.running) == 0 || len(k.running) > k.cfg.MaxBatched {
		return 0
	}
	passes := limit
	for _, s := range k.running {
		if s.generated == 0 || s.computed != s.known-1 {
			return 0
		}
		passes = min(passes, k.remaining(s)-1)
	}
	if passes < 2 {
		return 0
	}
	room := k.pool.Available()
	if k.waiting.len() > 0 && len(k.running) < k.cfg.MaxSequences {
		head := k.waiting.at(0)
		if k.rejects(head) {
			return 0
		}
		if _, ok := k.admissible(head); ok {
			return 0
		}
		room = k.pool.Free() // an eviction could change what the head finds
	}
	if k.newBlocks(passes) <= room {
		return passes
	}
	return sort.Search(passes, func(n int) bool { return k.newBlocks(n+1) > room })
}

// newBlocks returns how many blocks so many steady passes take.
func (k *Rank) newBlocks(passes int) (blocks int) {
	b := k.cfg.BlockSize
	for _, s := range k.running {
		// One for each multiple of b from known-1 to known+passes-2.
		blocks += (s.known+passes-2+b)/b - (s.known-2+b)/b
	}
	return blocks
}

// blockEvent is a block that a steady pass takes or publishes.
type blockEvent struct {
	pass, position int
	publish        bool
}

// Advance makes steady passes happen that end at ends.
func (k *Rank) Advance(now float64, ends []float64, out engine.Sink) {
	passes := len(ends)
	k.events = k.events[:0]
	b := k.cfg.BlockSize
	for at, s := range k.running {
		for i := 1 + mod(1-s.known, b); i <= passes; i += b { // known+i-2 is a multiple of b
			k.events = append(k.events, blockEvent{pass: i, position: at})
		}
		for i := 1 + mod(-s.known, b); i <= passes && k.cfg.PrefixCaching; i += b { // known+i-1 is
			k.events = append(k.events, blockEvent{pass: i, position: at, publish: true})
		}
	}
	slices.SortFunc(k.events, func(x, y blockEvent) int {
		return cmp.Or(cmp.Compare(x.pass, y.pass), cmp.Compare(x.position, y.position))
	})
	k.gaps(ends, out)
	for _, s := range k.running {
		if s.Emitted == 1 {
			s.SecondToken = ends[0]
		}
		s.Emitted += passes
		s.LastToken = ends[passes-1]
		k.generate(s, passes)
		s.computed += passes
		s.allocated = max(s.allocated, s.computed)
	}
	for _, e := range k.events {
		s := k.running[e.position]
		if !e.publish {
			k.pool.TakeOne() // there are enough: steadyPasses has counted them
			s.blocks = append(s.blocks, kvcache.Private)
			continue
		}
		j := (s.known-passes+e.pass-1)/b - 1
		for len(s.hashes) <= j {
			s.hashes = append(s.hashes, s.hasher.Next(&s.Tokens))
		}
		s.blocks[j] = k.pool.Publish(s.hashes[j])
	}
	k.pass.number += passes
	k.backlog = k.waiting.len() > 0
}

// gaps tells of the time between tokens, equal ones together.
func (k *Rank) gaps(ends []float64, out engine.Sink) {
	value, count := 0.0, 0
	tell := func(gap float64, n int) {
		if gap != value && count > 0 {
			out.Gaps(value, count)
			count = 0
		}
		value, count = gap, count+n
	}
	for _, s := range k.running {
		tell(ends[0]-s.LastToken, 1)
	}
	for i := 1; i < len(ends); i++ {
		tell(ends[i]-ends[i-1], len(k.running))
	}
	out.Gaps(value, count)
}

// mod returns a modulo b between 0 and b-1.
func mod(a, b int) int { return ((a % b) + b) % b }
