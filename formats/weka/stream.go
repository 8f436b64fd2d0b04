package weka

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"tracekit/graph"
	"tracekit/internal/strictjson"
)

// call is a request being lowered: with its place in the play and its
// canonical start.
type call struct {
	*request
	id       string  // request id; calls of one play compare by it as by their source ids
	start    float64 // canonical, seconds from the trace start
	end      float64
	outer    int // index of the top-level entry it is, or is nested in
	position int // index in its own list of requests
	session  string
	stream   int // index in the play's list of streams

	head strictjson.Integers // block ids of its listed blocks, as text
	row  *graph.Node
}

// stream is a list of calls that follow one another: a session of the play.
type stream struct {
	calls      []*call
	forkSource *call // the call it branches off; nil for none
}

// requestOrder sorts by start, position and id (weka.md 8).
func requestOrder(a, b *call) int {
	return cmp.Or(compareTimes(a.start, b.start), cmp.Compare(a.position, b.position), strings.Compare(a.id, b.id))
}

// compareTimes is the total order of doubles: -0.0 comes before 0.0.
func compareTimes(a, b float64) int {
	if a == 0 && b == 0 {
		switch {
		case math.Signbit(a) == math.Signbit(b):
			return 0
		case math.Signbit(a):
			return -1
		}
		return 1
	}
	return cmp.Compare(a, b)
}

// split cuts a list of requests into streams by the prefixes they share
// (weka.md 8): the main stream first, then the workers. Calls is reordered.
func split(calls []*call) []stream {
	slices.SortFunc(calls, requestOrder)
	preamble, rest := cutPreamble(calls)
	chains := chainUp(rest)
	joinSeams(chains)

	var streams []stream
	for i, c := range chains {
		if !c.spliced() {
			streams = append(streams, stream{calls: c.calls, forkSource: c.forkSource})
		}
		if i == 0 {
			main := &streams[0]
			main.calls = append(main.calls, preamble...)
			slices.SortFunc(main.calls, requestOrder)
		}
	}
	return streams
}

// maxPreambleOutput is the longest answer, in tokens, of a call that is taken
// for a preamble although its blocks recur.
const maxPreambleOutput = 64

// cutPreamble separates a first call whose prompt nothing continues, such as
// one that asks for a title (weka.md 8.1). Calls is in request order.
func cutPreamble(calls []*call) (preamble, rest []*call) {
	if len(calls) < 2 || calls[0].hashes.Len == 0 {
		return nil, calls
	}
	first := calls[0]
	for _, c := range calls[1:] {
		if common, _ := first.hashes.CommonPrefix(c.hashes); common > 0 {
			return nil, calls
		}
	}
	if first.out > maxPreambleOutput {
		ids := map[uint64]bool{}
		for id := range first.hashes.All {
			ids[id] = true
		}
		for _, c := range calls[1:] {
			for id := range c.hashes.All {
				if ids[id] {
					return nil, calls
				}
			}
		}
	}
	return calls[:1], calls[1:]
}

// chain is a stream in the making (weka.md 8.2).
type chain struct {
	index      int
	calls      []*call
	tail       *call // its last call with hashes; nil for none
	forkSource *call
	depth      int    // blocks shared with the fork source
	into       *chain // the chain that it was spliced into

	// shared is how many leading blocks the tail has in common with the call
	// that chainUp placed last.
	shared int
}

func (c *chain) spliced() bool { return c.into != nil }

func (c *chain) first() *call { return c.calls[0] }

func (c *chain) append(r *call) {
	c.calls = append(c.calls, r)
	if r.hashes.Len > 0 {
		c.tail = r
	}
}

// chainUp distributes calls, in request order, over chains (weka.md 8.2).
func chainUp(calls []*call) []*chain {
	var chains []*chain
	var last *call // the call with hashes that was placed last
	for _, r := range calls {
		if len(chains) == 0 {
			c := &chain{shared: r.hashes.Len}
			c.append(r)
			chains = append(chains, c)
			last = c.tail
			continue
		}
		if r.hashes.Len == 0 {
			chains[0].append(r)
			continue
		}
		shareWith(chains, last, r)
		last = r
		if c := extended(chains, r); c != nil {
			c.append(r)
			c.shared = r.hashes.Len
			continue
		}
		parent := deepest(chains)
		if parent == nil {
			chains[0].append(r)
			chains[0].shared = r.hashes.Len
			continue
		}
		c := &chain{index: len(chains), shared: r.hashes.Len}
		if parent.shared > 0 {
			c.forkSource, c.depth = parent.tail, parent.shared
		}
		c.append(r)
		chains = append(chains, c)
	}
	return chains
}

// shareWith updates every chain's shared from the call last to the call r.
// If last and r have n blocks in common, a tail that shares fewer with last
// shares as many with r, and one that shares more shares just n. Only for
// those that share exactly n are the lists themselves compared.
func shareWith(chains []*chain, last, r *call) {
	if last == nil {
		return // no chain has a tail
	}
	n, _ := last.hashes.CommonPrefix(r.hashes)
	for _, c := range chains {
		switch {
		case c.tail == nil || c.shared < n:
		case c.shared > n || c.tail == last:
			c.shared = n
		default:
			c.shared, _ = c.tail.hashes.CommonPrefix(r.hashes)
		}
	}
}

// extended returns the chain that r continues: its tail is a prefix of r, of
// the same model, and has ended; the longest such, the first on a tie.
func extended(chains []*chain, r *call) (best *chain) {
	for _, c := range chains {
		t := c.tail
		if t == nil || c.shared != t.hashes.Len || t.model != r.model || t.end > r.start+epsilon {
			continue
		}
		if best == nil || t.hashes.Len > best.tail.hashes.Len {
			best = c
		}
	}
	return best
}

// deepest returns the chain with the longest shared prefix, then with the
// longest tail, then the first; nil when no chain has a tail.
func deepest(chains []*chain) (best *chain) {
	for _, c := range chains {
		if c.tail == nil {
			continue
		}
		if best == nil || c.shared > best.shared || c.shared == best.shared && c.tail.hashes.Len > best.tail.hashes.Len {
			best = c
		}
	}
	return best
}

// A chain that resumes after longer than seamGap seconds must share at least
// half of the prompt it resumes.
const (
	seamGap   = 3600
	seamShare = 0.5
)

// joinSeams splices chains whose prefix shrank, as by a compaction, onto the
// chains they continue (weka.md 8.3).
func joinSeams(chains []*chain) {
	registered := map[*call][]*chain{}
	holder := map[*call]*chain{}
	var keys []*call // fork sources to look at, each once
	register := func(source *call, c *chain) {
		registered[source] = append(registered[source], c)
		if !slices.Contains(keys, source) {
			keys = append(keys, source)
		}
	}
	for _, c := range chains {
		for _, r := range c.calls {
			holder[r] = c
		}
		if c.forkSource != nil {
			register(c.forkSource, c)
		}
	}
	for len(keys) > 0 {
		least := 0
		for i := range keys {
			if keys[i].id < keys[least].id {
				least = i
			}
		}
		source := keys[least]
		keys = slices.Delete(keys, least, least+1)

		owner := holder[source]
		for owner.spliced() {
			owner = owner.into
		}
		if owner.tail != source {
			continue
		}
		candidates := registered[source]
		seam := elect(source, candidates)
		if seam == nil {
			continue
		}
		owner.calls = append(owner.calls, seam.calls...)
		owner.tail = seam.tail
		seam.into = owner
		// The other branches may continue the new tail in their turn.
		tail := owner.tail
		for _, c := range candidates {
			if c.spliced() || tail.start > c.first().start+epsilon {
				continue
			}
			if depth, _ := tail.hashes.CommonPrefix(c.first().hashes); depth > 0 {
				c.forkSource, c.depth = tail, depth
				register(tail, c)
			}
		}
	}
}

// elect returns the chain among candidates that continues source, if any.
func elect(source *call, candidates []*chain) (best *chain) {
	for _, c := range candidates {
		first := c.first()
		if c.spliced() || c.depth == 0 || source.end > first.start+epsilon || first.model != source.model {
			continue
		}
		if first.start-source.end > seamGap && float64(c.depth)/float64(max(1, source.hashes.Len)) < seamShare {
			continue
		}
		if best == nil || c.depth > best.depth || c.depth == best.depth && c.index < best.index {
			best = c
		}
	}
	return best
}
