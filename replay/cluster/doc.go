// Package cluster is the virtual clock and what hangs on it: workers whose
// passes begin and end, a source that admits requests, placement between the
// two (engine-vllm.md 3 and 4). Time jumps from one event to the next.
package cluster
