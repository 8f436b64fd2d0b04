package report

// Pool is a group of like workers.
type Pool uint8

// The pools. An aggregated deployment has the first, a disaggregated one the
// other two.
const (
	Aggregated Pool = iota
	Prefill
	Decode
	pools
)

// String returns the name that rows use.
func (p Pool) String() string { return [pools]string{"agg", "prefill", "decode"}[p] }

// Status is how a request ended.
type Status uint8

// The ways to end.
const (
	Completed Status = iota
	Rejected         // its prompt can never fit
	Canceled
	Failed
	statuses
)

// String returns the name that rows use.
func (s Status) String() string {
	return [statuses]string{"completed", "rejected", "canceled", "failed"}[s]
}

// Optional is a value that may be unknown, which rows write as null. Its zero
// value is unknown.
type Optional[T any] struct {
	Value T
	Known bool
}

// Some returns a known value.
func Some[T any](value T) Optional[T] { return Optional[T]{value, true} }

// Record is the life of one request that has ended.
type Record struct {
	Ordinal int // from 1, in the order in which requests are created

	Agentic *AgenticLabels // nil unless the trace is a graph

	// SessionID and Turn count with HasSession only. Turn counts from 0; rows
	// of a graph do not show it.
	HasSession bool
	SessionID  string
	Turn       int

	ArrivalMs    float64
	DispatchedMs float64 // when the graph driver released it; with Agentic only

	InputLength     int // prompt tokens
	RequestedOutput int // tokens asked for
	OutputLength    int // tokens that became visible

	// FirstTokenMs and LastTokenMs count with one token at least,
	// SecondTokenMs with two.
	FirstTokenMs  float64
	SecondTokenMs float64
	LastTokenMs   float64

	Status     Status
	TerminalMs float64

	Admissions []Admission // in time order
	Routing    []Routing   // in the order of the decisions, one per pool visited

	Handover *Handover // nil in an aggregated deployment
}

// AgenticLabels is what a node of a graph is called. Empty labels are unknown;
// the conversation is the session of the record.
type AgenticLabels struct {
	RequestID string
	PlayID    string
	RootID    string // the only root of the play
	ParentID  string // predecessor of its spawn edge
	LaneID    string
	CacheID   string
}

// Admission is one entry into the running requests of a scheduler.
type Admission struct {
	Pool         Pool
	AtMs         float64
	ReusedTokens int // prompt tokens found in the cache
}

// Routing is one choice of a worker.
type Routing struct {
	Pool   Pool
	Queued bool // the router kept the request from EnteredMs to ReleasedMs
	Scored bool // workers were compared: SelectedBlocks and BestBlocks are known

	Worker int // replica in the pool, from 0
	Rank   int // attention-data rank in the worker, from 0

	EnteredMs  float64
	ReleasedMs float64

	OverlapTokens  int // as the router reported it
	SelectedBlocks int // overlap of the chosen worker
	BestBlocks     int // the largest overlap of all that could be chosen
}

// Handover is when a request passed the stages between prefill and decode,
// each for the first time.
type Handover struct {
	SourceHeldMs           Optional[float64] // prompt done, blocks held at the source
	DestinationReservedMs  Optional[float64] // room reserved
	DestinationActivatedMs Optional[float64] // transferred
	SourceReleasedMs       Optional[float64] // blocks released at the source
}
