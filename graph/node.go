package graph

import (
	"tracekit/internal/strictjson"
)

// Integers is an array of unsigned integers kept as canonical text.
type Integers = strictjson.Integers

// Node is one request of a trace (graph-identity.md 1). Times are virtual
// milliseconds, lengths are tokens.
type Node struct {
	RequestID string
	PlayID    string
	// Ordinal is the place of the play in its source, when HasOrdinal.
	Ordinal    uint64
	HasOrdinal bool
	SessionID  string
	Model      string

	InputLength     uint64 // > 0
	MaxOutputTokens uint64
	// OutputTokenIDs is the authored output, nil when there is none. An empty
	// list is an authored output too.
	OutputTokenIDs *Integers
	HashIDs        HashIDs // exactly ceil(InputLength / block size)

	NotBeforeMs float64
	// RecordedAPITimeMs is the service time seen in the recording, when
	// HasAPITime. It never drives a replay.
	RecordedAPITimeMs float64
	HasAPITime        bool

	Priority       int32
	StrictPriority uint32
	PolicyClass    *string // nil when there is none; empty is a class

	// Dependencies are the incoming edges in the order of their producer.
	Dependencies []Dependency
}

// HashIDs is the list of block identities of a prompt, one for each block.
//
// It is held as the canonical text in which every format writes it, in up to
// two pieces: prompts that grow from one another share the memory of their
// common blocks and each have a private tail.
type HashIDs struct {
	Head, Tail Integers
}

// Len returns the number of ids, which is the number of blocks.
func (h HashIDs) Len() int { return h.Head.Len + h.Tail.Len }

// AppendText appends the ids in decimal, separated by commas.
func (h HashIDs) AppendText(dst []byte) []byte {
	dst = append(dst, h.Head.Text...)
	if h.Head.Len > 0 && h.Tail.Len > 0 {
		dst = append(dst, ',')
	}
	return append(dst, h.Tail.Text...)
}

// All calls yield with each id in order until it returns false.
func (h HashIDs) All(yield func(uint64) bool) {
	more := true
	h.Head.All(func(id uint64) bool { more = yield(id); return more })
	if more {
		h.Tail.All(yield)
	}
}

// Trigger is the event of a predecessor that starts the delay of an edge.
type Trigger uint8

// Triggers, in canonical order.
const (
	Dispatch   Trigger = iota // the predecessor is sent
	Completion                // the predecessor has ended
	triggers   = 2
)

// Relation says why an edge exists.
type Relation uint8

// Relations, in canonical order.
const (
	Sequence      Relation = iota // next request of a stream
	Spawn                         // a stream starts from a request of another
	Join                          // a request waits for a stream that it started
	ReplayBarrier                 // a request was seen to start after another stream's had ended
	relations     = 4
)

var (
	triggerNames  = [triggers]string{"dispatch", "completion"}
	relationNames = [relations]string{"sequence", "spawn", "join", "replay_barrier"}
)

// String returns the name that the formats use.
func (t Trigger) String() string { return triggerNames[t] }

// String returns the name that the formats use.
func (r Relation) String() string { return relationNames[r] }

// ParseTrigger returns the trigger of that name.
func ParseTrigger(name []byte) (Trigger, bool) {
	for i, known := range triggerNames {
		if string(name) == known {
			return Trigger(i), true
		}
	}
	return 0, false
}

// ParseRelation returns the relation of that name.
func ParseRelation(name []byte) (Relation, bool) {
	for i, known := range relationNames {
		if string(name) == known {
			return Relation(i), true
		}
	}
	return 0, false
}

// Allowed tells whether a relation may have the trigger: spawn has either,
// the others only completion.
func (r Relation) Allowed(t Trigger) bool { return r == Spawn || t == Completion }

// Dependency is an edge from a predecessor to the node that holds it.
type Dependency struct {
	Predecessor string // request id
	Trigger     Trigger
	DelayMs     float64 // ≥ 0
	Relation    Relation
}
