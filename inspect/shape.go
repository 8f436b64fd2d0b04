package inspect

import "tracekit/graph"

// shape measures the edges of plays, one after another, in reused memory.
type shape struct {
	fanOut  []int   // by node: how many other nodes wait for it
	height  []int   // by node: nodes on the longest chain that begins there
	waiting []int   // by node: edges from nodes that are not done yet
	counted []int   // by node: the successor that was counted last
	queue   []int32 // nodes whose height is known
}

// measure returns the number of nodes on the longest chain of edges, and
// leaves the fan-out of each node in s.fanOut. Several edges between the same
// two nodes count once.
func (s *shape) measure(p *graph.Play) (depth int) {
	n := len(p.Nodes)
	s.fanOut, s.height, s.waiting, s.counted = zeros(s.fanOut, n), zeros(s.height, n), zeros(s.waiting, n), zeros(s.counted, n)
	for i := range n {
		for _, before := range p.Predecessors(i) {
			s.waiting[before]++
			if s.counted[before] != i+1 {
				s.counted[before] = i + 1
				s.fanOut[before]++
			}
		}
	}
	// A node's height is settled once those of all its successors are: begin
	// where nothing waits. A play has no cycles, so that every node's turn
	// comes.
	s.queue = s.queue[:0]
	for i, count := range s.waiting {
		if count == 0 {
			s.queue = append(s.queue, int32(i))
		}
	}
	for k := 0; k < len(s.queue); k++ {
		i := int(s.queue[k])
		s.height[i]++
		depth = max(depth, s.height[i])
		for _, before := range p.Predecessors(i) {
			s.height[before] = max(s.height[before], s.height[i])
			if s.waiting[before]--; s.waiting[before] == 0 {
				s.queue = append(s.queue, before)
			}
		}
	}
	return depth
}

// zeros returns n zeros, in the memory of old if it suffices.
func zeros(old []int, n int) []int {
	if cap(old) < n {
		return make([]int, n)
	}
	old = old[:n]
	clear(old)
	return old
}
