package jsonl

import (
	"fmt"
	"math"
	"unsafe"

	"tracekit/formats"
	"tracekit/internal/strictjson"
)

// maxFields bounds the known fields of a row.
const maxFields = 32

// Fields keeps which of the known fields of a row were given, whether they
// have a value, and where it begins. Known fields are numbered from 0.
type Fields struct {
	names  []string
	cursor *strictjson.Cursor
	seen   uint64 // bits of the fields that were given
	given  uint64 // those that were not null
	at     [maxFields]int
}

// NewFields makes the fields of rows that the cursor reads. A field whose
// value is read under another name than its own is known to have an alias.
func NewFields(cursor *strictjson.Cursor, names []string) Fields {
	return Fields{names: names, cursor: cursor}
}

// Reset begins a row.
func (f *Fields) Reset() { f.seen, f.given = 0, 0 }

// Seen returns the bits of the fields that were given.
func (f *Fields) Seen() uint64 { return f.seen }

// Has tells whether a field was given a value.
func (f *Fields) Has(field int) bool { return f.given>>field&1 != 0 }

// At returns where the value of a field begins in the row, 0 if it was not
// given.
func (f *Fields) At(field int) int {
	if f.seen>>field&1 == 0 {
		return 0
	}
	return f.at[field]
}

// Required records that the current field of the cursor is that one; twice,
// or under two names, is an error.
func (f *Fields) Required(field int) {
	c := f.cursor
	if f.seen>>field&1 != 0 && string(c.Key()) != f.names[field] {
		c.Fail(fmt.Sprintf("the field is given as %q too", f.names[field]), "these are two names of one field")
	}
	c.Once(&f.seen, field)
	f.given |= 1 << field
	f.at[field] = c.Offset()
}

// Optional does the same for an optional field and tells whether it has a
// value: null is the same as leaving it out.
func (f *Fields) Optional(field int) bool {
	f.Required(field)
	if f.cursor.Null() || f.cursor.Err() != nil {
		f.given &^= 1 << field
		return false
	}
	return true
}

// View reads a string, which lives as long as the row's text: that must not be
// written to meanwhile.
func (f *Fields) View() string {
	c := f.cursor
	start := c.Offset()
	text := c.String()
	if c.Offset()-start != len(text)+len(`""`) {
		return string(text) // decoded: the cursor will overwrite it
	}
	return unsafe.String(unsafe.SliceData(text), len(text))
}

// TokenIDs reads the value of that field, a list of 32-bit integers.
func (f *Fields) TokenIDs(field int) *strictjson.Integers {
	ids := f.cursor.Integers(strictjson.Integers{})
	at := 0
	for id := range ids.All {
		if id > math.MaxUint32 {
			f.cursor.FailAt(f.at[field], fmt.Sprintf("number %d of the list is %d", at, id),
				fmt.Sprintf("token ids are unsigned integers from 0 to %d", uint32(math.MaxUint32)))
			break
		}
		at++
	}
	return &ids
}

// End records text behind the object.
func (f *Fields) End() { EndOfLine(f.cursor) }

// EndOfLine records text behind the value of a line.
func EndOfLine(c *strictjson.Cursor) {
	if c.Err() == nil && !c.AtEnd() {
		c.Fail("something follows the object", "a line holds one JSON object")
	}
}

// Problem is what is wrong with one line, before its place in the file is
// known.
type Problem struct {
	Offset                            int // in the line, in bytes
	Object, Path, Found, Rule, Remedy string
}

// In makes the error of a problem of that line of a file.
func (p *Problem) In(file string, line int) error {
	return &formats.Error{File: file, Line: line, Column: p.Offset + 1, Object: p.Object, Path: p.Path, Found: p.Found, Rule: p.Rule, Remedy: p.Remedy}
}

// CursorProblem makes a problem of what a cursor has met in an object.
func CursorProblem(object string, err *strictjson.Error) *Problem {
	p := &Problem{Offset: err.Offset, Object: object, Path: err.Path, Found: err.Found, Rule: err.Rule}
	if err.Truncated {
		p.Remedy = "if the file was cut short, fetch or write it again"
	}
	return p
}
