package inspect

import (
	"maps"
	"slices"

	"tracekit/graph"
)

// Report is what is in a trace. docs/inspect.md defines every figure. Times
// are milliseconds of the trace's own clock, lengths are tokens.
type Report struct {
	BlockSize   uint64           `json:"block_size"` // tokens; 0 if it is not known
	Plays       int              `json:"plays"`
	Requests    int              `json:"requests"`
	Sessions    int              `json:"sessions"`     // distinct session ids
	Roots       int              `json:"roots"`        // requests that wait for none
	ZeroOutputs int              `json:"zero_outputs"` // requests for no output token
	Models      []ModelCount     `json:"models"`       // sorted by name
	Edges       graph.EdgeCounts `json:"edges"`

	RequestsPerPlay Distribution[int] `json:"requests_per_play"`
	SessionsPerPlay Distribution[int] `json:"sessions_per_play"`
	Depth           Distribution[int] `json:"depth"`   // of each play: requests on its longest chain of edges
	FanOut          Distribution[int] `json:"fan_out"` // of each request: requests that wait for it

	InputTokens    Distribution[uint64] `json:"input_tokens"`
	OutputTokens   Distribution[uint64] `json:"output_tokens"`
	ContextWindows []WindowCount        `json:"context_windows"`

	FirstMs    float64               `json:"first_ms"` // least not-before
	LastMs     float64               `json:"last_ms"`  // greatest not-before
	SpanMs     float64               `json:"span_ms"`  // between the two
	PlaySpanMs Distribution[float64] `json:"play_span_ms"`
	// GapInPlayMs is between neighbouring arrivals of a play.
	GapInPlayMs Distribution[float64] `json:"gap_in_play_ms"`
	// GapInTraceMs is between neighbouring arrivals of the trace; nil when all
	// plays begin at the same instant, each having its own clock.
	GapInTraceMs *Distribution[float64] `json:"gap_in_trace_ms,omitempty"`

	Blocks BlockSharing `json:"blocks"`

	Weka *WekaFacts `json:"weka,omitempty"` // of a Weka corpus; filled in by who opened it
}

// ModelCount is a model with its requests.
type ModelCount struct {
	Model    string `json:"model"`
	Requests int    `json:"requests"`
}

// WindowCount counts requests whose input and output together exceed a
// context window.
type WindowCount struct {
	Tokens   uint64  `json:"tokens"`
	Requests int     `json:"requests_above"`
	Share    float64 `json:"share_above"` // of all requests
}

// BlockSharing tells how much of the prompts was there before.
type BlockSharing struct {
	References int `json:"references"` // blocks of all prompts
	Distinct   int `json:"distinct"`   // different ones among them
	// IdealHitRate is the share of references to a block that the trace has
	// referred to before: what an endless cache would have held.
	IdealHitRate float64      `json:"ideal_hit_rate"`
	Curve        []CachePoint `json:"curve"` // in the order of Options.CacheSizes
}

// CachePoint is the outcome of a cache of limited size.
type CachePoint struct {
	Blocks  int     `json:"cache_blocks"`
	Tokens  uint64  `json:"cache_tokens"` // 0 if the block size is not known
	Hits    int     `json:"hits"`
	HitRate float64 `json:"hit_rate"` // hits of all references
}

// Report returns the figures of the plays added so far.
func (c *Collector) Report() Report {
	r := Report{
		BlockSize: c.opts.BlockSize,
		Plays:     c.plays, Requests: c.counts.Requests, Sessions: len(c.sessions),
		Roots: c.counts.Roots, ZeroOutputs: c.counts.ZeroOutputs, Edges: c.counts.Edges,
		RequestsPerPlay: c.requestsPerPlay.distribution(), SessionsPerPlay: c.sessionsPerPlay.distribution(),
		Depth: c.depth.distribution(), FanOut: c.fanOut.distribution(),
		InputTokens: c.input.distribution(), OutputTokens: c.output.distribution(),
		PlaySpanMs: c.playSpan.distribution(), GapInPlayMs: c.gapInPlay.distribution(),
		Blocks: c.blocks.sharing(c.opts.BlockSize),
		Models: []ModelCount{}, ContextWindows: []WindowCount{},
	}
	for _, model := range slices.Sorted(maps.Keys(c.models)) {
		r.Models = append(r.Models, ModelCount{model, c.models[model]})
	}
	for i, tokens := range c.opts.ContextWindows {
		r.ContextWindows = append(r.ContextWindows, WindowCount{tokens, c.above[i], share(c.above[i], r.Requests)})
	}
	starts := c.starts.distribution()
	r.FirstMs, r.LastMs, r.SpanMs = starts.Min, starts.Max, starts.Max-starts.Min
	if c.oneClock {
		gaps := c.starts.gaps().distribution()
		r.GapInTraceMs = &gaps
	}
	return r
}

func (s *stack) sharing(blockSize uint64) BlockSharing {
	b := BlockSharing{
		References: s.references, Distinct: s.distinct,
		IdealHitRate: share(s.references-s.distinct, s.references), Curve: []CachePoint{},
	}
	for i, size := range s.sizes {
		b.Curve = append(b.Curve, CachePoint{size, uint64(size) * blockSize, s.hits[i], share(s.hits[i], s.references)})
	}
	return b
}

// share returns part / whole, 0 of nothing.
func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
