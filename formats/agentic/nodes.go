package agentic

import (
	"context"
	"errors"
	"iter"

	"tracekit/formats"
	"tracekit/formats/jsonl"
	"tracekit/graph"
)

// errStop ends a read whose consumer wants no more.
var errStop = errors.New("the consumer has stopped")

// Nodes reads the rows in canonical order, that of their request ids. A node
// is valid until the next is drawn, its strings and lists included. The last
// pair may be an error: that of the context, or one that wraps
// [formats.ErrChanged].
func (t *Trace) Nodes(ctx context.Context) iter.Seq2[*graph.Node, error] {
	return func(yield func(*graph.Node, error) bool) {
		err := t.readBatches(ctx, t.canonicalBlocks, noMarks, func(b *batch) error {
			for i := range b.nodes {
				if !yield(&b.nodes[i], nil) {
					return errStop
				}
			}
			if b.problem != nil {
				// All rows were good when the file was opened.
				return formats.ChangedError(t.source.Name)
			}
			return nil
		})
		if err == nil {
			err = t.source.Unchanged()
		}
		if err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}

// noMarks makes a marker that does nothing.
func noMarks() func(*batch) { return func(*batch) {} }

// canonicalBlocks reads blocks of rows in canonical order.
func (t *Trace) canonicalBlocks(ctx context.Context, buffers *jsonl.Buffers) iter.Seq2[jsonl.Block, error] {
	return func(yield func(jsonl.Block, error) bool) {
		var p pieces
		flush := func() bool {
			text, err := buffers.Get(ctx, p.size)
			if err == nil {
				err = p.read(t.source, text)
			}
			p.reset()
			return yield(jsonl.Block{Text: text}, err) && err == nil
		}
		for _, run := range t.order {
			for row := run.first; row < run.end; row++ {
				begin, end := t.offsets.at(int(row)), t.endOf(int(row))
				if p.size > 0 && p.size+int(end-begin)+1 > t.blockSize && !flush() {
					return
				}
				p.add(begin, end)
			}
		}
		flush()
	}
}

// endOf returns where the next row begins: between the two are line ends and
// blank lines.
func (t *Trace) endOf(row int) int64 {
	if row+1 < t.offsets.size {
		return t.offsets.at(row + 1)
	}
	return t.source.Size
}

// pieces is parts of a file that are read one behind the other, with a line
// end after each.
type pieces struct {
	parts []piece
	size  int
}

type piece struct{ begin, end int64 }

func (p *pieces) reset() { p.parts, p.size = p.parts[:0], 0 }

func (p *pieces) add(begin, end int64) {
	p.size += int(end - begin)
	if last := len(p.parts) - 1; last >= 0 && p.parts[last].end == begin {
		p.parts[last].end = end
		return
	}
	p.parts = append(p.parts, piece{begin, end})
	p.size++
}

// read fills text, which has the size of the pieces.
func (p *pieces) read(source *formats.Source, text []byte) error {
	for _, part := range p.parts {
		size := part.end - part.begin
		if err := jsonl.ReadFull(source, text[:size], part.begin); err != nil {
			return err
		}
		text[size] = '\n' // the last line of the file may lack its own
		text = text[size+1:]
	}
	return nil
}
