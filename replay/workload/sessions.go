package workload

import (
	"tracekit/replay/engine"
)

// SessionPlan is what a [Sessions] source is made of. Sessions and turns are
// numbered from 0.
type SessionPlan struct {
	Sessions int
	Turns    func(session int) int
	// StartMs is when a session is ready; nil under concurrency.
	StartMs func(session int) float64
	// DelayMs is the wait before a turn after the one before it.
	DelayMs     func(session, turn int) float64
	Concurrency int // sessions at a time, if StartMs is nil
	// Request makes the request of a turn, when it is admitted.
	Request func(session, turn int) *engine.Request
	// Completed, if set, is told of each request that has completed, when
	// another turn follows.
	Completed func(session, turn int, r *engine.Request)
}

// Sessions is a source of sessions: each turn follows when the one before it
// has ended (loadgen.md 5).
type Sessions struct {
	plan  SessionPlan
	ready minHeap[turn]
	next  int // session that the next free slot takes
}

// turn is a turn that is ready at a time.
type turn struct {
	ready         float64
	session, turn int
}

// NewSessions makes a source.
func NewSessions(plan SessionPlan) *Sessions {
	s := &Sessions{plan: plan, ready: minHeap[turn]{before: turnBefore}}
	if plan.StartMs == nil {
		for s.next < min(plan.Concurrency, plan.Sessions) {
			s.startNext(0)
		}
		return s
	}
	for i := range plan.Sessions {
		s.ready.push(turn{ready: plan.StartMs(i), session: i})
	}
	s.next = plan.Sessions
	return s
}

func (s *Sessions) startNext(now float64) {
	s.ready.push(turn{ready: now, session: s.next})
	s.next++
}

// Next implements [Source].
func (s *Sessions) Next() (float64, bool) {
	if s.ready.len() == 0 {
		return 0, false
	}
	return s.ready.first().ready, true
}

// Admit implements [Source].
func (s *Sessions) Admit(now float64, _ int) *engine.Request {
	if s.ready.len() == 0 || s.ready.first().ready > now {
		return nil
	}
	t := s.ready.pop()
	r := s.plan.Request(t.session, t.turn)
	r.ArrivalMs = t.ready
	l := LabelOf(r)
	if l == nil {
		l = &Label{}
		r.Load = l
	}
	l.Turn, l.node = t.turn, t.session
	return r
}

// Ended implements [Source].
func (s *Sessions) Ended(now float64, requests []*engine.Request) {
	for _, r := range requests {
		l := LabelOf(r)
		session, next := l.node, l.Turn+1
		goesOn := r.Status == engine.Completed || r.Status == engine.Rejected
		if goesOn && next < s.plan.Turns(session) {
			if s.plan.Completed != nil && r.Status == engine.Completed {
				s.plan.Completed(session, l.Turn, r)
			}
			s.ready.push(turn{ready: now + s.plan.DelayMs(session, next), session: session, turn: next})
			continue
		}
		if s.plan.StartMs == nil && s.next < s.plan.Sessions {
			s.startNext(now)
		}
	}
}

// Left implements [Source].
func (s *Sessions) Left() bool { return s.ready.len() > 0 || s.next < s.plan.Sessions }

// turnBefore orders by ready time, session, turn.
func turnBefore(a, b turn) bool {
	if a.ready != b.ready {
		return a.ready < b.ready
	}
	return a.session < b.session || a.session == b.session && a.turn < b.turn
}
