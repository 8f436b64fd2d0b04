// Package inspect tells what is in a trace: counts, lengths, times, the shape
// of its plays, and how much of its prompts a cache could have held.
//
// A [Collector] takes the plays of a trace in play order, each once, and keeps
// nothing of them but sums. Its [Report] is a plain value: JSON for programs,
// [Report.WriteTable] for people. docs/inspect.md defines every figure.
package inspect
