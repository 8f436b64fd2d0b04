package graph

import "github.com/cespare/xxhash/v2"

// Fingerprinter computes 64-bit fingerprints of nodes from their canonical
// bytes: fast, for comparisons inside one process. The fingerprint of a play
// is the sum of those of its nodes, so that their order does not matter. A
// Fingerprinter serves one goroutine; the zero value is ready.
type Fingerprinter struct {
	encoder Encoder
	hash    xxhash.Digest
}

// Node returns the fingerprint of one node.
func (f *Fingerprinter) Node(n *Node) uint64 {
	f.hash.Reset()
	// The hash's Write is documented never to fail.
	_ = f.encoder.Encode(&f.hash, n)
	return f.hash.Sum64()
}
