// Package weka reads Weka/AgentX corpora, recorded sessions of coding agents,
// and lowers each document to a play of the canonical graph (weka.md).
//
// A corpus is read twice. [Open] lists its files, checks every document by
// itself, takes the source digest and settles the clock of nested requests,
// which is a fact of the whole corpus. After it, [Lower] and what is built on
// it read documents again, in corpus order or in canonical order, and lower
// each in parallel. No more than a few documents are in memory at any time.
package weka
