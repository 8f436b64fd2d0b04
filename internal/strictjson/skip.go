package strictjson

// Skip reads over one value of any kind. Its syntax is checked; with ranges,
// numbers must also lie in the double range. Nested values are walked with
// the cursor's own stack of frames, never by recursion.
func (c *Cursor) Skip(ranges bool) {
	base := len(c.stack)
	for c.err == nil {
		switch b := c.peek(); {
		case b == '{' || b == '[':
			c.push(b == '{')
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
