package weka

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/zeebo/blake3"

	"tracekit/formats"
	"tracekit/graph"
	"tracekit/internal/semantics"
	"tracekit/internal/strictjson"
)

// lowerer turns checked documents into plays (weka.md 7 to 11), one after
// another. What it returns is valid until its next call.
type lowerer struct {
	twoStep bool
	basis   Basis
	place   place
	doc     *document

	namespace string
	calls     []call       // all calls of the play, in document order
	order     []*call      // the same by request id
	nodes     []graph.Node // their rows, in that order
	play      *graph.Play
	streams   []stream
	scopes    [][2]int // first and behind-last stream of each scope
	joins     []join
	start     float64 // of the earliest call
	blocks    blockNames
	scratch   []byte
	tail      []byte // names of unlisted and partial blocks of one call
	err       *formats.Error
}

// join is a request that waits for the streams of a subagent.
type join struct {
	target      *call
	first, last int // streams, last not included
}

// namespaceOf returns the beginning of all names of a document (weka.md 7).
func namespaceOf(name string) string {
	sum := blake3.Sum256([]byte(name))
	return "weka:" + hex.EncodeToString(sum[:8])
}

// lower makes the play of a document, complete but for the hash ids of its
// nodes, which hashIDs gives.
func (l *lowerer) lower(pl place, doc *document, ordinal int, basis Basis) *formats.Error {
	l.place, l.doc, l.basis, l.err, l.play = pl, doc, basis, nil, nil
	l.namespace = namespaceOf(pl.name)
	l.streams, l.scopes, l.joins = l.streams[:0], l.scopes[:0], l.joins[:0]
	for _, step := range []func(){l.collect, l.cutStreams, func() { l.rows(ordinal) }, l.edges, l.validate, l.nameBlocks} {
		step()
		if l.err != nil {
			return l.err
		}
	}
	return nil
}

// fail records the first error, about a field of an entry of the document.
func (l *lowerer) fail(w where, field, found, rule, remedy string) {
	if l.err != nil {
		return
	}
	e := &l.doc.entries[w.outer]
	offset := e.offset
	if w.inner != noInner {
		offset = e.marker.requests[w.inner].offset
	}
	c := checker{doc: l.doc}
	l.err = l.place.problem(offset, c.object(w), w.path(field), found, rule, remedy)
}

func (l *lowerer) where(c *call) where {
	if l.doc.entries[c.outer].marker == nil {
		return where{c.outer, noInner}
	}
	return where{c.outer, c.position}
}

// collect lists all calls with their ids and canonical starts.
func (l *lowerer) collect() {
	total := len(l.doc.entries)
	for i := range l.doc.entries {
		if m := l.doc.entries[i].marker; m != nil {
			total += len(m.requests) - 1
		}
	}
	l.calls = slices.Grow(l.calls[:0], total)
	l.start = math.Inf(1)
	// All ids lie in one string.
	ids := l.scratch[:0]
	bounds := make([]int, 1, total+1)
	_ = l.doc.each(func(w where, r *request) *formats.Error {
		start, position := r.start, w.outer
		ids = append(ids, l.namespace...)
		ids = append(ids, ":request:outer:"...)
		ids = strconv.AppendInt(ids, int64(w.outer), 10)
		if w.inner != noInner {
			ids = append(ids, ":inner:"...)
			ids = strconv.AppendInt(ids, int64(w.inner), 10)
			start, position = l.canonicalStart(w, r), w.inner
		}
		bounds = append(bounds, len(ids))
		l.calls = append(l.calls, call{request: r, start: start, end: r.end(start), outer: w.outer, position: position})
		l.start = min(l.start, start)
		return l.err
	})
	l.scratch = ids
	text := string(ids)
	for i := range l.calls {
		l.calls[i].id = text[bounds[i]:bounds[i+1]]
	}
}

// canonicalStart returns when an inner request starts, counted from the
// beginning of the trace (weka.md 6).
func (l *lowerer) canonicalStart(w where, r *request) float64 {
	marker := l.doc.entries[w.outer].marker.at
	if l.basis == BasisRelative {
		start := marker + r.start
		if math.IsInf(start, 0) {
			l.fail(w, "t", fmt.Sprintf("%v s after the marker at %v s is beyond the range of a double", r.start, marker), "times must be finite", "")
		}
		return start
	}
	if r.start < marker-epsilon {
		l.fail(w, "t", fmt.Sprintf("%v s lies before the marker at %v s", r.start, marker),
			"nested requests count from the start of the trace, and begin no earlier than their marker",
			"if they count from the marker, pass --timestamp-basis relative, --repair "+RepairNestedClock+", or "+semantics.ProgramHint())
	}
	return max(r.start, marker)
}

// cutStreams splits the top-level calls and those of each subagent, and finds
// the joins (weka.md 8, 9).
func (l *lowerer) cutStreams() {
	var outer []*call
	for i := range l.calls {
		if l.doc.entries[l.calls[i].outer].marker == nil {
			outer = append(outer, &l.calls[i])
		}
	}
	if len(outer) == 0 {
		l.fail(where{0, noInner}, "", "every entry is a subagent", "a play has at least one request at top level", "")
		return
	}
	byOuter := make([]*call, len(l.doc.entries)) // the top-level call of each entry
	for _, c := range outer {
		byOuter[c.outer] = c
	}
	l.addScope(split(outer), l.namespace+":session:root")

	next := 0 // first call that may belong to the entry
	var owner *call
	for i := range l.doc.entries {
		marker := l.doc.entries[i].marker
		if marker == nil {
			owner = byOuter[i]
			next++
			continue
		}
		if owner == nil {
			l.fail(where{i, noInner}, "", "no request comes before this subagent", "a subagent belongs to the request before it in the list", "")
			return
		}
		inner := make([]*call, len(marker.requests))
		for j := range inner {
			inner[j] = &l.calls[next+j]
		}
		next += len(inner)
		if len(inner) == 0 {
			continue // launched, but nothing of it was recorded
		}
		childEnd := math.Inf(-1)
		for _, c := range inner {
			childEnd = max(childEnd, c.end)
		}
		if marker.hasDuration {
			childEnd = marker.at + float64(marker.durationMs)/1000
		}
		streams := split(inner)
		streams[0].forkSource = owner
		first := len(l.streams)
		l.addScope(streams, l.namespace+":session:subagent:"+strconv.Itoa(i)+":"+marker.agentID)
		if marker.blocking() {
			if target := joinTarget(byOuter[i+1:], owner.stream, childEnd); target != nil {
				l.joins = append(l.joins, join{target, first, len(l.streams)})
			}
		}
	}
}

// joinTarget returns the first call of the list, which may have gaps, that
// lies in the stream and does not start before end.
func joinTarget(calls []*call, stream int, end float64) *call {
	for _, c := range calls {
		if c != nil && c.stream == stream && c.start+epsilon >= end {
			return c
		}
	}
	return nil
}

// addScope adds the streams that one list of requests was split into, and
// names their sessions.
func (l *lowerer) addScope(streams []stream, session string) {
	first := len(l.streams)
	for k, s := range streams {
		name := session
		if k > 0 {
			name += ":worker:" + strconv.Itoa(k-1)
		}
		for _, c := range s.calls {
			c.session, c.stream = name, first+k
		}
	}
	l.streams = append(l.streams, streams...)
	l.scopes = append(l.scopes, [2]int{first, len(l.streams)})
}

// milliseconds converts seconds to whole nanoseconds, in milliseconds, and
// sends the result once through its decimal form (weka.md 10).
func (l *lowerer) milliseconds(c *call, field string, seconds float64) float64 {
	ms := 0.0
	if seconds > 0 {
		ms = math.Round(seconds*1e9) / 1e6
	}
	if math.IsInf(ms, 0) {
		l.fail(l.where(c), field, fmt.Sprintf("a span of %v s is beyond the range of a double in nanoseconds", seconds), "times must be finite in nanoseconds", "")
		return 0
	}
	// Below this many milliseconds, 2^53 ns, the way there and back is exact.
	const exact = (1 << 53) / 1e6
	if ms < exact {
		return ms
	}
	l.scratch = strictjson.AppendReal(l.scratch[:0], ms)
	back, err := strictjson.ParseReal(l.scratch, l.twoStep)
	if err != nil {
		l.fail(l.where(c), field, err.Error(), "times must be finite", "")
	}
	return back
}

// rows makes the nodes, with all but edges and hash ids.
func (l *lowerer) rows(ordinal int) {
	l.order = l.order[:0]
	for i := range l.calls {
		l.order = append(l.order, &l.calls[i])
	}
	slices.SortFunc(l.order, func(a, b *call) int { return strings.Compare(a.id, b.id) })
	l.nodes = slices.Grow(l.nodes[:0], len(l.order))[:len(l.order)]
	play := l.namespace + ":play:" + l.doc.id
	for i, c := range l.order {
		c.row = &l.nodes[i]
		*c.row = graph.Node{
			RequestID: c.id, PlayID: play, Ordinal: uint64(ordinal), HasOrdinal: true,
			SessionID: c.session, Model: c.model,
			InputLength: c.in, MaxOutputTokens: c.out,
			NotBeforeMs:  l.milliseconds(c, "t", c.start-l.start),
			HasAPITime:   c.hasAPITime,
			Dependencies: c.row.Dependencies[:0],
		}
		if c.hasAPITime {
			c.row.RecordedAPITimeMs = l.milliseconds(c, "api_time", c.apiTime)
		}
	}
}

// validate holds the play against the rules of the graph. Only a cycle can
// break them: an owner that starts later than the request that waits for its
// subagent.
func (l *lowerer) validate() {
	play, err := graph.NewPlay(l.nodes)
	if err == nil {
		l.play = play
		return
	}
	at := where{0, noInner}
	found, rule := err.Error(), ""
	var broken *graph.RuleError
	if errors.As(err, &broken) {
		found, rule = broken.Found, broken.Rule
		for _, c := range l.order {
			if c.id == broken.RequestID {
				at = l.where(c)
			}
		}
	}
	l.fail(at, "", found, rule, "check the times of the entries: a request in the list before a subagent's marker launched it")
}

func (l *lowerer) addEdge(to, from *call, relation graph.Relation, trigger graph.Trigger, seconds float64) {
	to.row.Dependencies = append(to.row.Dependencies, graph.Dependency{
		Predecessor: from.id, Trigger: trigger, DelayMs: l.milliseconds(to, "t", seconds), Relation: relation,
	})
}

// edges adds the edges of the play in the order of weka.md 10, which the
// rows keep.
func (l *lowerer) edges() {
	for _, s := range l.streams {
		for i := 1; i < len(s.calls); i++ {
			from, to := s.calls[i-1], s.calls[i]
			l.addEdge(to, from, graph.Sequence, graph.Completion, to.start-from.end)
		}
	}
	for _, s := range l.streams {
		to, from := s.calls[0], s.forkSource
		switch {
		case from == nil:
		case to.start < from.end:
			l.addEdge(to, from, graph.Spawn, graph.Dispatch, to.start-from.start)
		default:
			l.addEdge(to, from, graph.Spawn, graph.Completion, to.start-from.end)
		}
	}
	for _, scope := range l.scopes {
		l.barriers(l.streams[scope[0]:scope[1]])
	}
	for _, j := range l.joins {
		for _, s := range l.streams[j.first:j.last] {
			last := s.calls[len(s.calls)-1]
			l.addEdge(j.target, last, graph.Join, graph.Completion, j.target.start-last.end)
		}
	}
	root := l.streams[0].calls[0]
	for _, s := range l.streams {
		if first := s.calls[0]; first != root && len(first.row.Dependencies) == 0 {
			l.addEdge(first, root, graph.Spawn, graph.Dispatch, first.start-root.start)
		}
	}
}

// barriers adds, to each call of the streams of a scope, the latest calls of
// the other streams that had ended before it (the frontier of weka.md 10).
func (l *lowerer) barriers(streams []stream) {
	if len(streams) < 2 {
		return
	}
	byEnd := make([][]*call, len(streams))
	for i, s := range streams {
		byEnd[i] = slices.Clone(s.calls)
		slices.SortFunc(byEnd[i], func(a, b *call) int {
			return cmp.Or(compareTimes(a.end, b.end), compareTimes(a.start, b.start), strings.Compare(a.id, b.id))
		})
	}
	var frontier []*call
	for i, s := range streams {
		for _, r := range s.calls {
			frontier = frontier[:0]
			latest := math.Inf(-1)
			for k := range streams {
				if k == i {
					continue
				}
				if c := lastBefore(byEnd[k], r); c != nil {
					frontier = append(frontier, c)
					latest = max(latest, c.start)
				}
			}
			for _, c := range frontier {
				// A member that had ended when a later one began says nothing
				// that the later one does not say. If any member tells so, the
				// one that began last does.
				if c.start < latest && c.end <= latest+epsilon {
					continue
				}
				l.addEdge(r, c, graph.ReplayBarrier, graph.Completion, 0)
			}
		}
	}
}

// lastBefore returns the last call, in order of their ends, that started
// before r and had ended when r started.
func lastBefore(byEnd []*call, r *call) *call {
	behind, _ := slices.BinarySearchFunc(byEnd, r.start, func(c *call, start float64) int {
		if c.end <= start+epsilon {
			return -1
		}
		return 1
	})
	for i := behind - 1; i >= 0; i-- {
		if byEnd[i].start < r.start {
			return byEnd[i]
		}
	}
	return nil
}
