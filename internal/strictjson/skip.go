package strictjson

import "fmt"

// framedLevels is how many levels of a skipped value are walked with the
// cursor's own frames, so that an error names its place. What lies deeper
// takes one bit a level, and an error in it is placed where the bits begin.
const framedLevels = 128

// Skip reads over one value of any kind. Its syntax is checked; with ranges,
// numbers must also lie in the double range. Nested values are never walked by
// recursion.
func (c *Cursor) Skip(ranges bool) {
	base := len(c.stack)
	for c.err == nil {
		b := c.peek()
		switch {
		case b != '{' && b != '[':
			c.scalar(b, ranges)
		case len(c.stack)-base < framedLevels:
			c.push(b == '{')
		default:
			c.skipDeep(ranges)
		}
		// Go to the next value inside what this Skip has opened.
		for more := false; !more; {
			if c.err != nil || len(c.stack) == base {
				return
			}
			if c.stack[len(c.stack)-1].object {
				more = c.Field()
			} else {
				more = c.Element()
			}
		}
	}
}

// scalar reads over a value that begins with b and is no object or array.
func (c *Cursor) scalar(b byte, ranges bool) {
	switch {
	case b == '"':
		c.String()
	case b == '-' || isDigit(b):
		if n, ok := c.number(); ok && ranges {
			if _, ok := n.double(c.TwoStep); !ok {
				c.failAt(c.pos-len(n.text), "found the number "+excerpt(n.text), "its magnitude must not exceed the range of a double, about 1.8e308")
			}
		}
	case b == 't':
		c.literal("true")
	case b == 'f':
		c.literal("false")
	case b == 'n':
		c.literal("null")
	default:
		c.unexpected("a JSON value")
	}
}

// skipDeep is Skip for the object or array at the cursor, at one bit a level.
func (c *Cursor) skipDeep(ranges bool) {
	var open levels
	for c.err == nil {
		// A value stands here.
		if b := c.peek(); b == '{' || b == '[' {
			if c.MaxDepth > 0 && len(c.stack)+open.depth >= c.MaxDepth {
				c.failAt(c.pos, "objects and arrays are nested too deeply here", fmt.Sprintf("at most %d levels are allowed", c.MaxDepth))
				return
			}
			c.pos++
			open.push(b == '{')
			if c.peek() != b+2 { // not the closing bracket, which is two characters on
				if b == '{' {
					c.fieldName()
				}
				continue
			}
		} else {
			c.scalar(b, ranges)
		}
		// Go to the next value.
		for more := false; !more; {
			if c.err != nil || open.depth == 0 {
				return
			}
			object, end, want := open.object(), byte(']'), "',' or ']'"
			if object {
				end, want = '}', "',' or '}'"
			}
			switch c.peek() {
			case end:
				c.pos++
				open.depth--
			case ',':
				c.pos++
				if more = true; object {
					c.fieldName()
				}
			default:
				c.unexpected(want)
			}
		}
	}
}

// fieldName reads over a field name and its colon.
func (c *Cursor) fieldName() {
	if c.peek() != '"' {
		c.unexpected("a field name in double quotes")
		return
	}
	c.String()
	if c.err != nil {
		return
	}
	if c.peek() != ':' {
		c.unexpected("':'")
		return
	}
	c.pos++
}

// levels is a stack of open objects (bit 1) and arrays (bit 0).
type levels struct {
	bits  []uint64
	depth int
}

func (l *levels) push(object bool) {
	word, bit := l.depth/64, uint64(1)<<(l.depth%64)
	if word == len(l.bits) {
		l.bits = append(l.bits, 0)
	}
	if object {
		l.bits[word] |= bit
	} else {
		l.bits[word] &^= bit
	}
	l.depth++
}

// object tells whether the innermost level is an object.
func (l *levels) object() bool {
	last := l.depth - 1
	return l.bits[last/64]>>(last%64)&1 == 1
}
