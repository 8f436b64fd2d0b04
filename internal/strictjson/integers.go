package strictjson

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
)

// Integers is an array of unsigned 64-bit integers as canonical text: decimal
// numbers separated by single commas, without brackets and without white
// space. Such a text is compared, hashed and written as it stands; equal texts
// are equal arrays.
type Integers struct {
	Text []byte
	Len  int // number of integers
}

// Integers reads an array of unsigned 64-bit integers. A compact array is
// returned as a view of the text; one with white space is copied together,
// into memory that [Cursor.ReuseCopies] takes back.
//
// Previous is an array that this one probably starts with (the zero value is
// fine): the integers that both have in common were checked when previous was
// read and are only compared, many bytes at a time.
func (c *Cursor) Integers(previous Integers) Integers {
	if c.err != nil {
		return Integers{}
	}
	if c.peek() != '[' {
		c.unexpected("an array of unsigned integers")
		return Integers{}
	}
	start := c.pos + 1
	if start < len(c.buf) && c.buf[start] == ']' {
		c.pos = start + 1
		return Integers{}
	}
	common, count := previous.sharedWith(c.buf[start:])
	if end, scanned, ok := scanIntegers(c.buf, start+common); ok {
		c.pos = end + 1
		return Integers{Text: c.buf[start:end], Len: count + scanned}
	}
	if size := bytes.IndexByte(c.buf[start:], ']'); size >= 0 {
		if text, count := closeUp(c.copySpace(size), c.buf[start:start+size]); count > 0 {
			c.pos = start + size + 1
			c.copies = c.copies[:len(c.copies)+len(text)]
			return Integers{Text: text, Len: count}
		}
	}
	return c.looseIntegers()
}

// ReuseCopies tells that the arrays read so far are no longer in use, so that
// the memory of those that had to be copied together can be used again.
func (c *Cursor) ReuseCopies() { c.copies = c.copies[:0] }

// copySpace returns n bytes behind the copies that are in use.
func (c *Cursor) copySpace(n int) []byte {
	if cap(c.copies)-len(c.copies) < n {
		// The copies in use stay where they are.
		const most = 1 << 20
		c.copies = make([]byte, 0, max(n, min(2*cap(c.copies), most)))
	}
	used := len(c.copies)
	return c.copies[used : used+n : used+n]
}

// closeUp writes a list of integers that are separated by commas and spaces,
// as most JSON writers do by default, in its canonical form to the beginning
// of out, which is as long as the list. It gives up, with count 0, at
// anything unusual.
func closeUp(out, list []byte) (text []byte, count int) {
	size := 0
	for i := 0; ; {
		for i < len(list) && list[i] == ' ' {
			i++
		}
		start := i
		for i < len(list) && isDigit(list[i]) {
			out[size] = list[i]
			size++
			i++
		}
		if digits := i - start; digits == 0 || digits > 1 && list[start] == '0' || digits > 19 && !fits64(list[start:i]) {
			return nil, 0
		}
		count++
		for i < len(list) && list[i] == ' ' {
			i++
		}
		if i == len(list) {
			return out[:size:size], count
		}
		if list[i] != ',' {
			return nil, 0
		}
		out[size] = ','
		size++
		i++
	}
}

// scanIntegers walks a compact list of integers from offset i of text to its
// closing bracket. It gives up (ok false) at anything unusual: white space,
// a number that may not fit, an error.
func scanIntegers(text []byte, i int) (end, count int, ok bool) {
	for {
		start := i
		for i < len(text) && isDigit(text[i]) {
			i++
		}
		// 19 digits always fit in 64 bits; a leading zero stands alone.
		if digits := i - start; i >= len(text) || digits == 0 || digits > 1 && text[start] == '0' ||
			digits > 19 && !fits64(text[start:i]) {
			return 0, 0, false
		}
		count++
		switch text[i] {
		case ',':
			i++
		case ']':
			return i, count, true
		default:
			return 0, 0, false
		}
	}
}

// fits64 tells whether a number of 20 digits or more, without leading zeros,
// is at most 2^64-1.
func fits64(digits []byte) bool {
	const largest = "18446744073709551615"
	return len(digits) == len(largest) && string(digits) <= largest
}

// looseIntegers reads the array element by element: the plain twin of
// scanIntegers and closeUp, for arrays that are laid out otherwise and for
// errors with their place.
func (c *Cursor) looseIntegers() Integers {
	var out Integers
	for c.Array(); c.Element(); {
		n, ok := c.integer("an unsigned integer")
		if !ok {
			break
		}
		if _, fits := parseUint(n.integer); n.negative || !fits {
			c.failAt(c.pos-len(n.text), "found the number "+excerpt(n.text), fmt.Sprintf("an unsigned integer from 0 to %d is expected", uint64(math.MaxUint64)))
			break
		}
		if out.Text == nil {
			// The compact form is never longer than what is left of the text
			// up to the closing bracket.
			if end := bytes.IndexByte(c.buf[c.pos:], ']'); end >= 0 {
				out.Text = make([]byte, 0, len(n.text)+end)
			}
		} else {
			out.Text = append(out.Text, ',')
		}
		out.Text = append(out.Text, n.text...)
		out.Len++
	}
	if c.err != nil {
		return Integers{}
	}
	return out
}

// sharedWith returns how many leading bytes of text, the inside of an array,
// are integers that a shares with it, with their separating comma, and how
// many integers those are. What follows them is not looked at.
func (a Integers) sharedWith(text []byte) (size, count int) {
	size = commonPrefix(a.Text, text)
	if size == len(a.Text) && size > 0 && size < len(text) && text[size] == ',' {
		return size + 1, a.Len
	}
	size = bytes.LastIndexByte(a.Text[:size], ',') + 1
	return size, bytes.Count(a.Text[:size], comma)
}

// CommonPrefix returns how many leading integers a and b share, and how long
// their text is, without a separator behind it.
func (a Integers) CommonPrefix(b Integers) (count, size int) {
	size = commonPrefix(a.Text, b.Text)
	aEnds := size == len(a.Text) || a.Text[size] == ','
	bEnds := size == len(b.Text) || b.Text[size] == ','
	if !aEnds || !bEnds {
		size = max(bytes.LastIndexByte(a.Text[:size], ','), 0)
	}
	switch {
	case size == 0:
		return 0, 0
	case size == len(a.Text):
		return a.Len, size
	case size == len(b.Text):
		return b.Len, size
	}
	return bytes.Count(a.Text[:size], comma) + 1, size
}

// HasPrefix tells whether a starts with all of b.
func (a Integers) HasPrefix(b Integers) bool {
	return bytes.HasPrefix(a.Text, b.Text) &&
		(len(a.Text) == len(b.Text) || len(b.Text) == 0 || a.Text[len(b.Text)] == ',')
}

// All calls yield with each integer in order until it returns false.
func (a Integers) All(yield func(uint64) bool) {
	for i := 0; i < len(a.Text); i++ {
		var value uint64
		for i+8 <= len(a.Text) {
			eight, ok := eightDigits(binary.LittleEndian.Uint64(a.Text[i:]))
			if !ok {
				break
			}
			value = value*100_000_000 + eight
			i += 8
		}
		for ; i < len(a.Text) && a.Text[i] != ','; i++ {
			value = value*10 + uint64(a.Text[i]-'0')
		}
		if !yield(value) {
			return
		}
	}
}

// eightDigits returns the number that eight bytes are, the first in the lowest
// byte of word; false unless all are digits. Neighbours are put together in
// pairs, then the pairs, then the fours.
func eightDigits(word uint64) (value uint64, ok bool) {
	const zeros, high = 0x3030303030303030, 0xf0f0f0f0f0f0f0f0
	if word&high != zeros || (word+0x0606060606060606)&high != zeros {
		return 0, false
	}
	word -= zeros
	word = word*10 + word>>8
	const pairs = 0x000000ff000000ff
	return ((word&pairs)*(100+1_000_000<<32) + (word>>16&pairs)*(1+10_000<<32)) >> 32, true
}

var comma = []byte{','}

// commonPrefix returns the number of leading bytes that a and b share.
func commonPrefix(a, b []byte) int {
	n := min(len(a), len(b))
	i := 0
	// Whole strides by the runtime's vector comparison, then words, then bytes.
	const stride = 512
	for i+stride <= n && string(a[i:i+stride]) == string(b[i:i+stride]) {
		i += stride
	}
	for i+8 <= n {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
		i += 8
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}

// Prefix returns the first n integers of a; n must not exceed a.Len. It costs
// in proportion to n or to what is left, whichever is less.
func (a Integers) Prefix(n int) Integers {
	switch {
	case n == 0:
		return Integers{}
	case n <= a.Len/2:
		end := 0
		for range n {
			end += bytes.IndexByte(a.Text[end:], ',') + 1
		}
		return Integers{Text: a.Text[:end-1], Len: n}
	}
	end := len(a.Text)
	for range a.Len - n {
		end = bytes.LastIndexByte(a.Text[:end], ',')
	}
	return Integers{Text: a.Text[:end], Len: n}
}
