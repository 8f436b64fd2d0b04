package graph

// Summary is an identity with the counts that go with it.
type Summary struct {
	Identity
	Sessions    int // distinct pairs of play and session id
	Roots       int // nodes without edges
	ZeroOutputs int // nodes with MaxOutputTokens 0
	Edges       EdgeCounts
}
