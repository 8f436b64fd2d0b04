package strictjson

import (
	"unicode/utf16"
	"unicode/utf8"
)

// String reads a string. Without escapes the result is a view of the text,
// else it is valid until the cursor reads on. Invalid UTF-8, raw control
// characters and lone surrogate escapes are errors.
func (c *Cursor) String() []byte {
	if c.err != nil {
		return nil
	}
	if c.peek() != '"' {
		c.unexpected("a string")
		return nil
	}
	start := c.pos + 1
	ascii := true
	for i := start; i < len(c.buf); i++ {
		switch b := c.buf[i]; {
		case b == '"':
			c.pos = i + 1
			text := c.buf[start:i]
			if !ascii && !utf8.Valid(text) {
				c.failAt(start+invalidUTF8(text), "the string is not valid UTF-8", "text must be UTF-8")
				return nil
			}
			return text
		case b == '\\':
			return c.escapedString(start, i)
		case b < ' ':
			c.pos = i
			c.failAt(i, "found a raw control character in a string", `control characters are written as escapes, such as \n or \u0000`)
			return nil
		case b >= utf8.RuneSelf:
			ascii = false
		}
	}
	c.pos = len(c.buf)
	c.unexpected("the closing quote of a string")
	return nil
}

// escapedString decodes a string whose first escape is at offset i.
func (c *Cursor) escapedString(start, i int) []byte {
	out := append(c.scratch[:0], c.buf[start:i]...)
	for i < len(c.buf) {
		b := c.buf[i]
		switch {
		case b == '"':
			c.pos, c.scratch = i+1, out
			if !utf8.Valid(out) {
				c.failAt(start, "the string is not valid UTF-8", "text must be UTF-8")
				return nil
			}
			return out
		case b < ' ':
			c.pos = i
			c.failAt(i, "found a raw control character in a string", `control characters are written as escapes, such as \n or \u0000`)
			return nil
		case b != '\\':
			out = append(out, b)
			i++
			continue
		}
		if i+1 >= len(c.buf) {
			break
		}
		switch e := c.buf[i+1]; e {
		case '"', '\\', '/':
			out = append(out, e)
		case 'b':
			out = append(out, '\b')
		case 'f':
			out = append(out, '\f')
		case 'n':
			out = append(out, '\n')
		case 'r':
			out = append(out, '\r')
		case 't':
			out = append(out, '\t')
		case 'u':
			r, size, ok := c.unicodeEscape(i)
			if !ok {
				return nil
			}
			out = utf8.AppendRune(out, r)
			i += size
			continue
		default:
			c.pos = i
			c.failAt(i, "found an unknown escape in a string", `escapes are \" \\ \/ \b \f \n \r \t \uXXXX`)
			return nil
		}
		i += 2
	}
	c.pos = len(c.buf)
	c.unexpected("the closing quote of a string")
	return nil
}

// unicodeEscape decodes `\uXXXX`, or a surrogate pair of them, at offset i.
func (c *Cursor) unicodeEscape(i int) (r rune, size int, ok bool) {
	first, ok := c.hex4(i + 2)
	if !ok {
		return 0, 0, false
	}
	if !utf16.IsSurrogate(first) {
		return first, 6, true
	}
	if i+7 < len(c.buf) && c.buf[i+6] == '\\' && c.buf[i+7] == 'u' {
		second, ok := c.hex4(i + 8)
		if !ok {
			return 0, 0, false
		}
		if r := utf16.DecodeRune(first, second); r != utf8.RuneError {
			return r, 12, true
		}
	}
	if rest := c.buf[i+6:]; first < 0xdc00 && (len(rest) == 0 || string(rest) == `\`) {
		c.pos = len(c.buf)
		c.unexpected("the second half of a surrogate pair")
		return 0, 0, false
	}
	c.pos = i
	c.failAt(i, "found half of a surrogate pair", `characters above U+FFFF are written as two \u escapes, high half first`)
	return 0, 0, false
}

func (c *Cursor) hex4(i int) (rune, bool) {
	var r rune
	for k := i; k < i+4; k++ {
		if k >= len(c.buf) {
			c.pos = len(c.buf)
			c.unexpected("four hexadecimal digits")
			return 0, false
		}
		switch b := c.buf[k]; {
		case isDigit(b):
			r = r<<4 | rune(b-'0')
		case b|0x20 >= 'a' && b|0x20 <= 'f':
			r = r<<4 | rune(b|0x20-'a'+10)
		default:
			c.pos = k
			c.unexpected("a hexadecimal digit")
			return 0, false
		}
	}
	return r, true
}

func invalidUTF8(text []byte) int {
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRune(text[i:])
		if r == utf8.RuneError && size == 1 {
			return i
		}
		i += size
	}
	return len(text)
}

// AppendString appends text as a JSON string with the least escaping: quote,
// backslash and control characters only (graph-identity.md 4).
func AppendString[T []byte | string](dst []byte, text T) []byte {
	const hex = "0123456789abcdef"
	dst = append(dst, '"')
	plain := 0
	for i := range len(text) {
		b := text[i]
		if b >= ' ' && b != '"' && b != '\\' {
			continue
		}
		dst = append(dst, text[plain:i]...)
		plain = i + 1
		switch b {
		case '"', '\\':
			dst = append(dst, '\\', b)
		case '\b':
			dst = append(dst, '\\', 'b')
		case '\t':
			dst = append(dst, '\\', 't')
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\f':
			dst = append(dst, '\\', 'f')
		case '\r':
			dst = append(dst, '\\', 'r')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hex[b>>4], hex[b&15])
		}
	}
	dst = append(dst, text[plain:]...)
	return append(dst, '"')
}
