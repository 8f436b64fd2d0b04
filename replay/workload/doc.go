// Package workload says which request is admitted when (loadgen.md): lists of
// requests, sessions whose turns follow one another, graphs whose nodes wait
// for each other. A source is driven by the cluster's clock and told of every
// request that has ended.
package workload
