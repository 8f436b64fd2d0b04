package corpus

import (
	"cmp"
	"slices"
)

// subagentCast says how one play uses subagents.
type subagentCast struct {
	used   bool
	sure   int // turn after which a launch is certain, or -1
	peak   int // most subagents launched together
	number int // subagents so far
	shared int // blocks every subagent but the first starts with
}

func (b *wekaBuilder) castSubagents(turns int) subagentCast {
	k, d := &b.knobs.subagents, b.dice
	cast := subagentCast{used: d.chance(k.plays), sure: -1}
	cast.peak = 1 + d.pick(k.batches)
	if k.atLeastOnce {
		cast.sure = d.below(turns)
	}
	return cast
}

// launchSubagents adds the markers of the subagents launched when the call of
// the given turn ends. It returns when the session can go on: after the last
// subagent that it waits for, and not before the last marker.
func (b *wekaBuilder) launchSubagents(turn, end int, model string) int {
	k, d := &b.knobs.subagents, b.dice
	if !b.subagents.used || turn != b.subagents.sure && !d.chance(k.turns) {
		return end
	}
	size := b.subagents.peak
	if turn != b.subagents.sure {
		size = d.between(1, b.subagents.peak)
	}
	batch := make([]*wekaSubagent, size)
	ready := end
	launch := end + d.between(20, 400)
	for i := range batch {
		h, done := b.subagent(launch, model)
		ready = max(ready, h.marker)
		if !h.background {
			ready = max(ready, done)
		}
		batch[i] = h
		launch += d.between(1, 300)
	}
	// Markers stand in the order of their times, whatever those mean.
	slices.SortStableFunc(batch, func(x, y *wekaSubagent) int { return cmp.Compare(x.marker, y.marker) })
	for i, h := range batch {
		h.number = b.subagents.number - size + 1 + i
		b.share(h)
		b.play.entries = append(b.play.entries, wekaEntry{subagent: h})
	}
	return ready
}

// share lets the subagent start with blocks of the play's first one.
func (b *wekaBuilder) share(h *wekaSubagent) {
	first := &h.calls[0]
	if h.number == 1 {
		b.subagents.shared = first.add * 85 / 100
		return
	}
	first.keep = min(b.subagents.shared, first.add-1)
	first.add -= first.keep
}

// subagent makes one subagent and returns it with the time it is done.
func (b *wekaBuilder) subagent(launch int, model string) (h *wekaSubagent, done int) {
	k, d := &b.knobs.subagents, b.dice
	kind := b.subagentKind()
	h = &wekaSubagent{
		launch:     launch,
		marker:     launch,
		kind:       kind.name,
		background: d.chance(kind.background),
	}
	if !kind.main {
		model = k.model
	}
	h.calls = b.subagentCalls(model)
	b.subagents.number++

	last := &h.calls[len(h.calls)-1]
	h.duration = last.start + max(last.service, 0) + d.between(500, 4000)
	done = launch + h.duration
	if h.background || d.chance(k.noDuration) {
		h.duration = missing
	}
	if k.markedAtEnd && !h.background {
		h.marker = done
	}
	return h, done
}

func (b *wekaBuilder) subagentKind() *wekaSubagentKind {
	kinds := b.knobs.subagents.kinds
	if b.subagents.number == 0 {
		// The first is of the usual kind: in every recording with subagents at
		// least one of them uses the undeclared model.
		return &kinds[0].is
	}
	return choose(b.dice, kinds)
}

// subagentCalls makes the calls of one subagent, on a clock that starts with it.
func (b *wekaBuilder) subagentCalls(model string) []wekaCall {
	k, d := &b.knobs.subagents, b.dice
	clock := 1
	if k.wholeSeconds {
		clock = 1000
	}
	calls := make([]wekaCall, max(d.draw(k.calls), 1))
	blocks := d.draw(k.first)
	start, lastEnd := 0, 0
	for i := range calls {
		call := wekaCall{start: start, model: model}
		if i == 0 {
			call.add = blocks
		} else {
			call.keep, call.add = blocks, min(d.draw(k.growth), k.most-blocks)
		}
		blocks = call.blocks()
		b.fill(&call)
		// Subagents answer in half the time, and were never seen streamed.
		service := b.service(&call) / 20 * 10
		call.streamed = false
		call.think = (max(start-lastEnd, 0) + clock/2) / clock * clock
		b.record(&call, service, i == 0)
		lastEnd = start + service
		calls[i] = call

		next := (lastEnd + d.draw(k.pause) + clock/2) / clock * clock
		start = max(next, start+clock)
	}
	return calls
}
