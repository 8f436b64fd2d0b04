package jsonl

import (
	"bytes"
	"iter"
)

// Block is a run of whole lines.
type Block struct {
	Text   []byte // the lines with their ends; the last one may lack its own
	Offset int64  // of Text in the source, in bytes
	Line   int    // number of the first line, from 1
}

// Row is one line that is not blank.
type Row struct {
	Text   []byte // without the line end
	Offset int64  // of Text in the source, in bytes
	Line   int    // from 1, blank lines counted
}

// Rows yields the lines of the block that hold more than Unicode white space.
// A line ends at LF; one CR before it is dropped. The rows are views of Text.
func (b Block) Rows() iter.Seq[Row] {
	return func(yield func(Row) bool) {
		line := b.Line
		for start := 0; start < len(b.Text); line++ {
			end, next := len(b.Text), len(b.Text)
			if size := bytes.IndexByte(b.Text[start:], '\n'); size >= 0 {
				end, next = start+size, start+size+1
			}
			text := bytes.TrimSuffix(b.Text[start:end], carriageReturn)
			if !blank(text) && !yield(Row{Text: text, Offset: b.Offset + int64(start), Line: line}) {
				return
			}
			start = next
		}
	}
}

var carriageReturn = []byte{'\r'}

// blank tells whether a line holds only white space. Bytes that are not UTF-8
// are not white space, so that such a line reaches the parser, which refuses
// it.
func blank(line []byte) bool {
	if len(line) > 0 && line[0] > ' ' && line[0] < 0x80 {
		return false
	}
	return len(bytes.TrimSpace(line)) == 0
}
