package mooncake

import (
	"fmt"

	"tracekit/formats"
	"tracekit/graph"
	"tracekit/internal/strictjson"
)

// model is what the graph calls the model: the rows tell none.
const model = "unknown"

// Request ids are sNNNNNNNNN:tNNNNNN, so that their byte order is the order of
// sessions and turns.
const (
	sessionDigits = 9
	turnDigits    = 6
	mostSessions  = 1_000_000_000
	mostTurns     = 1_000_000
)

// checkCounts refuses more sessions and turns than request ids can number.
func (t *Trace) checkCounts(mostSessions, mostTurns int) error {
	refuse := func(line int, found string, most int) error {
		return &formats.Error{File: t.file.name, Line: line, Found: found, Rule: fmt.Sprintf("request ids of the graph number %d at most", most)}
	}
	if n := len(t.sessions); n > mostSessions {
		return refuse(t.sessions[mostSessions].Turns[0].Line, fmt.Sprintf("the file has %d sessions", n), mostSessions)
	}
	for i := range t.sessions {
		if s := &t.sessions[i]; len(s.Turns) > mostTurns {
			return refuse(s.Turns[mostTurns].Line, fmt.Sprintf("the session %q has %d turns", s.Name, len(s.Turns)), mostTurns)
		}
	}
	return nil
}

// lowering makes nodes of turns.
type lowering struct {
	blockSize uint64
	twoStep   bool
	scratch   []byte
}

func (t *Trace) lowering() *lowering {
	return &lowering{blockSize: t.BlockSize(), twoStep: t.file.opts.Semantics.TwoStepDecimals()}
}

// play lowers session number at.
func (l *lowering) play(s *Session, at int) (*graph.Play, error) {
	nodes := make([]graph.Node, 0, len(s.Turns))
	previous := ""
	for k := range s.Turns {
		nodes = append(nodes, l.node(s, at, k, previous))
		previous = nodes[k].RequestID
	}
	return graph.NewPlay(nodes)
}

// node lowers a turn of session number at, after the node of that id if it is
// not the first.
func (l *lowering) node(s *Session, at, turn int, previous string) graph.Node {
	t := &s.Turns[turn]
	n := graph.Node{
		RequestID: l.requestID(at, turn),
		PlayID:    s.Name, Ordinal: uint64(at), HasOrdinal: true,
		SessionID: s.Name, Model: model,
		InputLength: t.InputLength, MaxOutputTokens: t.OutputLength,
		OutputTokenIDs: t.OutputTokenIDs,
		HashIDs:        graph.HashIDs{Head: t.HashIDs.Prefix(int(blocks(t.InputLength, l.blockSize)))},
		Priority:       t.Priority, StrictPriority: t.StrictPriority, PolicyClass: t.PolicyClass,
	}
	if turn == 0 {
		n.NotBeforeMs = l.roundTrip(s.StartMs)
	} else {
		n.Dependencies = []graph.Dependency{{Predecessor: previous, Trigger: graph.Completion, DelayMs: l.roundTrip(t.DelayMs), Relation: graph.Sequence}}
	}
	return n
}

func (l *lowering) requestID(session, turn int) string {
	var id [1 + sessionDigits + 2 + turnDigits]byte
	id[0] = 's'
	putDigits(id[1:1+sessionDigits], session)
	copy(id[1+sessionDigits:], ":t")
	putDigits(id[1+sessionDigits+2:], turn)
	return string(id[:])
}

// putDigits fills dst with the decimal digits of n.
func putDigits(dst []byte, n int) {
	for i := len(dst) - 1; i >= 0; i-- {
		dst[i] = byte('0' + n%10)
		n /= 10
	}
}

// roundTrip returns what a time is after it was printed and read back, as in a
// conversion. With correct rounding it stays what it is.
func (l *lowering) roundTrip(ms float64) float64 {
	if !l.twoStep {
		return ms
	}
	l.scratch = strictjson.AppendReal(l.scratch[:0], ms)
	back, err := strictjson.ParseReal(l.scratch, true)
	if err != nil {
		return ms // not finite: refused when the file was opened
	}
	return back
}
