package corpus

import (
	"cmp"
	"slices"
)

// helperCast says how one play uses subagents.
type helperCast struct {
	used   bool
	sure   int // turn after which a launch is certain, or -1
	peak   int // most helpers launched together
	number int // helpers so far
	shared int // blocks every helper but the first starts with
}

func (b *wekaBuilder) castHelpers(turns int) helperCast {
	k, d := &b.knobs.helpers, b.dice
	cast := helperCast{used: d.chance(k.plays), sure: -1}
	cast.peak = 1 + d.pick(k.batches)
	if k.atLeastOnce {
		cast.sure = d.below(turns)
	}
	return cast
}

// launchHelpers adds the markers of the subagents launched when the call of
// the given turn ends. It returns when the session can go on: after the last
// subagent that it waits for, and not before the last marker.
func (b *wekaBuilder) launchHelpers(turn, end int, model string) int {
	k, d := &b.knobs.helpers, b.dice
	if !b.helpers.used || turn != b.helpers.sure && !d.chance(k.turns) {
		return end
	}
	size := b.helpers.peak
	if turn != b.helpers.sure {
		size = d.between(1, b.helpers.peak)
	}
	batch := make([]*wekaHelper, size)
	ready := end
	launch := end + d.between(20, 400)
	for i := range batch {
		h, done := b.helper(launch, model)
		ready = max(ready, h.marker)
		if !h.background {
			ready = max(ready, done)
		}
		batch[i] = h
		launch += d.between(1, 300)
	}
	// Markers stand in the order of their times, whatever those mean.
	slices.SortStableFunc(batch, func(x, y *wekaHelper) int { return cmp.Compare(x.marker, y.marker) })
	for i, h := range batch {
		h.number = b.helpers.number - size + 1 + i
		b.share(h)
		b.play.entries = append(b.play.entries, wekaEntry{helper: h})
	}
	return ready
}

// share lets the subagent start with blocks of the play's first one.
func (b *wekaBuilder) share(h *wekaHelper) {
	first := &h.calls[0]
	if h.number == 1 {
		b.helpers.shared = first.add * 85 / 100
		return
	}
	first.keep = min(b.helpers.shared, first.add-1)
	first.add -= first.keep
}

// helper makes one subagent and returns it with the time it is done.
func (b *wekaBuilder) helper(launch int, model string) (h *wekaHelper, done int) {
	k, d := &b.knobs.helpers, b.dice
	kind := b.helperKind()
	h = &wekaHelper{
		launch:     launch,
		marker:     launch,
		kind:       kind.name,
		background: d.chance(kind.background),
	}
	if !kind.main {
		model = k.model
	}
	h.calls = b.helperCalls(model)
	b.helpers.number++

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

func (b *wekaBuilder) helperKind() *wekaHelperKind {
	kinds := b.knobs.helpers.kinds
	if b.helpers.number == 0 {
		// The first is of the usual kind: in every recording with subagents at
		// least one of them uses the undeclared model.
		return &kinds[0].is
	}
	return choose(b.dice, kinds)
}

// helperCalls makes the calls of one subagent, on a clock that starts with it.
func (b *wekaBuilder) helperCalls(model string) []wekaCall {
	k, d := &b.knobs.helpers, b.dice
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
		// Helpers answer in half the time, and were never seen streamed.
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
