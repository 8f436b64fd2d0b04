package weka

import (
	"context"

	"tracekit/graph"
	"tracekit/internal/ordered"
)

// chunkSize is how many bytes workers gather before they hand them on.
const chunkSize = 1 << 18

// canonicalChunk is a piece of the canonical bytes of a play; the last piece
// of each carries its counts.
type canonicalChunk struct {
	text   *[]byte
	counts graph.Summary
}

// Summary reads the corpus again in canonical order and computes its
// identity.
func (t *Trace) Summary(ctx context.Context) (graph.Summary, error) {
	total := graph.Summary{Identity: graph.Identity{Source: t.source, BlockSize: t.blockSize, Models: t.models, Plays: len(t.plays)}}
	digest := graph.NewDigest(t.blockSize)
	chunks := ordered.NewChunks(chunkSize)
	err := Lower(ctx, t, t.canonicalOrder(),
		func() func(*Lowered, func(canonicalChunk) error) error {
			var encoder graph.Encoder
			return func(p *Lowered, emit func(canonicalChunk) error) error {
				counts := graph.Summary{Sessions: p.Sessions}
				text := chunks.Get()
				for node := range p.Nodes {
					counts.Count(node)
					*text = encoder.Append(*text, node)
					if chunks.Full(text) {
						if err := emit(canonicalChunk{text: text}); err != nil {
							return err
						}
						text = chunks.Get()
					}
				}
				return emit(canonicalChunk{text, counts})
			}
		},
		func(c canonicalChunk) error {
			_, err := digest.Write(*c.text)
			chunks.Put(c.text)
			total.AddCounts(c.counts)
			return err
		})
	if err != nil {
		if first := t.LoweringErrors(ctx); first != nil {
			err = first
		}
		return total, err
	}
	total.GraphDigest = digest.Sum()
	return total, nil
}
