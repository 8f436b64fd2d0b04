package weka_test

import (
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/zeebo/blake3"

	"tracekit/formats/weka"
	"tracekit/graph"
)

// This file is the plain twin of lowering: weka.md 7 to 11 word by word, on
// lists of numbers, each thing computed anew where it is needed. It knows
// nothing of the package but the names of the bases.

type plainDocument struct {
	ID        string       `json:"id"`
	BlockSize uint64       `json:"block_size"`
	Requests  []plainEntry `json:"requests"`
}

type plainEntry struct {
	Type       string        `json:"type"`
	T          float64       `json:"t"`
	Model      string        `json:"model"`
	In         uint64        `json:"in"`
	Out        uint64        `json:"out"`
	HashIDs    []uint64      `json:"hash_ids"`
	APITime    *float64      `json:"api_time"`
	AgentID    string        `json:"agent_id"`
	Status     string        `json:"status"`
	DurationMs *int64        `json:"duration_ms"`
	Requests   []*plainEntry `json:"requests"`
}

// plainCall is a request with its place.
type plainCall struct {
	*plainEntry
	source   string // source id
	start    float64
	position int
	outer    int
	session  string
	edges    []graph.Dependency
}

const plainEpsilon = 1e-6

func (c *plainCall) end() float64 {
	if c.APITime == nil {
		return c.start
	}
	return c.start + math.Max(*c.APITime, 0)
}

type plainStream struct {
	calls []*plainCall
	fork  *plainCall
}

func plainPrefix(a, b []uint64) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func inRequestOrder(calls []*plainCall) []*plainCall {
	sorted := slices.Clone(calls)
	slices.SortFunc(sorted, func(a, b *plainCall) int {
		switch {
		case a.start != b.start:
			return less(a.start < b.start)
		case a.position != b.position:
			return less(a.position < b.position)
		}
		return strings.Compare(a.source, b.source)
	})
	return sorted
}

func less(yes bool) int {
	if yes {
		return -1
	}
	return 1
}

// plainChain is a chain of weka.md 8.2.
type plainChain struct {
	calls   []*plainCall
	fork    *plainCall
	depth   int
	spliced bool
}

// tail is the chain's last request with hashes.
func (c *plainChain) tail() *plainCall {
	for _, r := range slices.Backward(c.calls) {
		if len(r.HashIDs) > 0 {
			return r
		}
	}
	return nil
}

// plainSplit is weka.md 8.
func plainSplit(calls []*plainCall) []*plainStream {
	calls = inRequestOrder(calls)
	var preamble []*plainCall
	if plainIsPreamble(calls) {
		preamble, calls = calls[:1], calls[1:]
	}
	chains, registered := plainChains(calls)
	plainSeams(chains, registered)
	var streams []*plainStream
	for i, c := range chains {
		if c.spliced {
			continue
		}
		s := &plainStream{calls: c.calls, fork: c.fork}
		if i == 0 {
			s.calls = inRequestOrder(slices.Concat(preamble, c.calls))
		}
		streams = append(streams, s)
	}
	return streams
}

func plainIsPreamble(calls []*plainCall) bool {
	if len(calls) < 2 || len(calls[0].HashIDs) == 0 {
		return false
	}
	first := calls[0]
	recurs := false
	for _, c := range calls[1:] {
		if plainPrefix(first.HashIDs, c.HashIDs) > 0 {
			return false
		}
		for _, id := range first.HashIDs {
			recurs = recurs || slices.Contains(c.HashIDs, id)
		}
	}
	return first.Out <= 64 || !recurs
}

func plainChains(calls []*plainCall) (chains []*plainChain, registered map[*plainCall][]*plainChain) {
	registered = map[*plainCall][]*plainChain{}
	for _, r := range calls {
		if len(chains) == 0 { // step 1
			chains = append(chains, &plainChain{calls: []*plainCall{r}})
			continue
		}
		if len(r.HashIDs) == 0 { // step 2
			chains[0].calls = append(chains[0].calls, r)
			continue
		}
		var extended *plainChain // step 3
		for _, c := range chains {
			t := c.tail()
			if t == nil || len(t.HashIDs) > len(r.HashIDs) || plainPrefix(t.HashIDs, r.HashIDs) != len(t.HashIDs) ||
				t.Model != r.Model || t.end() > r.start+plainEpsilon {
				continue
			}
			if extended == nil || len(t.HashIDs) > len(extended.tail().HashIDs) {
				extended = c
			}
		}
		if extended != nil {
			extended.calls = append(extended.calls, r)
			continue
		}
		if !slices.ContainsFunc(chains, func(c *plainChain) bool { return c.tail() != nil }) { // step 4
			chains[0].calls = append(chains[0].calls, r)
			continue
		}
		var parent *plainChain // step 5
		depth := 0
		for _, c := range chains {
			t := c.tail()
			if t == nil {
				continue
			}
			shared := plainPrefix(t.HashIDs, r.HashIDs)
			if shared > depth || shared == depth && shared > 0 && len(t.HashIDs) > len(parent.tail().HashIDs) {
				parent, depth = c, shared
			}
		}
		fresh := &plainChain{calls: []*plainCall{r}, depth: depth}
		if parent != nil {
			fresh.fork = parent.tail()
			registered[fresh.fork] = append(registered[fresh.fork], fresh)
		}
		chains = append(chains, fresh)
	}
	return chains, registered
}

// plainSeams is weka.md 8.3.
func plainSeams(chains []*plainChain, registered map[*plainCall][]*plainChain) {
	keys := map[*plainCall]bool{}
	for source := range registered {
		keys[source] = true
	}
	holds := func(r *plainCall) *plainChain { // spliced chains have given their requests away
		for _, c := range chains {
			if !c.spliced && slices.Contains(c.calls, r) {
				return c
			}
		}
		return nil
	}
	for len(keys) > 0 {
		var k *plainCall
		for key := range keys {
			if k == nil || key.source < k.source {
				k = key
			}
		}
		delete(keys, k)
		owner := holds(k)
		if owner.tail() != k {
			continue
		}
		var elected *plainChain
		for i, c := range chains { // by index, so that the lowest wins a tie
			if c.spliced || !slices.Contains(registered[k], c) || c.depth == 0 {
				continue
			}
			f := chains[i].calls[0]
			if k.end() > f.start+plainEpsilon || f.Model != k.Model ||
				f.start-k.end() > 3600 && float64(c.depth)/math.Max(1, float64(len(k.HashIDs))) < 0.5 {
				continue
			}
			if elected == nil || c.depth > elected.depth {
				elected = c
			}
		}
		if elected == nil {
			continue
		}
		owner.calls = append(owner.calls, elected.calls...)
		elected.spliced = true
		n := owner.tail()
		for _, c := range slices.Clone(registered[k]) {
			f := c.calls[0]
			if shared := plainPrefix(n.HashIDs, f.HashIDs); !c.spliced && n.start <= f.start+plainEpsilon && shared > 0 {
				c.fork, c.depth = n, shared
				registered[n] = append(registered[n], c)
				keys[n] = true
			}
		}
	}
}

func plainMs(seconds float64) float64 { return math.Round(math.Max(seconds, 0)*1e9) / 1e6 }

func plainHash(domain, identity string) uint64 {
	sum := blake3.Sum256([]byte(domain + "\x00" + identity + "\x000"))
	return binary.LittleEndian.Uint64(sum[:])
}

// plainLower makes the nodes of a document, sorted by request id. Every
// document it is given has a top-level request before its first marker, and
// inner requests that do not come before theirs.
func plainLower(text []byte, name string, ordinal uint64, basis weka.Basis) (nodes []graph.Node) {
	var doc plainDocument
	if err := json.Unmarshal(text, &doc); err != nil {
		panic(err)
	}
	sum := blake3.Sum256([]byte(name))
	ns := "weka:" + hex.EncodeToString(sum[:8])

	var all, top []*plainCall
	byOuter := map[int]*plainCall{}
	inner := map[int][]*plainCall{}
	for i := range doc.Requests {
		e := &doc.Requests[i]
		if e.Type != "subagent" {
			c := &plainCall{plainEntry: e, source: fmt.Sprintf("outer:%d", i), start: e.T, position: i, outer: i}
			all, top, byOuter[i] = append(all, c), append(top, c), c
			continue
		}
		for j, r := range e.Requests {
			start := math.Max(r.T, e.T)
			if basis == weka.BasisRelative {
				start = e.T + r.T
			}
			c := &plainCall{plainEntry: r, source: fmt.Sprintf("outer:%d:inner:%d", i, j), start: start, position: j, outer: i}
			all, inner[i] = append(all, c), append(inner[i], c)
		}
	}

	// Streams, scopes and joins: weka.md 8, 9.
	nameSessions := func(streams []*plainStream, session string) {
		for k, s := range streams {
			for _, c := range s.calls {
				c.session = session
				if k > 0 {
					c.session = fmt.Sprintf("%s:worker:%d", session, k-1)
				}
			}
		}
	}
	type join struct {
		target   *plainCall
		children []*plainStream
	}
	streams := plainSplit(top)
	nameSessions(streams, ns+":session:root")
	scopes := [][]*plainStream{streams}
	var joins []join
	for i, e := range doc.Requests {
		if e.Type != "subagent" || len(e.Requests) == 0 {
			continue
		}
		var owner *plainCall
		for _, c := range top {
			if c.outer < i && (owner == nil || c.outer > owner.outer) {
				owner = c
			}
		}
		children := plainSplit(inner[i])
		children[0].fork = owner
		nameSessions(children, fmt.Sprintf("%s:session:subagent:%d:%s", ns, i, e.AgentID))
		scopes = append(scopes, children)
		streams = append(streams, children...)
		if e.Status != "completed" {
			continue
		}
		end := math.Inf(-1)
		for _, c := range inner[i] {
			end = math.Max(end, c.end())
		}
		if e.DurationMs != nil {
			end = e.T + float64(*e.DurationMs)/1000
		}
		for outer := i + 1; outer < len(doc.Requests); outer++ {
			if c := byOuter[outer]; c != nil && c.session == owner.session && c.start+plainEpsilon >= end {
				joins = append(joins, join{c, children})
				break
			}
		}
	}

	// Edges: weka.md 10.
	requestID := func(c *plainCall) string { return ns + ":request:" + c.source }
	edge := func(to, from *plainCall, relation graph.Relation, trigger graph.Trigger, ms float64) {
		to.edges = append(to.edges, graph.Dependency{Predecessor: requestID(from), Trigger: trigger, DelayMs: ms, Relation: relation})
	}
	for _, s := range streams {
		for i := 1; i < len(s.calls); i++ {
			edge(s.calls[i], s.calls[i-1], graph.Sequence, graph.Completion, plainMs(s.calls[i].start-s.calls[i-1].end()))
		}
	}
	for _, s := range streams {
		switch first := s.calls[0]; {
		case s.fork == nil:
		case first.start < s.fork.end():
			edge(first, s.fork, graph.Spawn, graph.Dispatch, plainMs(first.start-s.fork.start))
		default:
			edge(first, s.fork, graph.Spawn, graph.Completion, plainMs(first.start-s.fork.end()))
		}
	}
	for _, scope := range scopes {
		for _, s := range scope {
			for _, r := range s.calls {
				for _, c := range plainFrontier(scope, s, r) {
					edge(r, c, graph.ReplayBarrier, graph.Completion, 0)
				}
			}
		}
	}
	for _, j := range joins {
		for _, s := range j.children {
			last := s.calls[len(s.calls)-1]
			edge(j.target, last, graph.Join, graph.Completion, plainMs(j.target.start-last.end()))
		}
	}
	root := streams[0].calls[0]
	for _, s := range streams {
		if first := s.calls[0]; first != root && len(first.edges) == 0 {
			edge(first, root, graph.Spawn, graph.Dispatch, plainMs(first.start-root.start))
		}
	}

	// Rows: weka.md 11, 12.
	earliest := math.Inf(1)
	for _, c := range all {
		earliest = math.Min(earliest, c.start)
	}
	for _, c := range all {
		node := graph.Node{
			RequestID: requestID(c), PlayID: ns + ":play:" + doc.ID, Ordinal: ordinal, HasOrdinal: true, SessionID: c.session, Model: c.Model,
			InputLength: c.In, MaxOutputTokens: c.Out, NotBeforeMs: plainMs(c.start - earliest), Dependencies: c.edges,
			HashIDs: graph.HashIDs{Head: plainBlocks(c, doc.BlockSize, name, requestID(c))},
		}
		if c.APITime != nil {
			node.HasAPITime, node.RecordedAPITimeMs = true, plainMs(*c.APITime)
		}
		nodes = append(nodes, node)
	}
	slices.SortFunc(nodes, func(a, b graph.Node) int { return strings.Compare(a.RequestID, b.RequestID) })
	return nodes
}

// plainFrontier is the frontier of r, a request of stream own.
func plainFrontier(scope []*plainStream, own *plainStream, r *plainCall) (kept []*plainCall) {
	var frontier []*plainCall
	for _, s := range scope {
		if s == own {
			continue
		}
		var latest *plainCall
		for _, c := range s.calls {
			if c.start >= r.start || c.end() > r.start+plainEpsilon {
				continue
			}
			if latest == nil || c.end() > latest.end() || c.end() == latest.end() &&
				(c.start > latest.start || c.start == latest.start && c.source > latest.source) {
				latest = c
			}
		}
		if latest != nil {
			frontier = append(frontier, latest)
		}
	}
	for _, c := range frontier {
		if !slices.ContainsFunc(frontier, func(l *plainCall) bool { return c.start < l.start && c.end() <= l.start+plainEpsilon }) {
			kept = append(kept, c)
		}
	}
	return kept
}

// plainBlocks is weka.md 11 for one request.
func plainBlocks(c *plainCall, blockSize uint64, name, requestID string) graph.Integers {
	var ids []string
	full := c.In / blockSize
	for b := range full {
		identity := fmt.Sprintf("private:missing:%s:%d", requestID, b)
		if b < uint64(len(c.HashIDs)) {
			identity = fmt.Sprintf("source:%s:%d", name, c.HashIDs[b])
		}
		ids = append(ids, fmt.Sprint(plainHash("weka-full-block", identity)))
	}
	if c.In%blockSize != 0 {
		ids = append(ids, fmt.Sprint(plainHash("weka-partial-tail", fmt.Sprintf("%s:%d:%d", requestID, full, c.In))))
	}
	return graph.Integers{Text: []byte(strings.Join(ids, ",")), Len: len(ids)}
}

// hasCycle tells whether the edges of nodes form a cycle: it takes away nodes
// that wait for nothing left, again and again.
func hasCycle(nodes []graph.Node) bool {
	left := slices.Clone(nodes)
	for {
		waits := func(n graph.Node) bool {
			return slices.ContainsFunc(n.Dependencies, func(d graph.Dependency) bool {
				return slices.ContainsFunc(left, func(other graph.Node) bool { return other.RequestID == d.Predecessor })
			})
		}
		rest := slices.DeleteFunc(slices.Clone(left), func(n graph.Node) bool { return !waits(n) })
		if len(rest) == len(left) {
			return len(left) > 0
		}
		left = rest
	}
}
