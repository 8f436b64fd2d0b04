// Package graph is the canonical dependency graph of a trace: the one form
// into which every format is lowered, and which converters and replay consume.
//
// A [Node] is a request, a [Dependency] an edge to the request it waits for,
// a [Play] the unit that streams: nodes that reference only each other. The
// identity of a graph is the BLAKE3 digest of its canonical bytes
// (graph-identity.md 3), written node by node in the order of request ids.
package graph
