// Package agentic reads and writes agentic_mooncake version 2: JSON lines that
// are a dependency graph as it stands (formats.md 4), a header and then one
// row for each node, in any order.
//
// A [Trace] holds a few words for each row, never the rows: [Open] checks the
// whole file in one read, and each later read yields nodes or plays anew, in
// their order.
package agentic
