package agentic

import (
	"errors"
	"fmt"
	"math"
	"strings"

	"tracekit/formats"
	"tracekit/formats/jsonl"
	"tracekit/graph"
)

// hasher maps an id to the 64 bits that stand for it while a file is read.
type hasher func(string) uint64

// errCollision is met when two different request ids have the same hash: the
// file must be read again with another hasher.
var errCollision = errors.New("two request ids have the same hash")

// marks is what the facts of a batch need that takes time to compute.
type marks struct {
	ids          []uint64 // hash of each request id
	sessions     []uint64 // hash of each session id
	edges        []uint64 // hash of each predecessor
	fingerprints []uint64 // of each node, if asked for
}

// marker makes what computes the marks of batches.
func (f *facts) marker(hash hasher) func() func(*batch) {
	return func() func(*batch) {
		var fingerprinter *graph.Fingerprinter
		if f.trace.opts.Fingerprints {
			fingerprinter = new(graph.Fingerprinter)
		}
		return func(b *batch) { b.marks.compute(b.nodes, hash, fingerprinter) }
	}
}

func (m *marks) compute(nodes []graph.Node, hash hasher, fingerprinter *graph.Fingerprinter) {
	m.ids, m.sessions, m.edges, m.fingerprints = m.ids[:0], m.sessions[:0], m.edges[:0], m.fingerprints[:0]
	for i := range nodes {
		n := &nodes[i]
		m.ids = append(m.ids, hash(n.RequestID))
		m.sessions = append(m.sessions, hash(n.SessionID))
		for _, d := range n.Dependencies {
			m.edges = append(m.edges, hash(d.Predecessor))
		}
		if fingerprinter != nil {
			m.fingerprints = append(m.fingerprints, fingerprinter.Node(n))
		}
	}
}

// mostRows is how many rows and edges 32-bit numbers can count.
const mostRows = math.MaxInt32 - 1

// playFacts is what is kept of a play.
type playFacts struct {
	id          string
	ordinal     uint64
	hasOrdinal  bool
	rows        int32
	firstRow    int32
	otherRow    int32 // first row with another ordinal; 0, which is a first row, if none
	fingerprint uint64
}

// facts is what is kept of the rows while the file is read for the first
// time: a few words for each, no text. Rows are numbered in file order.
type facts struct {
	trace *Trace

	rowOf     rowIndex       // by hash of the request id
	firstEdge column[int32]  // of each row, in edges
	edges     column[uint64] // hashes of predecessors, row after row
	order     orderFinder

	playOf      map[string]int32 // by play id
	lastPlay    int32
	sessions    map[uint64]struct{} // by hash
	lastSession uint64
	models      map[string]struct{}
}

func newFacts(t *Trace) *facts {
	return &facts{trace: t, playOf: map[string]int32{}, sessions: map[uint64]struct{}{}, models: map[string]struct{}{}}
}

// add takes in the rows of a batch, checks that their ids are new, and then
// reports the problem of the batch, if it has one.
func (f *facts) add(b *batch) error {
	edges := 0
	for i := range b.nodes {
		n := &b.nodes[i]
		if err := f.addID(n.RequestID, b.marks.ids[i], b.places[i]); err != nil {
			return err
		}
		f.addPlay(n, b, i)
		f.addCounts(n, b.marks.sessions[i])
		f.firstEdge.add(int32(f.edges.size))
		for range n.Dependencies {
			f.edges.add(b.marks.edges[edges])
			edges++
		}
	}
	if b.problem != nil {
		return b.problem.In(f.trace.source.Name, b.line)
	}
	if max(f.edges.size, f.trace.offsets.size) > mostRows {
		return &formats.Error{File: f.trace.source.Name, Found: "the file has too many rows or edges", Rule: fmt.Sprintf("at most %d of each can be handled", mostRows)}
	}
	return nil
}

func (f *facts) addID(id string, hash uint64, at place) error {
	if other, taken := f.rowOf.find(hash); taken {
		return f.duplicate(int(other), id, at)
	}
	f.rowOf.add(hash)
	f.trace.offsets.add(at.offset)
	return nil
}

// duplicate decides whether a row really has the id of an earlier one.
func (f *facts) duplicate(other int, id string, at place) error {
	t := f.trace
	known, err := t.requestID(other)
	if err != nil {
		return err
	}
	if known != id {
		return errCollision
	}
	row, err := t.reread(at.offset)
	if err != nil {
		return err
	}
	line, err := t.lineOf(other)
	if err != nil {
		return err
	}
	return (&jsonl.Problem{Offset: row.fields.At(fieldRequestID), Object: requestName(id), Path: "request_id",
		Found: fmt.Sprintf("the request on line %d has the same id", line), Rule: "request ids are unique in a file"}).In(t.source.Name, at.line)
}

func (f *facts) addPlay(n *graph.Node, b *batch, i int) {
	t := f.trace
	row := int32(t.playOf.size)
	samePlay := row > 0 && t.plays[f.lastPlay].id == n.PlayID
	f.order.add(row, n.RequestID, samePlay)
	at := f.lastPlay
	if !samePlay {
		at = f.play(n, row)
	}
	p := &t.plays[at]
	p.rows++
	if p.otherRow == 0 && (n.HasOrdinal != p.hasOrdinal || n.Ordinal != p.ordinal) {
		p.otherRow = row
	}
	if t.opts.Fingerprints {
		p.fingerprint += b.marks.fingerprints[i]
	}
	t.playOf.add(at)
	f.lastPlay = at
}

// play returns the index of the play of a row, which may be a new one.
func (f *facts) play(n *graph.Node, row int32) int32 {
	if known, ok := f.playOf[n.PlayID]; ok {
		return known
	}
	t := f.trace
	at := int32(len(t.plays))
	id := strings.Clone(n.PlayID)
	f.playOf[id] = at
	t.plays = append(t.plays, playFacts{id: id, ordinal: n.Ordinal, hasOrdinal: n.HasOrdinal, firstRow: row})
	return at
}

func (f *facts) addCounts(n *graph.Node, session uint64) {
	s := &f.trace.summary
	s.Requests++
	s.Edges.Add(n.Dependencies)
	if len(n.Dependencies) == 0 {
		s.Roots++
	}
	if n.MaxOutputTokens == 0 {
		s.ZeroOutputs++
	}
	if session != f.lastSession || s.Requests == 1 {
		f.sessions[session], f.lastSession = struct{}{}, session
		s.Sessions = len(f.sessions)
	}
	if _, known := f.models[n.Model]; !known {
		model := strings.Clone(n.Model)
		f.models[model] = struct{}{}
		s.Models = append(s.Models, model)
	}
}
