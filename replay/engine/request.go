package engine

import "tracekit/replay/kvcache"

// Request is a request in the hands of a scheduler. Lengths are tokens, times
// milliseconds of virtual time.
type Request struct {
	Ordinal int // order of creation, from 1
	Input   int
	Output  int // asked for
	// Tokens is the prompt. The scheduler appends what it generates.
	Tokens kvcache.Tokens
	// Authored is the output if the workload provides it; else what is
	// generated is known to this request alone, as a run with the ID Ordinal.
	Authored *kvcache.Tokens

	ArrivalMs   float64
	Admissions  []Admission
	Emitted     int // tokens that are visible
	FirstToken  float64
	SecondToken float64
	LastToken   float64
	Status      Status
	TerminalMs  float64

	Worker, Rank int // where it was placed

	// Scheduler is the scheduler's own state of the request.
	Scheduler any
	// Load is the load generator's own state of the request.
	Load any
}

// Admission is an admission to the running requests of a rank.
type Admission struct {
	AtMs   float64
	Reused int // tokens found in the cache
}

// Status is how a request ended.
type Status uint8

// Statuses.
const (
	Unended Status = iota
	Completed
	Rejected
	Canceled
	Failed
)

// Generated returns the tokens that a request emits from its from-th on, as
// runs.
func (r *Request) Generated(from, count int) kvcache.Tokens {
	var t kvcache.Tokens
	if r.Authored == nil {
		t.Append(kvcache.Run{ID: uint64(r.Ordinal), Start: from, Len: count})
		return t
	}
	at := 0
	for _, run := range r.Authored.Runs {
		begin, end := max(from, at), min(from+count, at+run.Len)
		if begin < end {
			part := run
			part.Len = end - begin
			if !run.Constant {
				part.Start += begin - at
			}
			t.Append(part)
		}
		at += run.Len
	}
	return t
}

// String returns the name that reports use.
func (s Status) String() string {
	return [...]string{"", "completed", "rejected", "canceled", "failed"}[s]
}
