// Package replay predicts how a deployment serves a workload: it replays the
// requests of a trace or a generator on simulated workers in virtual time.
package replay
