package workload

import (
	"math"
	"slices"
	"strings"

	"tracekit/graph"
	"tracekit/replay/engine"
)

// GraphOptions tell how a graph is replayed.
type GraphOptions struct {
	Speedup float64 // divides times and delays of the trace; 1 for none
	Lanes   int     // plays at a time; 0 for no lanes
	// SharedQueue has every free lane take the next play of one queue; else
	// play i belongs to lane i mod Lanes (loadgen.md 6.2).
	SharedQueue bool
	Request     func(n *graph.Node, index int) *engine.Request
}

// Graph is a source of plays: a node is ready when all requests it waits for
// have been sent or have ended (loadgen.md 6).
type Graph struct {
	opts  GraphOptions
	nodes []graphNode // by request id
	plays []graphPlay // in play order
	lanes []lane
	queue int // next play of the shared queue
	ready minHeap[readyNode]

	lifecycle lifecycle
}

// graphNode is a node in replay.
type graphNode struct {
	node      *graph.Node
	play      int
	notBefore float64 // ms, normalised
	edges     int     // that hold it back
	gate      float64 // earliest time, by what is known
	state     nodeState
	followers []follower
	isRoot    bool
	parent    int // node of its spawn edge, -1 for none
}

type follower struct {
	node    int
	trigger graph.Trigger
	delay   float64 // ms
}

type nodeState uint8

const (
	nodeBlocked nodeState = iota
	nodeReady
	nodeAdmitted
	nodeEnded
	nodeSkipped
)

// graphPlay is a play in replay.
type graphPlay struct {
	id       string
	nodes    []int // ascending
	lane     int   // -1 without lanes, or while it waits for one
	started  bool
	inFlight int
	ended    int
	root     int // its only root; -1 if there are several

	failed        bool
	failure       Failure
	lastTerminal  float64
	firstAdmitted float64 // of its roots
	settled       bool
	settledAt     float64
}

// Failure is the request that made a play fail.
type Failure struct {
	RequestID string
	Status    engine.Status
	AtMs      float64
}

// lane is the plays that follow one another.
type lane struct{ next int } // index of its next own play, with stride assignment

// NewGraph makes a source of the plays, which come in play order.
func NewGraph(plays []*graph.Play, opts GraphOptions) *Graph {
	g := &Graph{opts: opts, ready: minHeap[readyNode]{before: nodeBefore}}
	for _, p := range plays {
		index := len(g.plays)
		g.plays = append(g.plays, graphPlay{id: p.ID, lane: -1, root: -1, firstAdmitted: math.Inf(1)})
		for i := range p.Nodes {
			g.nodes = append(g.nodes, graphNode{node: &p.Nodes[i], play: index, parent: -1})
		}
	}
	slices.SortFunc(g.nodes, func(a, b graphNode) int { return strings.Compare(a.node.RequestID, b.node.RequestID) })
	g.link()
	g.normalise()
	g.begin()
	return g
}

// link resolves edges and plays to indices.
func (g *Graph) link() {
	index := make(map[string]int, len(g.nodes))
	for i := range g.nodes {
		index[g.nodes[i].node.RequestID] = i
	}
	for i := range g.nodes {
		n := &g.nodes[i]
		p := &g.plays[n.play]
		p.nodes = append(p.nodes, i)
		n.edges = len(n.node.Dependencies)
		if n.isRoot = n.edges == 0; n.isRoot {
			p.root = i
		}
		for _, d := range n.node.Dependencies {
			from := index[d.Predecessor]
			g.nodes[from].followers = append(g.nodes[from].followers, follower{i, d.Trigger, d.DelayMs / g.opts.Speedup})
			if d.Relation == graph.Spawn && (n.parent < 0 || from < n.parent) {
				n.parent = from
			}
		}
	}
	for i := range g.plays {
		roots := 0
		for _, n := range g.plays[i].nodes {
			if g.nodes[n].isRoot {
				roots++
			}
		}
		if roots > 1 {
			g.plays[i].root = -1
		}
	}
}

// normalise moves the least not-before to 0 and applies the speedup
// (formats.md 4.5).
func (g *Graph) normalise() {
	least := math.Inf(1)
	for i := range g.nodes {
		least = min(least, g.nodes[i].node.NotBeforeMs)
	}
	for i := range g.nodes {
		g.nodes[i].notBefore = (g.nodes[i].node.NotBeforeMs - least) / g.opts.Speedup
	}
}

// begin schedules what is ready from the start.
func (g *Graph) begin() {
	if g.opts.Lanes == 0 {
		for p := range g.plays {
			g.startPlay(p, -1, func(notBefore, _ float64) float64 { return notBefore })
		}
		return
	}
	g.lanes = make([]lane, min(g.opts.Lanes, len(g.plays)))
	for l := range g.lanes {
		g.lanes[l].next = l
		g.startOnLane(l, 0)
	}
}

// startOnLane starts the next play that the lane may take, if there is one.
func (g *Graph) startOnLane(l int, now float64) {
	next := g.lanes[l].next
	if g.opts.SharedQueue {
		next = g.queue
		g.queue++
	} else {
		g.lanes[l].next += len(g.lanes)
	}
	if next < len(g.plays) {
		g.startPlay(next, l, func(notBefore, first float64) float64 { return now + max(0, notBefore-first) })
	}
}

// startPlay schedules the roots of a play. Gate tells when a node may go at
// the earliest, from its not-before and the least one of the roots.
func (g *Graph) startPlay(play, lane int, gate func(notBefore, first float64) float64) {
	p := &g.plays[play]
	p.lane, p.started = lane, true
	first := math.Inf(1)
	for _, i := range p.nodes {
		if g.nodes[i].isRoot {
			first = min(first, g.nodes[i].notBefore)
		}
	}
	for _, i := range p.nodes {
		n := &g.nodes[i]
		n.gate = gate(n.notBefore, first)
		if n.isRoot {
			g.schedule(i)
		}
	}
}

func (g *Graph) schedule(i int) {
	g.nodes[i].state = nodeReady
	g.ready.push(readyNode{g.nodes[i].gate, i})
}

// Next implements [Source].
func (g *Graph) Next() (float64, bool) {
	g.dropSkipped()
	if g.ready.len() == 0 {
		return 0, false
	}
	return g.ready.first().ready, true
}

// dropSkipped takes nodes of failed plays off the front.
func (g *Graph) dropSkipped() {
	for g.ready.len() > 0 && g.nodes[g.ready.first().node].state != nodeReady {
		g.ready.pop()
	}
}

// Admit implements [Source].
func (g *Graph) Admit(now float64, _ int) *engine.Request {
	g.dropSkipped()
	if g.ready.len() == 0 || g.ready.first().ready > now {
		return nil
	}
	first := g.ready.pop()
	n := &g.nodes[first.node]
	p := &g.plays[n.play]
	n.state = nodeAdmitted
	p.inFlight++
	if n.isRoot {
		p.firstAdmitted = min(p.firstAdmitted, now)
	}
	r := g.opts.Request(n.node, first.node)
	r.Ordinal = first.node + 1
	r.ArrivalMs = first.ready
	r.Load = g.label(first.node, now)
	g.lifecycle.event(now, p.id, n.node.RequestID, "dispatch", "")
	g.release(first.node, graph.Dispatch, now)
	return r
}

func (g *Graph) label(i int, now float64) *Label {
	n := &g.nodes[i]
	p := &g.plays[n.play]
	l := &Label{
		Session: n.node.SessionID, HasSession: true, RequestID: n.node.RequestID, PlayID: p.id,
		Lane: p.lane, DispatchedMs: now, Graph: true, node: i,
	}
	if p.root >= 0 {
		l.RootID = g.nodes[p.root].node.RequestID
	}
	if n.parent >= 0 {
		l.ParentID = g.nodes[n.parent].node.RequestID
	}
	return l
}

// release tells the followers of a node of its trigger.
func (g *Graph) release(i int, trigger graph.Trigger, now float64) {
	for _, f := range g.nodes[i].followers {
		if f.trigger != trigger {
			continue
		}
		n := &g.nodes[f.node]
		n.gate = max(n.gate, now+f.delay)
		if n.edges--; n.edges == 0 && n.state == nodeBlocked {
			g.schedule(f.node)
		}
	}
}

// Ended implements [Source]: what ended at one instant is taken in node order,
// first the terminals, then what becomes quiescent.
func (g *Graph) Ended(now float64, requests []*engine.Request) {
	ended := make([]int, 0, len(requests))
	status := map[int]engine.Status{}
	for _, r := range requests {
		i := LabelOf(r).node
		ended = append(ended, i)
		status[i] = r.Status
	}
	slices.Sort(ended)
	for _, i := range ended {
		g.terminal(i, status[i], now)
	}
	for _, i := range ended {
		g.quiescent(i, now)
	}
}

func (g *Graph) terminal(i int, status engine.Status, now float64) {
	n := &g.nodes[i]
	p := &g.plays[n.play]
	n.state = nodeEnded
	p.inFlight--
	p.ended++
	p.lastTerminal = max(p.lastTerminal, now)
	g.lifecycle.event(now, p.id, n.node.RequestID, "causal_terminal", status.String())
	switch {
	case p.failed: // what ends after a failure releases nothing
	case status == engine.Completed:
		g.release(i, graph.Completion, now)
	default:
		p.failed, p.failure = true, Failure{n.node.RequestID, status, now}
		for _, k := range p.nodes {
			if s := g.nodes[k].state; s == nodeBlocked || s == nodeReady {
				g.nodes[k].state = nodeSkipped
				g.lifecycle.event(now, p.id, g.nodes[k].node.RequestID, "skipped", "")
			}
		}
	}
}

func (g *Graph) quiescent(i int, now float64) {
	n := &g.nodes[i]
	p := &g.plays[n.play]
	g.lifecycle.event(now, p.id, n.node.RequestID, "quiescent", "")
	if p.settled || p.inFlight > 0 || !p.failed && p.ended < len(p.nodes) {
		return
	}
	p.settled, p.settledAt = true, now
	g.lifecycle.event(now, p.id, "", "play_quiescent", "")
	if p.lane >= 0 {
		g.startOnLane(p.lane, now)
	}
}

// Left implements [Source].
func (g *Graph) Left() bool {
	g.dropSkipped()
	return g.ready.len() > 0
}

// readyNode is a node that is ready at a time.
type readyNode struct {
	ready float64
	node  int
}

// nodeBefore orders by ready time, then by index.
func nodeBefore(a, b readyNode) bool {
	return a.ready < b.ready || a.ready == b.ready && a.node < b.node
}
