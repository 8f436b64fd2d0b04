package mooncake

import (
	"strconv"
	"strings"

	"tracekit/graph"
)

// Session is a conversation: requests of which each waits for the one before.
// Times are milliseconds.
type Session struct {
	Name     string  // its session_id, or request_N of line N
	Named    bool    // its first row has a session_id
	StartMs  float64 // timestamp of the first turn, when HasStart
	HasStart bool
	Turns    []Turn // at least one, in file order
}

// Turn is one request of a session. Lengths are tokens, times milliseconds.
type Turn struct {
	Line         int // in the file, from 1, blank lines counted
	InputLength  uint64
	OutputLength uint64 // may be 0
	// HashIDs are the block identities of the prompt in the order of its
	// blocks; there may be more than it has blocks.
	HashIDs graph.Integers
	// OutputTokenIDs is the authored output, nil when there is none.
	OutputTokenIDs *graph.Integers
	// ReplayKey names the authored output; empty when there is none.
	ReplayKey string
	// DelayMs is the wait after the turn before has ended; 0 for the first.
	DelayMs   float64
	RequestID string // empty when there is none; need not be unique

	Priority       int32
	StrictPriority uint32
	PolicyClass    *string // nil when there is none
}

// generatedName is the name of the session of a row that gives none.
func generatedName(line int) string { return "request_" + strconv.Itoa(line) }

// replayKey names the authored output of a row that is turn number turn, from
// 0, of its session.
func (r *row) replayKey(turn int) string {
	switch id := strings.TrimSpace(r.RequestID); {
	case id != "":
		return id
	case strings.TrimSpace(r.sessionID) != "":
		return r.sessionID + ":" + strconv.Itoa(turn)
	}
	return "line:" + strconv.Itoa(r.Line-1)
}
