package workload

import "tracekit/replay/engine"

// Source hands out requests as virtual time, in milliseconds, goes on.
type Source interface {
	// Next returns when the next request is ready; false if none will be
	// before some request has ended.
	Next() (ms float64, ok bool)
	// Admit returns the next request to be admitted at now, with so many in
	// flight; nil if there is none.
	Admit(now float64, inFlight int) *engine.Request
	// Ended tells of all requests that ended at one instant.
	Ended(now float64, requests []*engine.Request)
	// Left tells whether requests are left that have not been admitted.
	Left() bool
}

// Label is what a request is called in the rows of a report.
type Label struct {
	Session    string
	HasSession bool
	Turn       int

	// Of graphs.
	RequestID, PlayID string
	RootID, ParentID  string // "" for none
	Lane              int    // -1 without lanes
	DispatchedMs      float64
	Graph             bool

	node int // index of the node, or of the session
}

// LabelOf returns the label that a source has given a request.
func LabelOf(r *engine.Request) *Label {
	l, _ := r.Load.(*Label)
	return l
}
