package mooncake

import (
	"fmt"

	"tracekit/formats/jsonl"
)

// gathering collects rows into sessions (formats.md 2.3).
type gathering struct {
	byName   map[string]int // index of each session
	sessions []Session
	last     []lastTurn // of each session
	turns    []Turn     // of all sessions, in file order
	of       []int      // index of the session of each turn
	mixed    bool       // the turns of some session do not follow each other
}

// newGathering expects about so many rows.
func newGathering(rows int) *gathering {
	return &gathering{byName: map[string]int{}, turns: make([]Turn, 0, rows), of: make([]int, 0, rows)}
}

// lastTurn is what is known of a session before its next turn.
type lastTurn struct {
	turns       int
	timestampMs float64 // latest in file order, when there was any
	timed       bool
}

// add takes in the next row.
func (g *gathering) add(p *parser, r *row) *jsonl.Problem {
	at, problem := g.session(p, r)
	if problem != nil {
		problem.Object = fmt.Sprintf("session %q", g.sessions[at].Name)
		return problem
	}
	last := &g.last[at]
	if p.fields.Has(fieldTimestamp) {
		last.timestampMs, last.timed = r.timestampMs, true
	}
	if r.OutputTokenIDs != nil {
		r.ReplayKey = r.replayKey(last.turns)
	}
	last.turns++
	g.mixed = g.mixed || len(g.of) > 0 && at < g.of[len(g.of)-1]
	g.turns = append(g.turns, r.Turn)
	g.of = append(g.of, at)
	return nil
}

// session finds or begins the session of a row and sets the row's delay.
func (g *gathering) session(p *parser, r *row) (at int, problem *jsonl.Problem) {
	name, named := r.sessionID, p.fields.Has(fieldSessionID)
	if !named {
		name = generatedName(r.Line)
	}
	at, known := g.byName[name]
	if !known {
		at = len(g.sessions)
		g.byName[name] = at
		g.sessions = append(g.sessions, Session{Name: name, Named: named, StartMs: r.timestampMs, HasStart: p.fields.Has(fieldTimestamp)})
		g.last = append(g.last, lastTurn{})
		if r.delayMs != 0 {
			problem = p.broken(fieldDelay, fmt.Sprintf("found %v", r.delayMs), "the first turn of a session has no turn to wait for: its delay is 0 or left out")
		}
		return at, problem
	}
	last := g.last[at]
	switch {
	case p.fields.Has(fieldDelay):
		if r.DelayMs = r.delayMs; r.DelayMs < 0 {
			problem = p.broken(fieldDelay, fmt.Sprintf("found %v", r.DelayMs), "a delay is 0 or more milliseconds")
		}
	case p.fields.Has(fieldTimestamp) && !last.timed:
		problem = p.broken(fieldTimestamp, fmt.Sprintf("found %v, but no earlier turn of the session has a timestamp", r.timestampMs),
			"the delay of a turn is counted from the timestamp before")
		problem.Remedy = "give the turn a delay, or the first turn a timestamp"
	case p.fields.Has(fieldTimestamp):
		if r.DelayMs = r.timestampMs - last.timestampMs; r.DelayMs < 0 {
			problem = p.broken(fieldTimestamp, fmt.Sprintf("found %v after %v", r.timestampMs, last.timestampMs), "the timestamps of a session do not go back")
		}
	}
	return at, problem
}

// gather gives each session its turns. Sessions are numbered by their first
// rows, so that in most files the turns lie in the order of sessions already.
func (g *gathering) gather() []Session {
	end := 0
	next := make([]int, len(g.sessions)) // where the next turn of each goes
	for i := range g.sessions {
		next[i] = end
		end += g.last[i].turns
	}
	turns := g.turns
	if g.mixed {
		turns = make([]Turn, end)
		for i, at := range g.of {
			turns[next[at]] = g.turns[i]
			next[at]++
		}
	}
	first := 0
	for i := range g.sessions {
		end := first + g.last[i].turns
		g.sessions[i].Turns = turns[first:end:end]
		first = end
	}
	return g.sessions
}
