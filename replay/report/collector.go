package report

// Options is what the report must know before the replay begins.
type Options struct {
	Dynamo        bool // documents and rows of the dynamo stack, not of the engine stack
	Capture       bool // keep a row of every request
	SLA           *SLA // nil: no goodput
	Disaggregated bool

	// ZerosIfNoneCompleted makes a replay in which no request completed a
	// valid one whose figures are zero. The engine stack does not know it.
	ZerosIfNoneCompleted bool

	// Workers describes the workers of each pool; those of pools that the
	// deployment does not have are left out.
	Workers [pools]WorkerSize
}

// WorkerSize is what one worker is made of.
type WorkerSize struct {
	Tensor        int // tensor parallelism
	AttentionData int // attention-data ranks, each with a scheduler
}

// Collector gathers what happens in one replay. It is not safe for concurrent
// use.
type Collector struct {
	options Options

	arrived   int // requests that exist
	prefilled int // committed prompt tokens
	workers   [pools]workerTime
	gaps      gaps
	latencies latencies
	totals    totals
	archive   archive // with Capture only
}

// totals are the sums over completed requests.
type totals struct {
	completed      int
	input          int // tokens
	output         int // tokens
	reused         int // prompt tokens, the most of all admissions of a request
	firstReused    int // prompt tokens, at the first admission
	lastTerminalMs float64
	good           goodput
}

// New returns a collector that knows of nothing yet.
func New(options Options) *Collector {
	return &Collector{options: options}
}

// Arrived counts a request that was handed to the deployment.
func (c *Collector) Arrived() { c.arrived++ }

// Prefilled counts prompt tokens that a finished pass has computed.
func (c *Collector) Prefilled(tokens int) { c.prefilled += tokens }

// Workers says that from atMs on the pool holds that many workers: serving,
// starting up or draining. It is called at the start and after every change,
// in time order within a pool.
func (c *Collector) Workers(pool Pool, provisioned int, atMs float64) {
	c.workers[pool].change(provisioned, atMs)
}

// Gaps counts tokens that became visible gapMs after the token before them
// in their request, count in number. Only requests that complete have a
// say: where the replay may be cut off, the caller keeps the gaps of a request
// until it has ended.
func (c *Collector) Gaps(gapMs float64, count int) { c.gaps.add(max(0, gapMs), count) }

// Ended counts a request that has ended. The slices of the record are copied;
// what it points to is kept and must not change any more.
func (c *Collector) Ended(r *Record) {
	if r.Status == Completed && len(r.Admissions) > 0 {
		c.complete(r)
	}
	if c.options.Capture {
		c.archive.add(r)
	}
}

func (c *Collector) complete(r *Record) {
	first, most := r.Admissions[0].ReusedTokens, 0
	for _, admission := range r.Admissions {
		most = max(most, admission.ReusedTokens)
	}
	t := &c.totals
	t.completed++
	t.input += r.InputLength
	t.output += r.OutputLength
	t.reused += most
	t.firstReused += first
	t.lastTerminalMs = max(t.lastTerminalMs, r.TerminalMs)
	if c.options.SLA.holds(r) {
		t.good.requests++
		t.good.tokens += r.OutputLength
	}
	c.latencies.add(r)
}
