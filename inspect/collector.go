package inspect

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/cespare/xxhash/v2"

	"tracekit/graph"
)

// Options tell what a [Collector] looks for. The zero value is fine.
type Options struct {
	BlockSize uint64 // tokens of a block; 0 if it is not known
	// PlaysShareNothing promises that no block occurs in two plays, as in
	// traces made from Weka corpora. The report is the same, and memory is
	// bounded by the largest play.
	PlaysShareNothing bool
	ContextWindows    []uint64 // in tokens; nil for the common ones
	CacheSizes        []int    // in blocks; nil for powers of four from 1,024
}

// commonWindows are context windows that models are served with.
var commonWindows = []uint64{8 << 10, 32 << 10, 64 << 10, 128 << 10, 200_000, 256 << 10, 512 << 10, 1 << 20}

// commonSizes are 1k, 4k, … 4M blocks.
var commonSizes = []int{1 << 10, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20, 1 << 22}

// Collector gathers the figures of a trace from its plays.
type Collector struct {
	opts Options

	plays    int
	counts   graph.Summary // roots, zero outputs, edges, requests
	models   map[string]int
	sessions map[uint64]int // hash of a session id → number of the last play that had it

	requestsPerPlay, sessionsPerPlay, depth, fanOut tally[int]

	input, output tally[uint64]
	above         []int // by context window: requests that do not fit

	starts, playSpan, gapInPlay tally[float64] // ms
	firstPlay                   float64        // when the first play begins
	oneClock                    bool           // some play begins at another time than the first

	blocks *stack

	shape shape
	order []int // nodes of a play as they arrive
}

// New returns a collector that has seen no play.
func New(opts Options) *Collector {
	if opts.ContextWindows == nil {
		opts.ContextWindows = commonWindows
	}
	if opts.CacheSizes == nil {
		opts.CacheSizes = commonSizes
	}
	opts.ContextWindows, opts.CacheSizes = slices.Clone(opts.ContextWindows), slices.Clone(opts.CacheSizes)
	return &Collector{
		opts:   opts,
		models: map[string]int{}, sessions: map[uint64]int{},
		requestsPerPlay: tally[int]{}, sessionsPerPlay: tally[int]{}, depth: tally[int]{}, fanOut: tally[int]{},
		input: tally[uint64]{}, output: tally[uint64]{},
		above:  make([]int, len(opts.ContextWindows)),
		starts: tally[float64]{}, playSpan: tally[float64]{}, gapInPlay: tally[float64]{},
		blocks: newStack(opts.CacheSizes),
	}
}

// Add takes the next play in play order. It keeps nothing of it.
func (c *Collector) Add(p *graph.Play) {
	c.plays++
	sessions := 0
	previous := 0.0
	order := c.arrivals(p)
	first := arrival(&p.Nodes[order[0]])
	for k, i := range order {
		n := &p.Nodes[i]
		c.counts.Count(n)
		c.addModel(n.Model)
		if c.addSession(n.SessionID) {
			sessions++
		}
		c.addLengths(n.InputLength, n.MaxOutputTokens)
		at := arrival(n)
		c.starts[at]++
		if k > 0 {
			c.gapInPlay[at-previous]++
		}
		previous = at
		c.blocks.prompt(n.HashIDs)
	}
	c.blocks.endPlay()
	if c.opts.PlaysShareNothing {
		c.blocks.forget()
	}

	c.requestsPerPlay[len(p.Nodes)]++
	c.sessionsPerPlay[sessions]++
	c.playSpan[previous-first]++
	if c.plays == 1 {
		c.firstPlay = first
	}
	c.oneClock = c.oneClock || first != c.firstPlay

	c.depth[c.shape.measure(p)]++
	for _, successors := range c.shape.fanOut {
		c.fanOut[successors]++
	}
}

// arrivals returns the nodes of a play by not-before, then request id.
func (c *Collector) arrivals(p *graph.Play) []int {
	c.order = c.order[:0]
	for i := range p.Nodes {
		c.order = append(c.order, i)
	}
	slices.SortStableFunc(c.order, func(a, b int) int { return cmp.Compare(p.Nodes[a].NotBeforeMs, p.Nodes[b].NotBeforeMs) })
	return c.order
}

// arrival returns the not-before of a node, with -0 as 0.
func arrival(n *graph.Node) float64 { return max(n.NotBeforeMs, 0) }

func (c *Collector) addModel(name string) {
	if _, known := c.models[name]; !known {
		name = strings.Clone(name) // it may be part of a larger text
	}
	c.models[name]++
}

// addSession tells whether the session is new in the play.
func (c *Collector) addSession(id string) bool {
	hash := xxhash.Sum64String(id)
	if c.sessions[hash] == c.plays {
		return false
	}
	c.sessions[hash] = c.plays
	return true
}

func (c *Collector) addLengths(input, output uint64) {
	c.input[input]++
	c.output[output]++
	total := input + output
	if total < input {
		total = math.MaxUint64
	}
	for i, window := range c.opts.ContextWindows {
		if total > window {
			c.above[i]++
		}
	}
}
