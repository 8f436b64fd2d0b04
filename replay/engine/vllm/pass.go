package vllm

import (
	"tracekit/replay/engine"
	"tracekit/replay/kvcache"
	"tracekit/replay/timing"
)

// passState is what is known while a pass is being decided.
type passState struct {
	number    int
	budget    int
	prefill   timing.Prefill
	prefilled int
	preempted bool
	progress  bool
}

// Pass decides the next pass (engine-vllm.md 7).
func (k *Rank) Pass(now float64, wave int) *engine.Pass {
	k.pass = passState{number: k.pass.number + 1, budget: k.cfg.MaxBatched}
	deferred := k.deferPrefill(wave)
	out := &engine.Pass{}
	k.scheduleRunning(deferred)
	k.scheduleWaiting(now, deferred, out)
	if !deferred && !k.pass.preempted {
		k.backlog = k.waiting.len() > 0
	}
	k.emit(out)
	out.Prefilled = k.pass.prefilled
	out.Progress = k.pass.progress || len(out.Finished)+len(out.Tokens)+len(out.Rejected) > 0
	return out
}

// deferPrefill tells whether prompts wait for a later wave, so that all ranks
// of the worker prefill together (engine-vllm.md 9).
func (k *Rank) deferPrefill(wave int) bool {
	if k.cfg.Ranks <= 1 || wave%k.cfg.PrefillInterval == 0 || k.backlog {
		return false
	}
	for _, s := range k.running {
		if s.computed >= s.Input && s.allocated >= s.Input {
			return true
		}
	}
	return false
}

func (k *Rank) scheduleRunning(deferred bool) {
	for i := 0; i < len(k.running) && k.pass.budget > 0; {
		s := k.running[i]
		if deferred && (s.computed < s.Input || s.allocated < s.Input) {
			i++
			continue
		}
		cached := 0
		if s.computed == 0 {
			cached, _ = k.lookup(s)
		}
		switch k.schedule(s, cached) {
		case scheduled:
			i++
		case blocked:
			return
		case selfPreempted: // the list has become shorter
		}
	}
}

func (k *Rank) scheduleWaiting(now float64, deferred bool, out *engine.Pass) {
	for !k.pass.preempted && len(k.running) < k.cfg.MaxSequences && k.waiting.len() > 0 {
		s := k.waiting.at(0)
		if k.rejects(s) {
			k.waiting.popFront()
			out.Rejected = append(out.Rejected, s.Request)
			continue
		}
		cached, ok := k.admissible(s)
		if !ok || deferred && s.known-cached > 1 {
			return
		}
		budget := k.pass.budget
		if s.Input > 0 {
			if k.schedule(s, cached) != scheduled {
				return
			}
		} else {
			s.pass, s.take, s.promptTokens, s.promptBefore = k.pass.number, 0, 0, 0
		}
		k.waiting.popFront()
		s.status = isRunning
		k.running = append(k.running, s)
		s.Admissions = append(s.Admissions, engine.Admission{AtMs: now, Reused: cached})
		k.pass.progress = true
		if k.pass.budget == budget && budget == 0 {
			return
		}
	}
}

// rejects tells whether a request can never run.
func (k *Rank) rejects(s *sequence) bool {
	if k.cfg.MaxModelLength > 0 && s.Input >= k.cfg.MaxModelLength {
		return true
	}
	return s.status == isNew && k.blocksOf(s.known) > k.cfg.Blocks
}

// admissible looks a request up and tells whether all it needs would fit now.
func (k *Rank) admissible(s *sequence) (cached int, ok bool) {
	if s.Input == 0 {
		return 0, true
	}
	cached, active := k.lookup(s)
	need := max(k.blocksOf(s.known)-active/k.cfg.BlockSize, 0)
	return cached, need <= k.pool.Available()
}

type outcome uint8

const (
	scheduled outcome = iota
	blocked
	selfPreempted
)

// schedule gives a sequence its part of the pass (engine-vllm.md 7.3).
func (k *Rank) schedule(s *sequence, cached int) outcome {
	begin := s.computed + cached
	promptBefore := min(begin, s.Input)
	promptLeft, left := s.Input-promptBefore, max(s.known-begin, 0)
	if promptLeft > 0 && !k.cfg.ChunkedPrefill && promptLeft > k.pass.budget {
		return blocked
	}
	take := min(left, k.pass.budget)
	if take == 0 && left > 0 {
		return blocked
	}
	target := begin + take
	for target > s.allocated && !k.allocate(s, target, cached) {
		victim := k.preempt()
		if victim == nil {
			return blocked
		}
		if victim == s {
			return selfPreempted
		}
	}
	s.computed = target
	k.publish(s, begin, target)
	promptTokens := max(min(target, s.Input)-promptBefore, 0)
	s.pass, s.take, s.promptTokens, s.promptBefore = k.pass.number, take, promptTokens, promptBefore
	if promptTokens > 0 {
		k.pass.prefill.Requests++
		k.pass.prefill.SumLen += promptBefore + promptTokens
		k.pass.prefill.SumPrefix += promptBefore
		k.pass.prefilled += take
	}
	k.pass.budget -= take
	if take > 0 {
		k.pass.progress = true
	}
	return scheduled
}

// allocate gets blocks for all tokens up to target, or changes nothing
// (engine-vllm.md 11.3).
func (k *Rank) allocate(s *sequence, target, cached int) bool {
	entries := k.blocksOf(s.known)
	have, want := min(k.blocksOf(s.allocated), entries), min(k.blocksOf(target), entries)
	if want > have {
		hits := min(max(cached/k.cfg.BlockSize-have, 0), want-have)
		var known []kvcache.Block
		if hits > 0 {
			known = s.found[have : have+hits]
		}
		if s.blocks == nil {
			s.blocks = make([]kvcache.Block, 0, k.probableBlocks(s))
		}
		var ok bool
		if s.blocks, ok = k.pool.Take(s.blocks, known, want-have-hits); !ok {
			return false
		}
	}
	s.allocated = max(s.allocated, target)
	return true
}

// publish makes the full blocks that were computed known to the cache
// (engine-vllm.md 11.4).
func (k *Rank) publish(s *sequence, begin, target int) {
	if !k.cfg.PrefixCaching {
		return
	}
	b := k.cfg.BlockSize
	for j := begin / b; j < target/b; j++ {
		for len(s.hashes) <= j {
			s.hashes = append(s.hashes, s.hasher.Next(&s.Tokens))
		}
		s.blocks[j] = k.pool.Publish(s.hashes[j])
	}
}

// preempt puts the request that was admitted last back to the front of the
// queue (engine-vllm.md 8); nil if none runs.
func (k *Rank) preempt() *sequence {
	last := len(k.running) - 1
	if last < 0 {
		return nil
	}
	victim := k.running[last]
	k.running = k.running[:last]
	if victim.pass == k.pass.number { // it gives back its part of the pass
		k.pass.budget += victim.take
		if victim.promptTokens > 0 {
			k.pass.prefill.Requests--
			k.pass.prefill.SumLen -= victim.promptBefore + victim.promptTokens
			k.pass.prefill.SumPrefix -= victim.promptBefore
			k.pass.prefilled -= victim.take
		}
		victim.pass = 0
	}
	k.release(victim)
	victim.status, victim.computed, victim.allocated = isPreempted, 0, 0
	k.waiting.pushFront(victim)
	k.pass.preempted, k.pass.progress = true, true
	return victim
}

func (k *Rank) release(s *sequence) {
	k.pool.Release(s.blocks)
	s.blocks = s.blocks[:0]
}

// emit ends the pass: its cost, and what becomes visible at its end
// (engine-vllm.md 7.4). Requests that end without a token go first.
func (k *Rank) emit(out *engine.Pass) {
	var decode timing.Decode
	for _, s := range k.running {
		switch {
		case s.computed < s.known:
		case k.remaining(s) == 0:
			out.Finished = append(out.Finished, s.Request)
			k.release(s)
		case s.generated > 0 || s.pass != k.pass.number || s.promptTokens == 0:
			decode.Requests++
			decode.SumContext += s.known
		}
	}
	stay := k.running[:0]
	for _, s := range k.running {
		switch {
		case s.computed < s.known:
			stay = append(stay, s)
		case k.remaining(s) > 0:
			out.Tokens = append(out.Tokens, s.Request)
			k.generate(s, 1)
			ended := k.remaining(s) == 0
			out.Ended = append(out.Ended, ended)
			if ended {
				k.release(s)
			} else {
				stay = append(stay, s)
			}
		}
	}
	clear(k.running[len(stay):])
	k.running = stay
	out.PrefillMs, out.DecodeMs = k.cfg.Timing.Prefill(k.pass.prefill), k.cfg.Timing.Decode(decode)
}

// generate appends tokens to what is known of a sequence.
func (k *Rank) generate(s *sequence, count int) {
	if k.cfg.PrefixCaching {
		tokens := s.Generated(s.generated, count)
		for _, r := range tokens.Runs {
			s.Tokens.Append(r)
		}
	}
	s.generated += count
	s.known += count
}

var _ engine.Scheduler = (*Rank)(nil)
