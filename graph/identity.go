package graph

import (
	"encoding/hex"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/zeebo/blake3"
)

// Source tells where a graph came from. It is provenance only and not part of
// the graph digest.
type Source struct {
	Format string `json:"format"`
	Digest string `json:"digest"`
}

// Identity is what makes two traces the same (graph-identity.md 6).
type Identity struct {
	Source      Source
	GraphDigest string // lower-case hex
	BlockSize   uint64 // tokens per block
	Plays       int
	Requests    int
	Models      []string // distinct, sorted by bytes
}

// Identical tells whether all parts are equal, source included.
func (a Identity) Identical(b Identity) bool {
	return a.Source == b.Source && a.GraphDigest == b.GraphDigest && a.BlockSize == b.BlockSize &&
		a.Plays == b.Plays && a.Requests == b.Requests && slices.Equal(a.Models, b.Models)
}

// EdgeCounts counts edges by relation and trigger.
type EdgeCounts [relations][triggers]int

// Add counts the edges of one node.
func (c *EdgeCounts) Add(edges []Dependency) {
	for _, d := range edges {
		c[d.Relation][d.Trigger]++
	}
}

// Merge adds the counts of other.
func (c *EdgeCounts) Merge(other EdgeCounts) {
	for r := range c {
		for t := range c[r] {
			c[r][t] += other[r][t]
		}
	}
}

// Total returns the number of edges.
func (c EdgeCounts) Total() (total int) {
	for _, row := range c {
		for _, n := range row {
			total += n
		}
	}
	return total
}

// MarshalJSON writes relation → trigger → count, in canonical order and with
// the zeros.
func (c EdgeCounts) MarshalJSON() ([]byte, error) {
	type byTrigger struct {
		Dispatch   int `json:"dispatch"`
		Completion int `json:"completion"`
	}
	var rows [relations]byTrigger
	for r := range c {
		rows[r] = byTrigger{c[r][Dispatch], c[r][Completion]}
	}
	return json.Marshal(struct {
		Sequence      byTrigger `json:"sequence"`
		Spawn         byTrigger `json:"spawn"`
		Join          byTrigger `json:"join"`
		ReplayBarrier byTrigger `json:"replay_barrier"`
	}{rows[Sequence], rows[Spawn], rows[Join], rows[ReplayBarrier]})
}

// Digest computes the graph digest from canonical bytes that are written to
// it in canonical order, each node with the comma that [Encoder] puts before
// it, cut anywhere.
type Digest struct {
	hash    *blake3.Hasher
	started bool
}

// NewDigest starts the digest of a graph with that block size.
func NewDigest(blockSize uint64) *Digest {
	d := &Digest{hash: blake3.New()}
	head := append([]byte(`{"block_size":`), strconv.FormatUint(blockSize, 10)...)
	d.write(append(head, `,"nodes":[`...))
	return d
}

// Write adds canonical bytes. It never fails.
func (d *Digest) Write(canonical []byte) (int, error) {
	if !d.started && len(canonical) > 0 {
		d.started = true
		d.write(canonical[1:]) // no comma before the first node
		return len(canonical), nil
	}
	d.write(canonical)
	return len(canonical), nil
}

func (d *Digest) write(p []byte) {
	// The hasher's Write is documented never to fail.
	_, _ = d.hash.Write(p)
}

// Sum ends the graph and returns its digest in lower-case hex. The Digest
// cannot be used after it.
func (d *Digest) Sum() string {
	d.write([]byte("]}"))
	var sum [32]byte
	return hex.EncodeToString(d.hash.Sum(sum[:0]))
}
