// Package kvcache is the memory of one scheduler rank: a pool of KV blocks
// with a prefix cache, and the identity of blocks by the tokens they hold.
//
// Blocks are counted, not stored: only a block whose content is known to the
// prefix cache has a name. See engine-vllm.md 11 and 12.
package kvcache
