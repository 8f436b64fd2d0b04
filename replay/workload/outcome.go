package workload

import (
	"encoding/hex"
	"math"
	"strconv"

	"github.com/zeebo/blake3"

	"tracekit/internal/strictjson"
)

// Outcome is how a play went. Times are milliseconds.
type Outcome struct {
	PlayID    string
	Completed bool // every request has completed
	Failed    bool // one has not, and what was in flight then has ended
	Failure   Failure
	// CausalTerminalMs is when it failed, or its last request ended; NaN if
	// none has.
	CausalTerminalMs float64
	SettledMs        float64 // when nothing of it was left; NaN if something is
	RootAdmittedMs   float64 // of the root that was admitted first; of a completed play
}

// Outcomes returns how the plays went, in play order.
func (g *Graph) Outcomes() []Outcome {
	out := make([]Outcome, 0, len(g.plays))
	for i := range g.plays {
		p := &g.plays[i]
		o := Outcome{PlayID: p.id, CausalTerminalMs: math.NaN(), SettledMs: math.NaN()}
		if p.ended > 0 {
			o.CausalTerminalMs = p.lastTerminal
		}
		if p.failed {
			o.CausalTerminalMs, o.Failure = p.failure.AtMs, p.failure
		}
		if p.settled {
			o.SettledMs = p.settledAt
			o.Failed = p.failed
			o.Completed = !p.failed
			o.RootAdmittedMs = p.firstAdmitted
		}
		out = append(out, o)
	}
	return out
}

// Lifecycle returns the number of events of the replay and their digest
// (agentic-replay.md 7).
func (g *Graph) Lifecycle() (events int, digest string) {
	l := &g.lifecycle
	l.begin()
	return l.count, hex.EncodeToString(l.hash.Sum(nil))
}

// lifecycle hashes the events of a replay as they happen.
type lifecycle struct {
	hash  *blake3.Hasher
	count int
	line  []byte
}

func (l *lifecycle) begin() {
	if l.hash == nil {
		l.hash = blake3.New()
		_, _ = l.hash.Write([]byte("aisimulate-agentic-lifecycle-v1\x00"))
	}
}

// event adds one. Request and status may be empty.
func (l *lifecycle) event(atMs float64, play, request, event, status string) {
	l.begin()
	b := append(l.line[:0], `{"schema":"aisimulate.agentic.lifecycle.v1","ordinal":`...)
	b = strconv.AppendInt(b, int64(l.count), 10)
	b = append(b, `,"at_ms":`...)
	b = strictjson.AppendReal(b, atMs)
	b = append(b, `,"play_id":`...)
	b = strictjson.AppendString(b, play)
	if request != "" {
		b = append(b, `,"request_id":`...)
		b = strictjson.AppendString(b, request)
	}
	b = append(b, `,"event":"`...)
	b = append(b, event...)
	b = append(b, '"')
	if status != "" {
		b = append(b, `,"status":"`...)
		b = append(b, status...)
		b = append(b, '"')
	}
	l.line = append(b, "}\n"...)
	_, _ = l.hash.Write(l.line)
	l.count++
}
