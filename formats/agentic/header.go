package agentic

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"strconv"

	"tracekit/formats"
	"tracekit/formats/jsonl"
	"tracekit/graph"
	"tracekit/internal/strictjson"
)

// Schema, Version and HashIDScope are what a header must say.
const (
	Schema      = "dynamo.agentic_mooncake"
	Version     = 2
	HashIDScope = "local"
)

// Header is the first line of a trace (formats.md 4.1).
type Header struct {
	BlockSize uint64 // tokens per block, > 0
	Source    graph.Source
}

// AppendHeader appends the header as a line (weka.md 12).
func AppendHeader(dst []byte, h Header) []byte {
	dst = append(dst, `{"schema":"`+Schema+`","version":`...)
	dst = strconv.AppendInt(dst, Version, 10)
	dst = append(dst, `,"block_size":`...)
	dst = strconv.AppendUint(dst, h.BlockSize, 10)
	dst = append(dst, `,"hash_id_scope":"`+HashIDScope+`","source":{"format":`...)
	dst = strictjson.AppendString(dst, h.Source.Format)
	dst = append(dst, `,"digest":`...)
	dst = strictjson.AppendString(dst, h.Source.Digest)
	return append(dst, "}}\n"...)
}

// readHeader reads the first line that is not blank and returns it with the
// position behind it.
func readHeader(ctx context.Context, source *formats.Source, blockSize int) (Header, jsonl.Position, error) {
	buffers := jsonl.NewBuffers(blockSize, 0)
	for block, err := range jsonl.Blocks(ctx, source, jsonl.Start, buffers) {
		if err != nil {
			return Header{}, jsonl.Position{}, err
		}
		for row := range block.Rows() {
			h, problem := parseHeader(row.Text)
			if problem != nil {
				return Header{}, jsonl.Position{}, problem.In(source.Name, row.Line)
			}
			// A line end, with a CR before it, is a blank rest of the line.
			return h, jsonl.Position{Offset: row.Offset + int64(len(row.Text)), Line: row.Line}, nil
		}
		buffers.Put(block.Text)
	}
	return Header{}, jsonl.Position{}, &formats.Error{File: source.Name, Found: "the file holds no lines but blank ones",
		Rule: "an agentic_mooncake file begins with a header and has at least one row"}
}

const (
	headerSchema = iota
	headerVersion
	headerBlockSize
	headerScope
	headerSource
	headerFields
)

var headerNames = [headerFields]string{"schema", "version", "block_size", "hash_id_scope", "source"}

// parseHeader reads a header line. Whether it is one is decided first, by its
// schema, so that a file of another kind is told so and not picked to pieces.
func parseHeader(text []byte) (Header, *jsonl.Problem) {
	if p := notHeader(text); p != nil {
		return Header{}, p
	}
	var h Header
	var c strictjson.Cursor
	var seen uint64
	c.Reset(text)
	for c.Object(); c.Field(); {
		at := c.Offset()
		switch string(c.Key()) {
		case "schema":
			c.Once(&seen, headerSchema)
			c.String()
		case "version":
			c.Once(&seen, headerVersion)
			if version := c.Uint(math.MaxUint32); version != Version {
				c.FailAt(at, fmt.Sprintf("found version %d", version), fmt.Sprintf("version %d is expected", Version))
			}
		case "block_size":
			c.Once(&seen, headerBlockSize)
			if h.BlockSize = c.Uint(math.MaxUint64); h.BlockSize == 0 {
				c.FailAt(at, "the block size is 0", "a block holds at least one token")
			}
		case "hash_id_scope":
			c.Once(&seen, headerScope)
			if scope := c.String(); string(scope) != HashIDScope {
				c.FailAt(at, fmt.Sprintf("found %q", scope), `"`+HashIDScope+`" is expected: hash ids are known in their file only`)
			}
		case "source":
			c.Once(&seen, headerSource)
			h.Source = parseSource(&c)
		default:
			c.Skip(false)
		}
	}
	failOnMissing(&c, seen, headerNames[:])
	jsonl.EndOfLine(&c)
	if err := c.Err(); err != nil {
		return Header{}, jsonl.CursorProblem("header", err)
	}
	return h, nil
}

func parseSource(c *strictjson.Cursor) (source graph.Source) {
	var seen uint64
	text := func(bit int) string {
		c.Once(&seen, bit)
		at := c.Offset()
		value := c.String()
		if len(bytes.TrimSpace(value)) == 0 {
			c.FailAt(at, "the text is blank", "the source of a trace has a format and a digest, as free text")
		}
		return string(value)
	}
	for c.Object(); c.Field(); {
		switch string(c.Key()) {
		case "format":
			source.Format = text(0)
		case "digest":
			source.Digest = text(1)
		default:
			c.Skip(false)
		}
	}
	failOnMissing(c, seen, []string{"format", "digest"})
	return source
}

// failOnMissing records the first of the names whose bit is not set.
func failOnMissing(c *strictjson.Cursor, seen uint64, names []string) {
	for bit, name := range names {
		if seen>>bit&1 == 0 {
			c.Fail(fmt.Sprintf("the field %q is missing", name), "it is required")
			return
		}
	}
}
