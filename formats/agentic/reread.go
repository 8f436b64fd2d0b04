package agentic

import (
	"bytes"
	"context"
	"errors"

	"tracekit/formats"
	"tracekit/formats/jsonl"
	"tracekit/graph"
	"tracekit/internal/strictjson"
)

// rereadRow is a row with the places of its values, for an error about it.
type rereadRow struct {
	graph.Node
	fields jsonl.Fields
	edgeAt []int
}

// window is how much is read at first when a single row is looked up.
const window = 4096

// reread parses the row at an offset again.
func (t *Trace) reread(offset int64) (*rereadRow, error) {
	for block, err := range jsonl.Blocks(context.Background(), t.source, jsonl.Position{Offset: offset}, jsonl.NewBuffers(window, 0)) {
		if err != nil {
			return nil, err
		}
		for row := range block.Rows() {
			p := t.newParser()
			var r rereadRow
			if _, problem := p.parse(row.Text, &r.Node, nil); problem != nil {
				return nil, formats.ChangedError(t.source.Name)
			}
			r.fields, r.edgeAt = p.fields, p.edgeAt
			return &r, nil
		}
	}
	return nil, formats.ChangedError(t.source.Name)
}

// requestID reads the id of a row again, and no more of the row than it
// takes: the id usually comes first.
func (t *Trace) requestID(row int) (string, error) {
	rest := t.source.Size - t.offsets.at(row)
	for size := min(window, rest); ; size = min(2*size, rest) {
		text := make([]byte, size)
		if err := jsonl.ReadFull(t.source, text, t.offsets.at(row)); err != nil {
			return "", err
		}
		id, err := requestIDIn(text)
		if err == nil {
			return id, nil
		}
		if size == rest || !errors.Is(err, errCut) {
			return "", formats.ChangedError(t.source.Name)
		}
	}
}

var (
	errCut  = errors.New("the text ends before the request id")
	errNone = errors.New("the row has no request id")
)

// requestIDIn finds the request id in the first bytes of a row.
func requestIDIn(text []byte) (string, error) {
	var c strictjson.Cursor
	c.Reset(text)
	for c.Object(); c.Field(); {
		if string(c.Key()) == "request_id" {
			if id := c.String(); c.Err() == nil {
				return string(id), nil
			}
		} else {
			c.Skip(false)
		}
	}
	if err := c.Err(); err != nil && err.Truncated {
		return "", errCut
	}
	return "", errNone
}

// lineOf counts the lines up to a row.
func (t *Trace) lineOf(row int) (int, error) {
	line, part := 1, make([]byte, t.blockSize)
	for at, end := int64(0), t.offsets.at(row); at < end; at += int64(len(part)) {
		part = part[:min(int64(len(part)), end-at)]
		if err := jsonl.ReadFull(t.source, part, at); err != nil {
			return 0, err
		}
		line += bytes.Count(part, []byte{'\n'})
	}
	return line, nil
}
