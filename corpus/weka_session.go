package corpus

import "slices"

// wekaBuilder plays one session and writes down what happens.
type wekaBuilder struct {
	knobs     *wekaKnobs
	dice      dice
	play      *wekaPlay
	lengths   wekaLengths
	length    uint64 // place of the play among short and long ones
	subagents subagentCast
}

// wekaLengths is the relation of prompt length and number of ids.
type wekaLengths int

const (
	lengthsFloor wekaLengths = iota // floor(in/64) ids: the last, partial block has none
	lengthsCeil                     // ceil(in/64) ids: it has one, which it keeps when it fills
	lengthsExact                    // in = 64 · ids
)

// buildWekaPlay models the play of the given seed and ordinal. The entries of
// spare are reused.
//
// The order of the entries is what makes the result acceptable: outer requests
// never go back in time, and a marker follows its owner both in the list and
// in time. Hence whatever a subagent joins lies behind its owner, and no edge
// derived from the list points to the past.
func buildWekaPlay(knobs *wekaKnobs, seed uint64, ordinal int, spare []wekaEntry) *wekaPlay {
	b := wekaBuilder{
		knobs: knobs,
		dice:  newDice(seed, knobs.profile, uint64(ordinal)),
		play:  &wekaPlay{firstID: knobs.firstID, entries: spare[:0]},
		// The number of turns decides the size of a play more than anything
		// else. Spread instead of drawn, it gives small corpora the size that
		// large ones promise.
		length: spread(seed, ordinal),
	}
	switch knobs.style {
	case styleRaw:
		b.lengths = lengthsFloor
	case stylePlain:
		b.lengths = lengthsCeil
	case styleAgentX:
		b.lengths = lengthsCeil + wekaLengths(b.dice.below(2))
	}
	b.session()
	b.declareModels()
	return b.play
}

// session makes the outer calls, and after each the subagents it launches.
func (b *wekaBuilder) session() {
	k, d := b.knobs, b.dice
	kind := choose(d, k.sessions)
	turns := max(kind.turns.at(b.length), 1)
	context := b.newContext(kind)
	models := b.castModels(turns)
	b.subagents = b.castSubagents(turns)

	start := 0   // of the call to come
	lastEnd := 0 // the last one the recorder knows of
	for turn := range turns {
		call := wekaCall{start: start, model: models.at(turn)}
		if models.preamble && turn == 0 {
			call.add = d.between(99, 200)
		} else {
			call.keep, call.add = context.step(b)
		}
		b.play.outerBlocks += call.add
		b.fill(&call)

		service := b.service(&call)
		end := start + service
		call.think = (max(start-lastEnd, 0) + k.clock/2) / k.clock * k.clock
		if d.chance(k.unthinking) {
			call.think = missing
		}
		b.record(&call, service, turn == 0)
		if call.service != missing {
			lastEnd = end
		}
		b.play.entries = append(b.play.entries, wekaEntry{call: call})

		ready := b.launchSubagents(turn, end, call.model)
		pause := d.draw(k.pause)
		if d.chance(k.overlap) && ready == end {
			pause = -min(d.between(1_000, 13_800), service)
		}
		next := (ready + pause + k.clock/2) / k.clock * k.clock
		start = max(next, start+k.clock)
	}
}

// wekaContext is the prompt of a session, as a number of blocks.
type wekaContext struct {
	first  int // blocks the session starts with
	prefix int // blocks of tools and system prompt
	blocks int // 0 before the first call
	limit  int // size that triggers a compaction
	window quantiles
}

func (b *wekaBuilder) newContext(kind *wekaSession) *wekaContext {
	k, d := b.knobs, b.dice
	c := &wekaContext{first: d.draw(kind.first), window: k.smallWindow}
	c.prefix = min(d.draw(k.prefix), c.first)
	if d.chance(kind.large) {
		c.window = k.largeWindow
	}
	// A session resumed near its limit still gets somewhere before it compacts.
	c.limit = max(d.draw(c.window), c.first+200)

	tokens := c.prefix * wekaBlock
	b.play.systemTokens = tokens * d.between(12, 24) / 100
	b.play.toolTokens = tokens - b.play.systemTokens
	return c
}

// step moves the context to the next call and returns the blocks kept and added.
func (c *wekaContext) step(b *wekaBuilder) (keep, add int) {
	k, d := b.knobs, b.dice
	if c.blocks == 0 {
		c.blocks = c.first
		return 0, c.first
	}
	growth := k.growth
	if c.blocks < k.earlyUntil {
		growth = k.earlyGrowth
	}
	keep, add = c.blocks, d.draw(growth)
	switch {
	case c.blocks >= c.limit:
		keep = c.prefix
		add = max(d.draw(k.compacted)-c.prefix, 1)
		c.limit = d.draw(c.window)
	case d.chance(k.rehash):
		keep = c.prefix
		if d.chance(k.forget) {
			keep = 0
		}
		add += c.blocks - keep
	case d.chance(k.branch):
		keep = c.blocks * d.between(50, 99) / 100
		add += d.below(200)
	case d.chance(k.nudge):
		keep--
	}
	if keep+add > k.most {
		add = max(k.most-keep, 0)
	}
	c.blocks = keep + add
	return keep, add
}

// fill sets lengths and type of a call of known context.
func (b *wekaBuilder) fill(call *wekaCall) {
	d := b.dice
	call.in = call.blocks() * wekaBlock
	switch b.lengths {
	case lengthsFloor:
		call.in += d.below(wekaBlock)
	case lengthsCeil:
		call.in -= d.below(wekaBlock)
	}
	call.out = d.draw(b.knobs.out)
	call.streamed = d.chance(b.knobs.streamed)
	if d.chance(b.knobs.noOutput) {
		// Only streamed calls were seen to end without a token.
		call.out, call.streamed = 0, b.knobs.streamed > 0
	}
}

// service returns how long the call takes: 2.5 s, 11 ms for each token of
// output and 10 µs for each of input, which fits the middle of the
// recordings, and a scatter around that.
func (b *wekaBuilder) service(call *wekaCall) int {
	const timeout = 300_000
	ms := 2500 + 11*call.out + call.in/100
	ms = ms * b.dice.draw(b.knobs.noise) / 100
	return min(ms/10*10, timeout)
}

// record notes the service time and the shape as far as a recorder would have
// known them.
func (b *wekaBuilder) record(call *wekaCall, service int, opening bool) {
	call.service, call.firstToken = service, missing
	if call.streamed {
		if b.dice.chance(b.knobs.unrecorded) {
			call.service = missing
		} else {
			call.firstToken = service * b.dice.between(20, 70) / 1000 * 10
		}
	}
	if b.knobs.style == styleRaw {
		call.shape = b.shape(call, opening)
	}
}

// modelCast says which model each outer call uses.
type modelCast struct {
	names    []string // in order of their entry
	from     []int    // turn at which they enter
	preamble bool     // the last name makes the first call, and only that
}

func (m *modelCast) at(turn int) string {
	if m.preamble && turn == 0 {
		return m.names[len(m.names)-1]
	}
	name := m.names[0]
	for i, from := range m.from {
		if from <= turn {
			name = m.names[i]
		}
	}
	return name
}

func (b *wekaBuilder) castModels(turns int) *modelCast {
	k, d := &b.knobs.models, b.dice
	first := d.pick(k.weights)
	n := 1 + d.pick(k.casts)
	if turns < 2 {
		n = 1
	}
	cast := &modelCast{}
	for i := range n {
		cast.names = append(cast.names, k.main[(first+i)%len(k.main)])
		from := 0
		if i > 0 {
			from = d.between(1, turns-1)
		}
		cast.from = append(cast.from, from)
	}
	if n > 1 && d.chance(k.preamble) {
		cast.preamble = true
		cast.from[n-1] = turns
	}
	return cast
}

// declareModels lists the models of the calls, but not one that only
// subagents use if the profile leaves that undeclared.
func (b *wekaBuilder) declareModels() {
	p := b.play
	declare := func(name string) {
		if !slices.Contains(p.models, name) {
			p.models = append(p.models, name)
		}
	}
	for i := range p.entries {
		e := &p.entries[i]
		if e.subagent == nil {
			declare(e.call.model)
		} else if b.knobs.subagents.declared {
			for j := range e.subagent.calls {
				declare(e.subagent.calls[j].model)
			}
		}
	}
	slices.Sort(p.models)
}
