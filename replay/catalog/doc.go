// Package catalog knows facts about models and hardware, and what follows from
// them for a deployment: how large its KV cache is when nothing else is asked
// for (kv-capacity.md), and how much of it a token takes.
//
// Models are found by name among those built in, by an alias of one of them,
// in a local folder, or in the local cache of the Hugging Face hub; never over
// the network. All figures are data: no model is named in code.
package catalog
