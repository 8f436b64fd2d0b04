package jsonl

import (
	"bytes"
	"context"
	"errors"
	"io"
	"iter"

	"tracekit/formats"
)

// BlockSize is the usual size of a block in bytes. A block is shorter when
// its last line would not fit, and longer when it is one long line.
const BlockSize = 1 << 20

// Position is the beginning of a line.
type Position struct {
	Offset int64 // in the source, in bytes
	Line   int   // from 1
}

// Start is the beginning of a source.
var Start = Position{Line: 1}

// Blocks yields what the source holds from a position on, cut at line ends,
// in buffers of the stock that the consumer gives back by [Buffers.Put] of
// the Text when it is done with a block. A block has the stock's usual size
// at most, unless it is a single line that is longer. A source that ends
// before its size is an error that wraps [formats.ErrChanged].
func Blocks(ctx context.Context, source *formats.Source, from Position, buffers *Buffers) iter.Seq2[Block, error] {
	return func(yield func(Block, error) bool) {
		for at := from; at.Offset < source.Size; {
			if err := ctx.Err(); err != nil {
				yield(Block{}, context.Cause(ctx))
				return
			}
			text, err := nextLines(ctx, source, at.Offset, buffers)
			if err != nil {
				yield(Block{}, err)
				return
			}
			block := Block{Text: text, Offset: at.Offset, Line: at.Line}
			// The block is the consumer's as soon as it is yielded.
			at.Offset += int64(len(text))
			at.Line += bytes.Count(text, lineFeed)
			if !yield(block, nil) {
				return
			}
		}
	}
}

var lineFeed = []byte{'\n'}

// nextLines reads the lines at an offset that fit a usual buffer, or one.
func nextLines(ctx context.Context, source *formats.Source, offset int64, buffers *Buffers) ([]byte, error) {
	rest := source.Size - offset
	size := int(min(rest, int64(buffers.usual)))
	buffer, err := buffers.Get(ctx, size)
	if err != nil {
		return nil, err
	}
	if err := ReadFull(source, buffer, offset); err != nil {
		buffers.Put(buffer)
		return nil, err
	}
	if int64(size) == rest {
		return buffer, nil
	}
	if end := bytes.LastIndexByte(buffer, '\n') + 1; end > 0 {
		return buffer[:end], nil
	}
	// One line that is longer: find its end with the buffer as a window, then
	// read it into a buffer of exactly its size.
	length, err := lineLength(source, offset, buffer)
	buffers.Put(buffer)
	if err != nil {
		return nil, err
	}
	if buffer, err = buffers.Get(ctx, length); err != nil {
		return nil, err
	}
	if err := ReadFull(source, buffer, offset); err != nil {
		buffers.Put(buffer)
		return nil, err
	}
	return buffer, nil
}

// lineLength returns the length of the line at an offset, with its end, whose
// first bytes the window holds without an end among them.
func lineLength(source *formats.Source, offset int64, window []byte) (int, error) {
	length := int64(len(window))
	for offset+length < source.Size {
		part := window[:min(source.Size-offset-length, int64(len(window)))]
		if err := ReadFull(source, part, offset+length); err != nil {
			return 0, err
		}
		if end := bytes.IndexByte(part, '\n') + 1; end > 0 {
			return int(length) + end, nil
		}
		length += int64(len(part))
	}
	return int(length), nil
}

// ReadFull fills p from an offset of the source. A source that ends before is
// an error that wraps [formats.ErrChanged].
func ReadFull(source *formats.Source, p []byte, offset int64) error {
	n, err := source.ReadAt(p, offset)
	switch {
	case n == len(p):
		return nil
	case errors.Is(err, io.EOF):
		return formats.ChangedError(source.Name)
	}
	return &formats.Error{File: source.Name, Found: "cannot be read: " + err.Error()}
}
