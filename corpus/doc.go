// Package corpus holds traces to work with when no recording is at hand: small
// embedded samples, and generators whose output is a function of a seed.
//
// # Generated Weka corpora
//
// [GenerateWeka] writes one document per play, [AppendWekaPlay] makes a single
// one. A play depends on seed, profile and ordinal alone: not on the clock,
// not on the number of plays asked for, not on the number of workers, and not
// on the processor, because every draw and every length is computed in
// integers. The three profiles copy three kinds of corpus:
//
//   - [ProfileRaw]: recordings as the kv-cache-tester project publishes them,
//     with the omissions of real recordings. Some plays are refused by strict
//     readers, exactly as real ones are.
//   - [ProfileAgentX]: the published AgentX sets, with long contexts and
//     overlapping subagents; accepted by the aisimulate-0.13 rules.
//   - [ProfilePlain]: small uniform plays for performance figures; accepted
//     by the documented rules as well.
//
// The statistics behind the profiles are named where the numbers stand, in
// weka_raw.go, weka_agentx.go and weka_plain.go.
//
// # Embedded samples
//
// [RealWeka] is a dozen small real recordings, [Demo] a handful of tiny plays
// that every command accepts with its default settings.
package corpus
