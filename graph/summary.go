package graph

// Summary is an identity with the counts that go with it.
type Summary struct {
	Identity
	Sessions    int // distinct session ids; plays may share one
	Roots       int // nodes without edges
	ZeroOutputs int // nodes with MaxOutputTokens 0
	Edges       EdgeCounts
}

// Count counts one node: roots, zero outputs, edges and the request itself.
func (s *Summary) Count(n *Node) {
	s.Requests++
	if len(n.Dependencies) == 0 {
		s.Roots++
	}
	if n.MaxOutputTokens == 0 {
		s.ZeroOutputs++
	}
	s.Edges.Add(n.Dependencies)
}

// AddCounts adds the counts that other has of further nodes.
func (s *Summary) AddCounts(other Summary) {
	s.Requests += other.Requests
	s.Sessions += other.Sessions
	s.Roots += other.Roots
	s.ZeroOutputs += other.ZeroOutputs
	s.Edges.Merge(other.Edges)
}
