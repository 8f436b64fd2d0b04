package agentic

import (
	"context"
	"iter"

	"tracekit/formats/jsonl"
	"tracekit/graph"
	"tracekit/internal/ordered"
)

// batch is the rows of one block as nodes, which are views of its text.
type batch struct {
	text   []byte
	nodes  []graph.Node
	places []place // of the nodes
	edges  []graph.Dependency
	marks  marks

	// problem is the first one of the block, nil if there is none. When it
	// comes after the check for duplicate ids, the last node is the one that
	// has it, so that this check can be made first.
	problem *jsonl.Problem
	line    int // of the problem
}

// place is where a row begins.
type place struct {
	offset int64 // in the source, in bytes
	line   int
}

// fill parses and checks the rows of a block up to the first problem.
func (b *batch) fill(p *parser, block jsonl.Block) {
	b.text, b.problem = block.Text, nil
	b.nodes, b.places, b.edges = b.nodes[:0], b.places[:0], b.edges[:0]
	p.previous = graph.Integers{}
	for row := range block.Rows() {
		b.nodes = append(b.nodes, graph.Node{})
		n := &b.nodes[len(b.nodes)-1]
		b.places = append(b.places, place{row.Offset, row.Line})
		b.line = row.Line
		if b.edges, b.problem = p.parse(row.Text, n, b.edges); b.problem == nil {
			b.problem = p.checkNames(n)
		}
		if b.problem != nil {
			b.nodes = b.nodes[:len(b.nodes)-1]
			return
		}
		if b.problem = p.checkValues(n); b.problem != nil {
			return
		}
	}
}

// blockSource yields blocks in buffers of a stock until the context ends.
type blockSource func(context.Context, *jsonl.Buffers) iter.Seq2[jsonl.Block, error]

// readBatches parses blocks in parallel and hands their batches to consume in
// the order of the blocks. A batch is valid only during the call. NewMarker
// makes what each parsing goroutine does to its batches besides.
func (t *Trace) readBatches(ctx context.Context, blocks blockSource, newMarker func() func(*batch), consume func(*batch) error) error {
	// The blocks wait for buffers to come back: when consume gives up, they
	// must be told, for those still on their way will not.
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	inFlight := 2*t.opts.Jobs + 4 // blocks: enough for all to be busy
	buffers := jsonl.NewBuffers(t.blockSize, int64(inFlight)*int64(t.blockSize))
	idle := make(chan *batch, inFlight)
	return ordered.Process(ctx, t.opts.Jobs, blocks(ctx, buffers),
		func() ordered.Work[jsonl.Block, *batch] {
			p, mark := t.newParser(), newMarker()
			return func(_ context.Context, block jsonl.Block, emit func(*batch) error) error {
				var b *batch
				select {
				case b = <-idle:
				default:
					b = new(batch)
				}
				b.fill(p, block)
				mark(b)
				return emit(b)
			}
		},
		func(b *batch) error {
			goOn := false
			defer func() {
				if !goOn { // be it for an error or a panic
					cancel()
				}
			}()
			if err := consume(b); err != nil {
				return err
			}
			t.progress(len(b.text))
			buffers.Put(b.text)
			select {
			case idle <- b:
			default:
			}
			goOn = true
			return nil
		})
}
