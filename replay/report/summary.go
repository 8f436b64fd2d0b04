package report

// Summary holds the figures of a replay. All but Requests,
// CommittedPrefillTokens and those about workers are over the requests that
// completed.
type Summary struct {
	// NoneCompleted says that the prediction is invalid, because no request
	// completed: latencies and throughputs have no value, files show null in
	// their place. It is never set with Options.ZerosIfNoneCompleted on the
	// dynamo stack.
	NoneCompleted bool

	Requests               int // that arrived
	Completed              int
	InputTokens            int
	OutputTokens           int // emitted, not requested
	CommittedPrefillTokens int

	DurationMs        float64 // virtual time from 0 to the last completion
	RequestThroughput float64 // requests/s
	InputThroughput   float64 // tokens/s
	OutputThroughput  float64 // tokens/s
	TotalThroughput   float64 // tokens/s

	PrefillWorkerSeconds float64
	DecodeWorkerSeconds  float64 // in an aggregated deployment, of its workers
	PrefillGPUsPerWorker int
	DecodeGPUsPerWorker  int // in an aggregated deployment, of its workers
	GPUHours             float64

	// Shares of prompt tokens found in the cache: at the best admission of
	// each request, and at the first.
	ReusedRatio      float64
	FirstReusedRatio float64

	TTFT           Distribution // time to first token, ms
	TTST           Distribution // from the first to the second token, ms
	TPOT           Distribution // average gap of each request, ms
	E2E            Distribution // arrival to last token, ms
	ITL            Distribution // all gaps between tokens, ms
	UserThroughput Distribution // tokens/s, one sample for every gap

	Goodput      *Goodput      // nil without bounds
	Trajectories *Trajectories // nil unless the trace is a graph
}

// Goodput tells of the requests that keep all bounds.
type Goodput struct {
	Requests          int
	RequestThroughput float64 // requests/s
	OutputThroughput  float64 // tokens/s
}

// Trajectories tells of the plays of a graph.
type Trajectories struct {
	Total     int
	Completed int
	E2E       Distribution // completed ones: dispatch of the root to the last terminal, ms
}

// summary computes all figures.
func (c *Collector) summary(facts *Facts) Summary {
	c.gaps.flush()
	t := &c.totals
	seconds := max(t.lastTerminalMs/1000, 1e-9)
	last := Aggregated
	if c.options.Disaggregated {
		last = Decode
	}
	s := Summary{
		NoneCompleted: t.completed == 0 && (!c.options.Dynamo || !c.options.ZerosIfNoneCompleted),

		Requests:               c.arrived,
		Completed:              t.completed,
		InputTokens:            t.input,
		OutputTokens:           t.output,
		CommittedPrefillTokens: c.prefilled,

		DurationMs:        t.lastTerminalMs,
		RequestThroughput: float64(t.completed) / seconds,
		InputThroughput:   float64(t.input) / seconds,
		OutputThroughput:  float64(t.output) / seconds,
		TotalThroughput:   float64(t.input+t.output) / seconds,

		DecodeWorkerSeconds: c.workers[last].seconds(facts.EndMs),
		DecodeGPUsPerWorker: c.options.Workers[last].gpus(),

		TTFT:           exactly(c.latencies.ttft),
		TTST:           exactly(c.latencies.ttst),
		TPOT:           exactly(c.latencies.tpot),
		E2E:            exactly(c.latencies.e2e),
		ITL:            c.gaps.itl.distribution(),
		UserThroughput: c.gaps.rates.distribution(),
	}
	if c.options.Disaggregated {
		s.PrefillWorkerSeconds = c.workers[Prefill].seconds(facts.EndMs)
		s.PrefillGPUsPerWorker = c.options.Workers[Prefill].gpus()
	}
	s.GPUHours = (s.PrefillWorkerSeconds*float64(s.PrefillGPUsPerWorker) +
		s.DecodeWorkerSeconds*float64(s.DecodeGPUsPerWorker)) / 3600
	if t.input > 0 {
		s.ReusedRatio = float64(t.reused) / float64(t.input)
		s.FirstReusedRatio = float64(t.firstReused) / float64(t.input)
	}
	if c.options.SLA != nil {
		s.Goodput = &Goodput{t.good.requests, float64(t.good.requests) / seconds, float64(t.good.tokens) / seconds}
	}
	if facts.Agentic != nil {
		s.Trajectories = trajectories(facts.Agentic.Plays)
	}
	return s
}

// gpus returns how many GPUs a worker holds.
func (s WorkerSize) gpus() int { return s.Tensor * s.AttentionData }

func trajectories(plays []PlayOutcome) *Trajectories {
	t := &Trajectories{Total: len(plays)}
	var samples []float64
	for i := range plays {
		if play := &plays[i]; play.Status == PlayCompleted {
			samples = append(samples, max(0, play.CausalTerminalMs.Value-play.RootDispatchedMs))
		}
	}
	t.Completed = len(samples)
	t.E2E = exactly(samples)
	return t
}
