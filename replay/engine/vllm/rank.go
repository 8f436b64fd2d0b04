// Package vllm is the vLLM scheduler of one rank (engine-vllm.md 6 to 12):
// first come first served, chunked prefill, prefix caching, preemption of the
// request that was admitted last.
package vllm

import (
	"fmt"

	"tracekit/replay/engine"
	"tracekit/replay/kvcache"
	"tracekit/replay/timing"
)

// Config is what a rank is made of. Lengths are tokens.
type Config struct {
	Blocks          int // of the KV cache
	BlockSize       int
	MaxBatched      int // token budget of a pass
	MaxSequences    int
	MaxModelLength  int // 0 for no limit
	PrefixCaching   bool
	ChunkedPrefill  bool
	PrefillInterval int // prefill_schedule_interval
	Ranks           int // attention-data ranks of the worker
	Timing          timing.Model
}

// Outgrows tells whether a request is let in, but needs more blocks than there
// are before it ends. The last token of its output needs no room.
func (c *Config) Outgrows(input, output int) bool {
	if c.MaxModelLength > 0 {
		if input >= c.MaxModelLength {
			return false
		}
		output = min(output, c.MaxModelLength-input)
	}
	return ceilDiv(input, c.BlockSize) <= c.Blocks && ceilDiv(input+output-1, c.BlockSize) > c.Blocks
}

// Rank is one scheduler.
type Rank struct {
	cfg     Config
	pool    *kvcache.Pool
	waiting queue
	running []*sequence
	backlog bool
	pass    passState
	events  []blockEvent
}

// New makes an idle rank.
func New(cfg Config) *Rank {
	return &Rank{cfg: cfg, pool: kvcache.NewPool(cfg.Blocks)}
}

// sequence is a request in the scheduler (the letters of engine-vllm.md 1).
type sequence struct {
	*engine.Request
	generated int // G
	known     int // L
	computed  int // C
	allocated int // A
	status    status

	hasher      kvcache.Hasher
	hashes      []kvcache.Hash  // of full blocks that may be looked up
	found       []kvcache.Block // by the last lookup
	foundActive int
	foundAt     uint64 // version of the pool
	blocks      []kvcache.Block

	// Of the pass being decided.
	pass         int // its number, if scheduled in it
	take         int
	promptTokens int
	promptBefore int
}

type status uint8

const (
	isNew status = iota
	isRunning
	isPreempted
)

// Submit puts a request at the back of the queue.
func (k *Rank) Submit(r *engine.Request) {
	s := &sequence{Request: r, known: r.Input, hasher: kvcache.NewHasher(k.cfg.BlockSize)}
	r.Scheduler = s
	k.waiting.pushBack(s)
}

// Busy tells whether any request waits or runs.
func (k *Rank) Busy() bool { return len(k.running) > 0 || k.waiting.len() > 0 }

// remaining returns how many tokens a sequence is still to emit.
func (k *Rank) remaining(s *sequence) int {
	left := max(s.Output-s.generated, 0)
	if k.cfg.MaxModelLength > 0 {
		left = min(left, max(k.cfg.MaxModelLength-s.known, 0))
	}
	return left
}

func (k *Rank) blocksOf(tokens int) int { return ceilDiv(tokens, k.cfg.BlockSize) }

// probableBlocks is how many blocks a sequence will need, unless its output is
// of unusual length.
func (k *Rank) probableBlocks(s *sequence) int {
	const usualOutput = 4096
	return k.blocksOf(s.Input + min(s.Output, usualOutput))
}

func ceilDiv(a, b int) int { return (a + b - 1) / b }

// lookup returns how many tokens of a sequence the cache holds, and how many
// of those in blocks that are in use (engine-vllm.md 12).
func (k *Rank) lookup(s *sequence) (cached, active int) {
	if !k.cfg.PrefixCaching {
		return 0, 0
	}
	b := k.cfg.BlockSize
	if s.hashes == nil {
		s.hashes = make([]kvcache.Hash, 0, k.probableBlocks(s))
	}
	for len(s.hashes) < s.Input/b { // prompt blocks have hashes from the start
		s.hashes = append(s.hashes, s.hasher.Next(&s.Tokens))
	}
	// A request at the head of the queue is looked up again and again.
	if v := k.pool.Version(); v != s.foundAt || v == 0 {
		s.found, s.foundActive = k.pool.Match(s.hashes, s.found[:0])
		s.foundAt = v
	}
	cached, active = min(len(s.found)*b, s.known), min(s.foundActive*b, s.known)
	if s.Output > s.generated { // the last known token must be computed again
		if limit := max(s.known-1, 0) / b * b; cached > limit {
			cached, active = limit, min(active, limit)
		}
	}
	return cached, active
}

// Blocked describes each waiting request.
func (k *Rank) Blocked() (lines []string) {
	for i := range k.waiting.len() {
		s := k.waiting.at(i)
		line := fmt.Sprintf("request %d, %d tokens known, needs %d blocks of %d; the pool has %d, %d of them available",
			s.Ordinal, s.known, k.blocksOf(s.known), k.cfg.BlockSize, k.pool.Capacity(), k.pool.Available())
		if !k.cfg.ChunkedPrefill && s.Input > k.cfg.MaxBatched {
			line += fmt.Sprintf("; its prompt of %d tokens is more than the %d of a pass, and chunked prefill is off", s.Input, k.cfg.MaxBatched)
		}
		lines = append(lines, line)
	}
	for _, s := range k.running {
		lines = append(lines, fmt.Sprintf("request %d runs and holds %d blocks", s.Ordinal, len(s.blocks)))
	}
	return lines
}
