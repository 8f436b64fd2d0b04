// Package strictjson reads and writes JSON texts under the strict rules that
// the trace formats share: exact integers, two ways of reading decimals, no
// duplicate or lone surrogates, and errors that know their place.
//
// A [Cursor] walks one text held in memory. It allocates nothing on the way,
// is told by its caller what to expect next, and keeps its first error: after
// one, every method returns a zero value at once, so that parsing code reads
// as the plain description of a shape and asks for [Cursor.Err] at its end.
//
// Arrays of integers, which make up nearly all bytes of a trace, stay text:
// printed compactly they are their own canonical form (see [Integers]).
package strictjson

import (
	"bytes"
	"fmt"
	"strconv"
)

// Cursor is a position in one JSON text. Reset starts it; it can be reused.
type Cursor struct {
	buf   []byte
	pos   int
	err   *Error
	stack []frame

	// TwoStep selects the two-step conversion of decimal literals (weka.md 3)
	// instead of correct rounding.
	TwoStep bool
	// MaxDepth bounds nested objects and arrays, the outermost counting 1;
	// 0 is no bound.
	MaxDepth int

	scratch []byte // decoded strings; valid until the next call
	copies  []byte // arrays of integers that had to be copied together
}

// frame is one open object or array.
type frame struct {
	object     bool
	started    bool
	key        []byte // current field, escapes decoded
	keyStart   int    // offset of its opening quote
	valueIndex int    // current element
}

// Reset puts the cursor at the beginning of text. The text is only read, and
// views of it are handed out: it must not change while they are in use.
func (c *Cursor) Reset(text []byte) {
	c.buf, c.pos, c.err = text, 0, nil
	c.stack = c.stack[:0]
}

// Err returns the first error, or nil.
func (c *Cursor) Err() *Error { return c.err }

// Offset returns the position in the text, in bytes.
func (c *Cursor) Offset() int { return c.pos }

// Fail records an error found by the caller at the current path, unless there
// is one already. Found says what is wrong, rule what is allowed.
func (c *Cursor) Fail(found, rule string) { c.failAt(c.pos, found, rule) }

// FailAt is Fail for an earlier place of the text, at the current path.
func (c *Cursor) FailAt(offset int, found, rule string) { c.failAt(offset, found, rule) }

func (c *Cursor) failAt(offset int, found, rule string) {
	if c.err == nil {
		c.err = &Error{Offset: offset, Path: c.Path(), Found: found, Rule: rule}
	}
}

// Path returns where the cursor is, as `requests[3].hash_ids[7]`. It is empty
// at the top.
func (c *Cursor) Path() string {
	var path []byte
	for i := range c.stack {
		f := &c.stack[i]
		switch {
		case !f.started:
		case !f.object:
			path = append(path, '[')
			path = strconv.AppendInt(path, int64(f.valueIndex), 10)
			path = append(path, ']')
		default:
			if len(path) > 0 {
				path = append(path, '.')
			}
			path = append(path, shortened(f.key)...)
		}
	}
	return string(path)
}

// space moves over JSON white space.
func (c *Cursor) space() {
	for c.pos < len(c.buf) {
		switch c.buf[c.pos] {
		case ' ', '\t', '\n', '\r':
			c.pos++
		default:
			return
		}
	}
}

// peek returns the next byte that is not white space, 0 at the end.
func (c *Cursor) peek() byte {
	if c.pos < len(c.buf) && c.buf[c.pos] > ' ' {
		return c.buf[c.pos]
	}
	c.space()
	if c.pos < len(c.buf) {
		return c.buf[c.pos]
	}
	return 0
}

// unexpected records that something else than want stands at the cursor.
func (c *Cursor) unexpected(want string) {
	if c.err != nil {
		return
	}
	if c.pos >= len(c.buf) {
		c.failAt(c.pos, "the text ends here", want+" is expected")
		c.err.Truncated = true
		return
	}
	c.failAt(c.pos, "found "+c.describe(), want+" is expected")
}

// describe names the thing at the cursor for an error message.
func (c *Cursor) describe() string {
	b := c.buf[c.pos]
	switch {
	case b == '"':
		return "the string " + excerpt(c.buf[c.pos:])
	case b == '{':
		return "an object"
	case b == '[':
		return "an array"
	case b == '-' || isDigit(b):
		return "the number " + excerpt(c.buf[c.pos:])
	case b == 't' || b == 'f' || b == 'n':
		return excerpt(c.buf[c.pos:])
	case bytes.HasPrefix(c.buf[c.pos:], []byte("\xef\xbb\xbf")):
		return "a byte-order mark"
	case b < ' ' || b >= 0x7f:
		return fmt.Sprintf("the byte 0x%02x", b)
	}
	return strconv.QuoteRune(rune(b))
}

// longest bounds what an error message quotes of the text, in bytes.
const longest = 40

// shortened cuts an overlong field name.
func shortened(key []byte) []byte {
	if len(key) <= longest {
		return key
	}
	return append(bytes.ToValidUTF8(key[:longest], nil), "…"...)
}

// excerpt returns the start of a scalar, up to a few dozen bytes.
func excerpt(text []byte) string {
	end := 0
	if text[0] == '"' {
		for end = 1; end < len(text) && text[end] != '"' && text[end] >= ' '; end++ {
		}
		end++
	} else {
		for end < len(text) && (isDigit(text[end]) || text[end]|0x20 >= 'a' && text[end]|0x20 <= 'z' ||
			text[end] == '+' || text[end] == '-' || text[end] == '.') {
			end++
		}
	}
	if end > longest {
		return fmt.Sprintf("%s… (%d bytes)", bytes.ToValidUTF8(text[:longest], []byte("?")), end)
	}
	return string(bytes.ToValidUTF8(text[:min(end, len(text))], []byte("?")))
}

func (c *Cursor) push(object bool) {
	if c.MaxDepth > 0 && len(c.stack) >= c.MaxDepth {
		c.failAt(c.pos, "objects and arrays are nested too deeply here", fmt.Sprintf("at most %d levels are allowed", c.MaxDepth))
		return
	}
	c.pos++
	c.stack = append(c.stack, frame{object: object, valueIndex: -1})
}

// Object enters an object. [Cursor.Field] then walks its fields.
func (c *Cursor) Object() {
	if c.err != nil {
		return
	}
	if c.peek() != '{' {
		c.unexpected("an object")
		return
	}
	c.push(true)
}

// Field moves to the next field of the open object, whose name [Cursor.Key]
// returns and whose value, where the cursor then stands, the caller must read
// or [Cursor.Skip]. It returns false, and leaves the object, when there is
// none, or after an error.
func (c *Cursor) Field() bool {
	if c.err != nil {
		return false
	}
	f := &c.stack[len(c.stack)-1]
	b := c.peek()
	if b == '}' {
		c.pos++
		c.stack = c.stack[:len(c.stack)-1]
		return false
	}
	if f.started {
		if b != ',' {
			c.unexpected("',' or '}'")
			return false
		}
		c.pos++
		b = c.peek()
	}
	if b != '"' {
		c.unexpected("a field name in double quotes")
		return false
	}
	start := c.pos
	key := c.String()
	if c.err != nil {
		return false
	}
	if len(c.scratch) > 0 && len(key) > 0 && &key[0] == &c.scratch[0] {
		key = bytes.Clone(key) // it had escapes: keep it beyond the next string
	}
	f.key, f.keyStart, f.started = key, start, true
	if c.peek() != ':' {
		c.unexpected("':'")
		return false
	}
	c.pos++
	c.space() // so that Offset is where the value begins
	return true
}

// Key returns the name of the current field, escapes decoded. It is valid as
// long as the text.
func (c *Cursor) Key() []byte { return c.stack[len(c.stack)-1].key }

// Once records that the current field, number bit of its caller's fields, was
// seen, and fails when it was seen before.
func (c *Cursor) Once(seen *uint64, bit int) {
	if *seen&(1<<bit) != 0 && c.err == nil {
		f := &c.stack[len(c.stack)-1]
		c.failAt(f.keyStart, fmt.Sprintf("the field %q is given twice", f.key), "each field may be given once")
	}
	*seen |= 1 << bit
}

// Array enters an array. [Cursor.Element] then walks its elements.
func (c *Cursor) Array() {
	if c.err != nil {
		return
	}
	if c.peek() != '[' {
		c.unexpected("an array")
		return
	}
	c.push(false)
}

// Element moves to the next element of the open array. It returns false, and
// leaves the array, when there is none, or after an error.
func (c *Cursor) Element() bool {
	if c.err != nil {
		return false
	}
	f := &c.stack[len(c.stack)-1]
	b := c.peek()
	if b == ']' && !f.started {
		c.pos++
		c.stack = c.stack[:len(c.stack)-1]
		return false
	}
	if f.started {
		switch b {
		case ']':
			c.pos++
			c.stack = c.stack[:len(c.stack)-1]
			return false
		case ',':
			c.pos++
			if c.peek() == ']' {
				c.unexpected("a value")
				return false
			}
		default:
			c.unexpected("',' or ']'")
			return false
		}
	}
	f.started = true
	f.valueIndex++
	return true
}

// Index returns the number of the current element, from 0.
func (c *Cursor) Index() int { return c.stack[len(c.stack)-1].valueIndex }

// Null reads a null if one stands here and tells whether it did.
func (c *Cursor) Null() bool {
	if c.err != nil || c.peek() != 'n' {
		return false
	}
	return c.literal("null")
}

func (c *Cursor) literal(word string) bool {
	if len(c.buf)-c.pos < len(word) && bytes.HasPrefix([]byte(word), c.buf[c.pos:]) {
		c.pos = len(c.buf)
		c.unexpected(word)
		return false
	}
	if !bytes.HasPrefix(c.buf[c.pos:], []byte(word)) {
		c.unexpected("a JSON value")
		return false
	}
	c.pos += len(word)
	return true
}

// AtEnd moves over white space and tells whether the text ends there.
func (c *Cursor) AtEnd() bool {
	c.space()
	return c.pos >= len(c.buf)
}

// IsObject tells whether an object starts here.
func (c *Cursor) IsObject() bool { return c.err == nil && c.peek() == '{' }

// Mark is a place to which a cursor can go back.
type Mark struct{ pos, depth int }

// Mark returns the present place, which must not be left outwards before
// [Cursor.Restore] goes back to it.
func (c *Cursor) Mark() Mark { return Mark{c.pos, len(c.stack)} }

// Restore goes back to a mark and forgets an error met since.
func (c *Cursor) Restore(m Mark) { c.pos, c.stack, c.err = m.pos, c.stack[:m.depth], nil }

// IsString tells whether a string starts here.
func (c *Cursor) IsString() bool { return c.err == nil && c.peek() == '"' }
