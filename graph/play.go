package graph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Play is a set of nodes that reference only each other, sorted by request
// id. It is the unit in which traces stream.
type Play struct {
	ID         string
	Ordinal    uint64 // place in the source, when HasOrdinal
	HasOrdinal bool
	Nodes      []Node

	edges     []int32 // predecessor indices of all edges, node after node
	firstEdge []int32 // firstEdge[i] is where those of node i begin; one more at the end
}

// NewPlay makes a play of nodes, which it sorts and keeps, and checks the
// rules of formats.md 4.4 that concern one play: ids are unique, every edge
// names another node of the play, and the edges form no cycle. All nodes must
// have the same play id and ordinal. The error is a *[RuleError].
func NewPlay(nodes []Node) (*Play, error) {
	slices.SortFunc(nodes, func(a, b Node) int { return strings.Compare(a.RequestID, b.RequestID) })
	p := &Play{ID: nodes[0].PlayID, Ordinal: nodes[0].Ordinal, HasOrdinal: nodes[0].HasOrdinal, Nodes: nodes}
	p.firstEdge = make([]int32, 0, len(nodes)+1)
	for i := range nodes {
		n := &nodes[i]
		if i > 0 && nodes[i-1].RequestID == n.RequestID {
			return nil, &RuleError{RequestID: n.RequestID, Found: "the request id is given twice", Rule: "request ids are unique"}
		}
		p.firstEdge = append(p.firstEdge, int32(len(p.edges)))
		for k, d := range n.Dependencies {
			at, known := p.index(d.Predecessor)
			switch {
			case !known:
				return nil, &RuleError{RequestID: n.RequestID, Path: edgePath(k), Found: fmt.Sprintf("the predecessor %q is not a request of the play", d.Predecessor),
					Rule: "an edge names another request of the same play"}
			case at == i:
				return nil, &RuleError{RequestID: n.RequestID, Path: edgePath(k), Found: "the request names itself as its predecessor",
					Rule: "an edge names another request of the same play"}
			}
			p.edges = append(p.edges, int32(at))
		}
	}
	p.firstEdge = append(p.firstEdge, int32(len(p.edges)))
	if cycle := FindCycle(len(nodes), p.Predecessors); cycle != nil {
		names := make([]string, 0, len(cycle))
		for _, at := range cycle {
			names = append(names, nodes[at].RequestID)
		}
		return nil, CycleError(names)
	}
	return p, nil
}

func edgePath(k int) string { return fmt.Sprintf("dependencies[%d].request_id", k) }

// index finds a node by request id.
func (p *Play) index(id string) (int, bool) {
	return slices.BinarySearchFunc(p.Nodes, id, func(n Node, id string) int { return cmp.Compare(n.RequestID, id) })
}

// Predecessors returns the indices of the nodes that node i waits for, in the
// order of its Dependencies.
func (p *Play) Predecessors(i int) []int32 {
	return p.edges[p.firstEdge[i]:p.firstEdge[i+1]]
}

// RuleError is a violation of a rule of the graph.
type RuleError struct {
	RequestID string
	Path      string // field of the request, as `dependencies[0].request_id`
	Found     string
	Rule      string
}

// Error tells request, finding and rule in one line.
func (e *RuleError) Error() string {
	where := ""
	if e.Path != "" {
		where = e.Path + ": "
	}
	return fmt.Sprintf("request %q: %s%s; %s", e.RequestID, where, e.Found, e.Rule)
}

// CycleError is the error for edges that form a cycle through these requests,
// each waiting for the next and the last for the first.
func CycleError(ids []string) *RuleError {
	const most = 6
	shown := ids
	if len(shown) > most {
		shown = shown[:most]
	}
	chain := strings.Join(shown, " waits for ")
	if len(ids) > most {
		chain += fmt.Sprintf(" … (%d requests in all)", len(ids))
	} else {
		chain += " waits for " + ids[0]
	}
	return &RuleError{RequestID: ids[0], Path: "dependencies", Found: "the edges form a cycle: " + chain, Rule: "a graph has no cycles"}
}

// FindCycle returns the nodes of one cycle among n nodes, each followed by one
// of its predecessors, starting at the least node that lies on a cycle or
// waits for one; nil if there is none.
func FindCycle(n int, predecessors func(int) []int32) []int {
	// Take away nodes that nothing left waits for. What remains are cycles
	// and what lies before them.
	waiting := make([]int32, n)
	for i := range n {
		for _, p := range predecessors(i) {
			waiting[p]++
		}
	}
	queue := make([]int32, 0, n)
	for i := range n {
		if waiting[i] == 0 {
			queue = append(queue, int32(i))
		}
	}
	for k := 0; k < len(queue); k++ {
		for _, p := range predecessors(int(queue[k])) {
			if waiting[p]--; waiting[p] == 0 {
				queue = append(queue, p)
			}
		}
	}
	if len(queue) == n {
		return nil
	}
	return cycleAmong(n, predecessors)
}

// cycleAmong walks from the least node that is left when nodes without
// predecessors are taken away, again and again: each such node has a
// predecessor that is left too, so that the walk must close.
func cycleAmong(n int, predecessors func(int) []int32) []int {
	free := make([]bool, n)
	successors := make([][]int32, n)
	missing := make([]int, n)
	var queue []int32
	for i := range n {
		missing[i] = len(predecessors(i))
		for _, p := range predecessors(i) {
			successors[p] = append(successors[p], int32(i))
		}
		if missing[i] == 0 {
			queue = append(queue, int32(i))
		}
	}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		free[i] = true
		for _, s := range successors[i] {
			if missing[s]--; missing[s] == 0 {
				queue = append(queue, s)
			}
		}
	}
	at := slices.Index(free, false)
	step := map[int]int{}
	var path []int
	for {
		if first, seen := step[at]; seen {
			return path[first:]
		}
		step[at] = len(path)
		path = append(path, at)
		for _, p := range predecessors(at) {
			if !free[p] {
				at = int(p)
				break
			}
		}
	}
}
