package workload

import (
	"math"

	"tracekit/replay/engine"
)

// List is a list of independent requests (loadgen.md 4.1). They are made one
// by one, when they are admitted.
type List struct {
	count       int
	next        int
	arrival     func(i int) float64 // nil under concurrency
	concurrency int
	request     func(i int) *engine.Request
	ready       float64 // of the next request
}

// NewTimedList makes a list whose i-th request is ready at arrival(i), which
// is asked once for each i in order and never goes back.
func NewTimedList(count int, arrival func(i int) float64, request func(i int) *engine.Request) *List {
	l := &List{count: count, arrival: arrival, request: request}
	l.settle()
	return l
}

// NewConcurrentList makes a list of which so many requests are in flight.
func NewConcurrentList(count, concurrency int, request func(i int) *engine.Request) *List {
	return &List{count: count, concurrency: concurrency, request: request}
}

func (l *List) settle() {
	l.ready = math.Inf(1)
	if l.next < l.count {
		l.ready = l.arrival(l.next)
	}
}

// Next implements [Source].
func (l *List) Next() (float64, bool) {
	if l.arrival == nil || l.next == l.count {
		return 0, false
	}
	return l.ready, true
}

// Admit implements [Source].
func (l *List) Admit(now float64, inFlight int) *engine.Request {
	if l.next == l.count {
		return nil
	}
	at := now
	if l.arrival == nil {
		if inFlight >= l.concurrency {
			return nil
		}
	} else if at = l.ready; at > now {
		return nil
	}
	r := l.request(l.next)
	r.ArrivalMs = at
	l.next++
	if l.arrival != nil {
		l.settle()
	}
	return r
}

// Ended implements [Source]: nothing follows from it.
func (l *List) Ended(float64, []*engine.Request) {}

// Left implements [Source].
func (l *List) Left() bool { return l.next < l.count }
