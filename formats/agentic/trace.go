package agentic

import (
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"iter"
	"runtime"
	"slices"

	"tracekit/formats"
	"tracekit/formats/jsonl"
	"tracekit/graph"
	"tracekit/internal/semantics"
)

// Options says how a trace is read. The zero value is ready.
type Options struct {
	Semantics    semantics.Mode
	Jobs         int  // goroutines that parse; 0 is one for each processor
	Fingerprints bool // compute [Trace.PlayFingerprints]
	// OnBytes, if not nil, is told about every piece of the file that has been
	// dealt with, in each read anew, by the goroutine that reads.
	OnBytes func(n int)
}

// Trace is an agentic_mooncake file that has been checked. It may be read any
// number of times, by one goroutine at a time.
type Trace struct {
	source *formats.Source
	opts   Options
	header Header

	offsets   column[int64] // of each row, in file order
	playOf    column[int32] // index of each row's play
	plays     []playFacts   // by their first row
	order     []rowRun      // all rows in canonical order
	playOrder []int32       // all plays in play order
	summary   graph.Summary

	blockSize int
}

// Open reads a trace and checks everything that formats.md 4 asks for: the
// first offence in file order is the error, and after the last row the first
// offence of the graph in canonical order. Such an error is a
// *[formats.Error].
//
// The source belongs to the trace from now on. Open closes it when it fails.
func Open(ctx context.Context, source *formats.Source, opts Options) (*Trace, error) {
	return open(ctx, source, opts, jsonl.BlockSize, randomHasher)
}

// randomHasher returns a hasher with a seed that nobody knows: no file can be
// made to collide.
func randomHasher() hasher {
	seed := maphash.MakeSeed()
	return func(id string) uint64 { return maphash.String(seed, id) }
}

func open(ctx context.Context, source *formats.Source, opts Options, blockSize int, newHasher func() hasher) (*Trace, error) {
	if opts.Jobs <= 0 {
		opts.Jobs = runtime.GOMAXPROCS(0)
	}
	for {
		t := &Trace{source: source, opts: opts, blockSize: blockSize}
		err := t.readFirst(ctx, newHasher())
		switch {
		case err == nil:
			return t, nil
		case !errors.Is(err, errCollision):
			_ = source.Close() // err says more
			return nil, err
		}
	}
}

// readFirst reads the whole file in file order.
func (t *Trace) readFirst(ctx context.Context, hash hasher) error {
	header, behind, err := readHeader(ctx, t.source, t.blockSize)
	if err != nil {
		return err
	}
	t.header = header
	t.progress(int(behind.Offset))
	t.summary.Source, t.summary.BlockSize = header.Source, header.BlockSize

	facts := newFacts(t)
	blocks := func(ctx context.Context, buffers *jsonl.Buffers) iter.Seq2[jsonl.Block, error] {
		return jsonl.Blocks(ctx, t.source, behind, buffers)
	}
	if err := t.readBatches(ctx, blocks, facts.marker(hash), facts.add); err != nil {
		return err
	}
	if err := t.source.Unchanged(); err != nil {
		return err
	}
	if t.offsets.size == 0 {
		return &formats.Error{File: t.source.Name, Found: "the file has a header but no rows", Rule: "a trace has at least one request"}
	}
	if t.order, err = facts.order.find(t.offsets.size, t.requestID); err != nil {
		return err
	}
	if err := facts.checkEdges(); err != nil {
		return err
	}
	if err := t.checkOrdinals(); err != nil {
		return err
	}
	t.playOrder = t.sortPlays()
	t.summary.Plays = len(t.plays)
	slices.Sort(t.summary.Models)
	return nil
}

func (t *Trace) newParser() *parser {
	return newParser(t.header.BlockSize, t.opts.Semantics.TwoStepDecimals())
}

func (t *Trace) progress(n int) {
	if t.opts.OnBytes != nil {
		t.opts.OnBytes(n)
	}
}

// Header returns the header of the file.
func (t *Trace) Header() Header { return t.header }

// Summary reads the rows in canonical order and returns the identity of the
// graph, with the counts that go with it. A file that has changed since it
// was opened is an error that wraps [formats.ErrChanged].
func (t *Trace) Summary(ctx context.Context) (graph.Summary, error) {
	digest := graph.NewDigest(t.header.BlockSize)
	var encoder graph.Encoder
	for n, err := range t.Nodes(ctx) {
		if err == nil {
			err = encoder.Encode(digest, n)
		}
		if err != nil {
			return graph.Summary{}, err
		}
	}
	s := t.summary
	s.GraphDigest = digest.Sum()
	s.Models = slices.Clone(s.Models) // the caller's
	return s, nil
}

// PlayFingerprints returns the sum of the fingerprints of each play's nodes
// (see [graph.Fingerprinter]), in play order; nil if the options did not ask
// for them.
func (t *Trace) PlayFingerprints() []uint64 {
	if !t.opts.Fingerprints {
		return nil
	}
	sums := make([]uint64, 0, len(t.playOrder))
	for _, play := range t.playOrder {
		sums = append(sums, t.plays[play].fingerprint)
	}
	return sums
}

// Close closes the source.
func (t *Trace) Close() error {
	if err := t.source.Close(); err != nil {
		return fmt.Errorf("%s: %w", t.source.Name, err)
	}
	return nil
}
