// Package mooncake reads mooncake traces: JSON lines, one request each, that
// say when it came, how long its prompt and its output were, and which blocks
// the prompt was made of (formats.md 2).
//
// [Read] gathers the rows into sessions, which is what a replay needs; [Open]
// lowers them to the canonical graph (lowering.md), which is what all formats
// share. Either holds the text of the file in memory, once: hash ids, token
// ids and names are views of it.
package mooncake
