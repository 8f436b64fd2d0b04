package mooncake

import (
	"context"
	"encoding/hex"
	"iter"

	"github.com/zeebo/blake3"

	"tracekit/formats"
	"tracekit/graph"
)

// Trace is a mooncake file as a graph (lowering.md): a session is a play, its
// turns are a chain. It may be read any number of times, from any goroutine.
type Trace struct {
	file     *File
	sessions []Session // normalised
}

// Open reads a file as a graph. Its errors are those of [Read] and, as for a
// replay whose sessions need no start, of [File.CheckStart].
//
// The source belongs to Open, which closes it.
func Open(ctx context.Context, source *formats.Source, opts Options) (*Trace, error) {
	f, err := Read(ctx, source, opts)
	if err != nil {
		return nil, err
	}
	t := &Trace{file: f, sessions: f.Normalised(1)}
	if err := f.CheckStart(t.sessions, Concurrency); err != nil {
		return nil, err
	}
	if err := t.checkCounts(mostSessions, mostTurns); err != nil {
		return nil, err
	}
	return t, nil
}

// BlockSize returns how many tokens a hash id stands for.
func (t *Trace) BlockSize() uint64 { return t.file.BlockSize() }

// Summary returns the identity of the graph, with the counts that go with it.
func (t *Trace) Summary(ctx context.Context) (graph.Summary, error) {
	sum := blake3.Sum256(t.file.text)
	s := graph.Summary{Sessions: len(t.sessions)}
	s.Source = graph.Source{Format: string(formats.Mooncake), Digest: hex.EncodeToString(sum[:])}
	s.BlockSize, s.Plays, s.Models = t.BlockSize(), len(t.sessions), []string{model}
	digest := graph.NewDigest(s.BlockSize)
	var encoder graph.Encoder
	for n, err := range t.Nodes(ctx) {
		if err == nil {
			err = encoder.Encode(digest, n)
		}
		if err != nil {
			return graph.Summary{}, err
		}
		s.Count(n)
	}
	s.GraphDigest = digest.Sum()
	return s, nil
}

// Nodes gives all nodes in canonical order, which is that of sessions and
// turns. A node is valid until the next is drawn. The last pair may be the
// error of the context.
func (t *Trace) Nodes(ctx context.Context) iter.Seq2[*graph.Node, error] {
	return func(yield func(*graph.Node, error) bool) {
		l := t.lowering()
		var n graph.Node
		for i := range t.sessions {
			if ctx.Err() != nil {
				yield(nil, context.Cause(ctx))
				return
			}
			for k := range t.sessions[i].Turns {
				if n = l.node(&t.sessions[i], i, k, n.RequestID); !yield(&n, nil) {
					return
				}
			}
		}
	}
}

// Plays gives all plays in play order, which is that of sessions. A play
// belongs to the caller; its lists are views of the file's text. The last pair
// may be the error of the context.
func (t *Trace) Plays(ctx context.Context) iter.Seq2[*graph.Play, error] {
	return func(yield func(*graph.Play, error) bool) {
		l := t.lowering()
		for i := range t.sessions {
			if ctx.Err() != nil {
				yield(nil, context.Cause(ctx))
				return
			}
			if !yield(l.play(&t.sessions[i], i)) {
				return
			}
		}
	}
}

// Close does nothing: the file was closed when it had been read.
func (t *Trace) Close() error { return nil }
