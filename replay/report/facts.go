package report

import (
	"encoding/json"

	"tracekit/graph"
)

// Facts is what the report must know at the end of the replay.
type Facts struct {
	EndMs   float64       // the last event that was handled; worker time ends here
	Agentic *AgenticFacts // nil unless the trace is a graph

	// Planner is the document of the planner, with sorted keys; nil unless it
	// is enabled. Only the dynamo stack shows it.
	Planner json.RawMessage

	// Provenance tells by role where pass times come from. Only the engine
	// stack shows it.
	Provenance map[string]Provenance
}

// Provenance tells where the pass times of a role come from.
type Provenance struct {
	Estimator    string // who computes them
	TimingSource string // fixed, polynomial or table
	DataVersion  string // of the tables; empty if there is none
	Reason       string // why there is no version
}

// AgenticFacts is what the report of a graph tells besides.
type AgenticFacts struct {
	Graph       graph.Identity
	TargetModel string // on which all requests run
	Plays       []PlayOutcome

	LifecycleEvents int
	LifecycleDigest string

	WekaTimestampBasis string // empty unless the trace is a Weka corpus
}

// PlayStatus is how far a play came.
type PlayStatus uint8

// The ways in which a play may stand at the end.
const (
	PlayCompleted PlayStatus = iota // every request completed
	PlayFailed
	PlayIncomplete // not settled
	playStatuses
)

// String returns the name that the summary uses.
func (s PlayStatus) String() string {
	return [playStatuses]string{"completed", "failed", "incomplete"}[s]
}

// PlayOutcome is how one play ended.
type PlayOutcome struct {
	PlayID string
	Status PlayStatus

	// CausalTerminalMs is the time of the first failure, else that of the
	// latest terminal.
	CausalTerminalMs Optional[float64]
	SettledAtMs      Optional[float64] // when nothing of it was left in the deployment

	RootDispatchedMs float64 // the earliest dispatch of a root; with PlayCompleted only

	// FailureRequestID is the request that failed first, and FailureStatus how
	// it ended; with PlayFailed only.
	FailureRequestID string
	FailureStatus    Status
}
