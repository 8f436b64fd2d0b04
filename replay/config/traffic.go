package config

import "tracekit/formats"

// Traffic is the workload: what is asked, when, and until when.
type Traffic struct {
	Source Source
	Load   LoadShape
	Stop   Stop
}

// SourceType says where requests come from.
type SourceType string

// The kinds of sources.
const (
	SourceSynthetic        SourceType = "synthetic"
	SourceSyntheticSession SourceType = "synthetic-session"
	SourceTrace            SourceType = "trace"
)

// Source is where requests come from. Exactly the pointer of its Type is set.
type Source struct {
	Type      SourceType
	Synthetic *Synthetic
	Session   *Session
	Trace     *Trace
}

// Synthetic is independent requests of equal lengths.
type Synthetic struct {
	InputTokens  int
	OutputTokens int
}

// Session is generated conversations of equal shape.
type Session struct {
	NewInputTokensPerTurn int
	OutputTokensPerTurn   int
	Turns                 int     // at least 2
	SharedPrefixRatio     float64 // 0 to 1; above 0 only with PrefixGroups
	PrefixGroups          int
	InterTurnDelayMs      float64 // ms between an answer and the next turn
}

// NestedBasis says what the timestamps of nested Weka requests count from.
type NestedBasis string

// The nested timestamp bases. The empty one means that none was given.
const (
	NestedBasisAuto     NestedBasis = "auto"
	NestedBasisAbsolute NestedBasis = "absolute"
	NestedBasisRelative NestedBasis = "relative"
)

// Trace is recorded requests.
type Trace struct {
	Paths  []string // as given: relative to the working directory of the process; one, but for dynamo
	Format formats.Name
	// BlockSize is the tokens per block hash. It is nil where it comes from
	// the data: with dynamo and weka unless given.
	BlockSize *int
	// NestedBasis counts with weka only.
	NestedBasis NestedBasis
}

// LoadType says when requests are admitted.
type LoadType string

// The kinds of loads.
const (
	LoadConcurrency     LoadType = "concurrency"
	LoadConstantRate    LoadType = "constant_rate"
	LoadPoisson         LoadType = "poisson"
	LoadTraceTimestamps LoadType = "trace_timestamps"
)

// LoadShape says when requests are admitted.
type LoadShape struct {
	Type LoadType
	// Concurrency is the requests or sessions in flight; LoadConcurrency only.
	Concurrency int
	// PerSecond is the requests of a synthetic source, or the sessions of a
	// session source, per second; LoadConstantRate and LoadPoisson only.
	PerSecond float64
	// Seed is for LoadPoisson only. It is 42 when none is given.
	Seed uint64
	// Speedup divides the times of a trace; LoadTraceTimestamps only.
	Speedup float64
	// AgenticLanes bounds the plays in flight; nil for no lanes.
	// LoadTraceTimestamps only.
	AgenticLanes *int
}

// Stop says when admission ends. A generated source has exactly one of the
// counts, a trace none: it ends by itself.
type Stop struct {
	Requests              int      // 0 for none; counts per load unit are multiplied out
	Sessions              int      // 0 for none; the same
	MaxVirtualTimeSeconds *float64 // s of virtual time; traces only
}
