package engine

// Scheduler is one rank of a worker: its queues, its budget and its KV cache.
// The state changes when a pass is decided; what the pass puts out becomes
// visible at its end.
type Scheduler interface {
	// Submit puts a request at the back of the queue.
	Submit(r *Request)
	// Busy tells whether any request waits or runs.
	Busy() bool
	// Pass decides the next pass. Wave counts the passes of the worker since it
	// was last idle.
	Pass(now float64, wave int) *Pass
	// Steady returns how many passes from now on are plain decoding of the
	// same requests, at most limit, with the end of each appended to ends;
	// none if fewer than two. It changes nothing.
	Steady(now float64, limit int, ends []float64) []float64
	// Advance makes such passes happen, those that end at ends.
	Advance(now float64, ends []float64, out Sink)
	// Blocked describes each waiting request, for a run that cannot go on.
	Blocked() []string
}

// Pass is one decided pass of a rank.
type Pass struct {
	PrefillMs, DecodeMs float64
	Prefilled           int        // prompt tokens computed, for the report
	Finished            []*Request // ended without a token of this pass
	Tokens              []*Request // each emits one token, in order
	Ended               []bool     // of Tokens: this was its last
	Rejected            []*Request
	Progress            bool // something was admitted, scheduled, preempted or put out
}

// Sink takes what becomes visible.
type Sink interface {
	// Gaps tells that count tokens came gap ms after the ones before them.
	Gaps(gapMs float64, count int)
}
