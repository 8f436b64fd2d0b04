package strictjson

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
)

func isDigit(b byte) bool { return b-'0' < 10 }

// number is the text of one JSON number, cut into its parts.
type number struct {
	negative bool
	integer  []byte // at least one digit
	fraction []byte // digits behind the point
	exponent []byte // with its sign, without the e
	text     []byte
}

// number reads a number by the JSON grammar.
func (c *Cursor) number() (n number, ok bool) {
	start := c.pos
	digits := func(want string) ([]byte, bool) {
		from := c.pos
		for c.pos < len(c.buf) && isDigit(c.buf[c.pos]) {
			c.pos++
		}
		if c.pos == from {
			c.unexpected(want)
			return nil, false
		}
		return c.buf[from:c.pos], true
	}
	if c.pos < len(c.buf) && c.buf[c.pos] == '-' {
		n.negative = true
		c.pos++
	}
	if n.integer, ok = digits("a number"); !ok {
		return n, false
	}
	if len(n.integer) > 1 && n.integer[0] == '0' {
		c.failAt(start, "found the number "+excerpt(c.buf[start:]), "numbers have no leading zeros")
		return n, false
	}
	if c.pos < len(c.buf) && c.buf[c.pos] == '.' {
		c.pos++
		if n.fraction, ok = digits("a digit after the decimal point"); !ok {
			return n, false
		}
	}
	if c.pos < len(c.buf) && c.buf[c.pos]|0x20 == 'e' {
		c.pos++
		from := c.pos
		if c.pos < len(c.buf) && (c.buf[c.pos] == '+' || c.buf[c.pos] == '-') {
			c.pos++
		}
		if _, ok = digits("a digit of the exponent"); !ok {
			return n, false
		}
		n.exponent = c.buf[from:c.pos]
	}
	n.text = c.buf[start:c.pos]
	return n, true
}

// Uint reads an unsigned integer up to most: digits only, so that 8.0, 1e3
// and -0 are errors.
func (c *Cursor) Uint(most uint64) uint64 {
	n, ok := c.integer("an unsigned integer")
	if !ok {
		return 0
	}
	value, fits := parseUint(n.integer)
	if n.negative || !fits || value > most {
		c.failAt(c.pos-len(n.text), "found the number "+excerpt(n.text), fmt.Sprintf("an unsigned integer from 0 to %d is expected", most))
		return 0
	}
	return value
}

// Int reads a signed integer between least and most, both included.
func (c *Cursor) Int(least, most int64) int64 {
	n, ok := c.integer("an integer")
	if !ok {
		return 0
	}
	magnitude, fits := parseUint(n.integer)
	value := int64(magnitude)
	if n.negative {
		value = -value
		fits = fits && magnitude != 0 && magnitude <= 1<<63
	} else {
		fits = fits && magnitude < 1<<63
	}
	if !fits || value < least || value > most {
		c.failAt(c.pos-len(n.text), "found the number "+excerpt(n.text), fmt.Sprintf("an integer from %d to %d is expected", least, most))
		return 0
	}
	return value
}

func (c *Cursor) integer(want string) (n number, ok bool) {
	if c.err != nil {
		return n, false
	}
	if b := c.peek(); b != '-' && !isDigit(b) {
		c.unexpected(want)
		return n, false
	}
	if n, ok = c.number(); !ok {
		return n, false
	}
	if n.fraction != nil || n.exponent != nil {
		c.failAt(c.pos-len(n.text), "found the number "+excerpt(n.text), want+" in digits is expected, without point or exponent")
		return n, false
	}
	return n, true
}

func parseUint(digits []byte) (value uint64, fits bool) {
	if len(digits) > 20 {
		return 0, false
	}
	for _, b := range digits {
		high, low := bits.Mul64(value, 10)
		sum, carry := bits.Add64(low, uint64(b-'0'), 0)
		if high != 0 || carry != 0 {
			return 0, false
		}
		value = sum
	}
	return value, true
}

// Real reads a number as a double. A magnitude beyond the double range is an
// error, one too small becomes a zero of the same sign.
func (c *Cursor) Real() float64 {
	if c.err != nil {
		return 0
	}
	if b := c.peek(); b != '-' && !isDigit(b) {
		c.unexpected("a number")
		return 0
	}
	n, ok := c.number()
	if !ok {
		return 0
	}
	value, ok := n.double(c.TwoStep)
	if !ok {
		c.failAt(c.pos-len(n.text), "found the number "+excerpt(n.text), "its magnitude must not exceed the range of a double, about 1.8e308")
		return 0
	}
	return value
}

// double converts the literal, correctly rounded or by the two-step rule.
func (n *number) double(twoStep bool) (value float64, ok bool) {
	mantissa, exponent, exact := n.decimal()
	if exact && mantissa < 1<<53 && exponent >= -22 && exponent <= 22 {
		// Mantissa and power are exact doubles: one rounding, in either mode.
		value = scale(float64(mantissa), exponent)
	} else if twoStep {
		value, ok = scaleInSteps(float64(mantissa), exponent)
		if !ok {
			return 0, false
		}
	} else {
		value, err := strconv.ParseFloat(string(n.text), 64)
		return value, err == nil
	}
	if n.negative {
		value = math.Copysign(value, -1)
	}
	return value, !math.IsInf(value, 0)
}

// decimal collects the digits into a 64-bit mantissa and a decimal exponent
// by steps 1 to 3 of weka.md 3. Exact tells that no digit was dropped.
func (n *number) decimal() (mantissa uint64, exponent int, exact bool) {
	exact = true
	push := func(b byte) bool {
		high, low := bits.Mul64(mantissa, 10)
		sum, carry := bits.Add64(low, uint64(b-'0'), 0)
		if high != 0 || carry != 0 {
			exact = false
			return false
		}
		mantissa = sum
		return true
	}
	for i, b := range n.integer {
		if !push(b) {
			exponent += len(n.integer) - i
			break
		}
	}
	for _, b := range n.fraction {
		if !push(b) {
			break
		}
		exponent--
	}
	if n.exponent != nil {
		written, err := strconv.ParseInt(string(n.exponent), 10, 32)
		if err != nil { // out of 32 bits: ParseInt saturates
			exact = false
		}
		exponent = int(min(max(int64(exponent)+written, math.MinInt32), math.MaxInt32))
	}
	return mantissa, exponent, exact
}

// scale multiplies or divides by the double nearest to the power of ten.
func scale(x float64, exponent int) float64 {
	if exponent < 0 {
		return x / powersOfTen[-exponent]
	}
	return x * powersOfTen[exponent]
}

// scaleInSteps is step 4 of weka.md 3.
func scaleInSteps(x float64, exponent int) (float64, bool) {
	const largest = len(powersOfTen) - 1
	for exponent < -largest || exponent > largest {
		if x == 0 {
			return 0, true
		}
		if exponent > 0 {
			return 0, false
		}
		x /= powersOfTen[largest]
		exponent += largest
	}
	return scale(x, exponent), true
}

// powersOfTen[i] is the double nearest to 10^i.
var powersOfTen = func() (powers [309]float64) {
	for i := range powers {
		powers[i], _ = strconv.ParseFloat("1e"+strconv.Itoa(i), 64)
	}
	return powers
}()

// ParseReal reads a number literal as [Cursor.Real] does.
func ParseReal(literal []byte, twoStep bool) (float64, error) {
	c := Cursor{TwoStep: twoStep}
	c.Reset(literal)
	value := c.Real()
	if c.err == nil && !c.AtEnd() {
		c.unexpected("nothing after the number")
	}
	if c.err != nil {
		return 0, c.err
	}
	return value, nil
}

// AppendReal appends the shortest decimal that reads back as x, in the form
// of graph-identity.md 4: positional with a point from 1e-5 to below 1e16,
// else with a signed exponent. An infinity is written as null.
func AppendReal(dst []byte, x float64) []byte {
	if math.IsInf(x, 0) {
		return append(dst, "null"...)
	}
	magnitude := math.Abs(x)
	if magnitude == 0 || magnitude >= 1e-5 && magnitude < 1e16 {
		start := len(dst)
		dst = strconv.AppendFloat(dst, x, 'f', -1, 64)
		for _, b := range dst[start:] {
			if b == '.' {
				return dst
			}
		}
		return append(dst, '.', '0')
	}
	dst = strconv.AppendFloat(dst, x, 'e', -1, 64)
	// The standard form pads the exponent to two digits.
	if n := len(dst); dst[n-2] == '0' && (dst[n-3] == '+' || dst[n-3] == '-') {
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}
