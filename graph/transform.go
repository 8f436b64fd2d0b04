package graph

// Origin finds the instant that a replay takes as zero: the least not-before
// over all nodes of a graph, roots or not (graph-identity.md 5). The zero
// value has seen no node.
type Origin struct {
	ms    float64
	known bool
}

// Add takes one node into account.
func (o *Origin) Add(n *Node) {
	if !o.known || compareReals(n.NotBeforeMs, o.ms) < 0 {
		o.ms, o.known = n.NotBeforeMs, true
	}
}

// Ms returns the least not-before, in total order, so that -0.0 comes before
// 0.0. It is 0 when no node was added.
func (o *Origin) Ms() float64 { return o.ms }

// Normalise moves a node's time so that the origin of its graph becomes zero.
func Normalise(n *Node, origin Origin) { n.NotBeforeMs -= origin.ms }

// SpeedUp divides the not-before and the edge delays of a node by a factor,
// which is finite and more than 0. The recorded api time stays. A time that
// overflows becomes an infinity, which the canonical bytes show as null.
//
// A replay first normalises, then speeds up, even by a factor of 1.
func SpeedUp(n *Node, factor float64) {
	n.NotBeforeMs /= factor
	for i := range n.Dependencies {
		n.Dependencies[i].DelayMs /= factor
	}
}
