package config

import (
	"errors"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// The plain forms of YAML 1.1. Exponents without a sign or without a decimal
// point, as in 1e2, are floats here too; YAML 1.1 has them as strings.
var (
	decimalForm     = regexp.MustCompile(`^[-+]?(0|[1-9][0-9_]*)$`)
	octalForm       = regexp.MustCompile(`^[-+]?0[0-7_]+$`)
	hexadecimalForm = regexp.MustCompile(`^[-+]?0x[0-9a-fA-F_]+$`)
	binaryForm      = regexp.MustCompile(`^[-+]?0b[01_]+$`)
	base60Form      = regexp.MustCompile(`^[-+]?[1-9][0-9_]*(:[0-5]?[0-9])+$`)
	floatForm       = regexp.MustCompile(`^[-+]?(([0-9][0-9_]*\.[0-9_]*|\.[0-9][0-9_]*)([eE][-+]?[0-9]+)?|[0-9][0-9_]*[eE][-+]?[0-9]+)$`)
	base60FloatForm = regexp.MustCompile(`^[-+]?[0-9][0-9_]*(:[0-5]?[0-9])+\.[0-9_]*$`)
	dateForm        = regexp.MustCompile(`^[0-9]{4}-([0-9]{2}-[0-9]{2}|[0-9]{1,2}-[0-9]{1,2}([Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(\.[0-9]*)?([ \t]*(Z|[-+][0-9]{1,2}(:[0-9]{2})?))?)$`)

	nullWords  = []string{"", "~", "null", "Null", "NULL"}
	trueWords  = []string{"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON"}
	falseWords = []string{"false", "False", "FALSE", "no", "No", "NO", "off", "Off", "OFF"}
	infWords   = []string{".inf", ".Inf", ".INF"}
	nanWords   = []string{".nan", ".NaN", ".NAN", ".Nan"}
)

// maxDigits is beyond what any finite double can have.
const maxDigits = 2000

// resolve makes a node of a plain scalar.
func resolve(text string, at place) *node {
	n := &node{kind: textNode, at: at, text: text}
	sign, digits := 1.0, strings.TrimPrefix(text, "+")
	if rest, ok := strings.CutPrefix(text, "-"); ok {
		sign, digits = -1, rest
	}
	plain := strings.ReplaceAll(digits, "_", "")
	switch {
	case slices.Contains(nullWords, text):
		n.kind = nullNode
	case slices.Contains(trueWords, text):
		n.kind, n.truth = boolNode, true
	case slices.Contains(falseWords, text):
		n.kind = boolNode
	case slices.Contains(nanWords, text):
		n.kind, n.real = floatNode, math.NaN()
	case slices.Contains(infWords, digits):
		n.kind, n.real = floatNode, math.Inf(int(sign))
	case decimalForm.MatchString(text):
		n.setInteger(sign, plain, 10)
	case octalForm.MatchString(text):
		n.setInteger(sign, plain, 8)
	case hexadecimalForm.MatchString(text):
		n.setInteger(sign, plain[2:], 16)
	case binaryForm.MatchString(text):
		n.setInteger(sign, plain[2:], 2)
	case base60Form.MatchString(text):
		n.setBase60(sign, plain)
	case floatForm.MatchString(text):
		n.kind, n.real = floatNode, sign*parseFloat(plain)
	case base60FloatForm.MatchString(text):
		n.kind = floatNode
		for part := range strings.SplitSeq(plain, ":") {
			n.real = n.real*60 + parseFloat(part)
		}
		n.real *= sign
	case dateForm.MatchString(text):
		n.kind = dateNode
	}
	return n
}

// parseFloat converts digits that the forms have checked; what is too great
// becomes infinite.
func parseFloat(digits string) float64 {
	f, err := strconv.ParseFloat(digits, 64)
	if err != nil && !errors.Is(err, strconv.ErrRange) {
		return math.NaN()
	}
	return f
}

// setInteger gives n the value of digits without sign and prefix. Digits may
// be empty, as in "0x_", which stays a string.
func (n *node) setInteger(sign float64, digits string, base int) {
	magnitude, err := strconv.ParseUint(digits, base, 64)
	switch {
	case errors.Is(err, strconv.ErrRange):
		n.setWide(sign, digits, base)
	case err == nil:
		n.kind = intNode
		n.whole = integer{negative: sign < 0 && magnitude > 0, magnitude: magnitude}
		n.real = sign * float64(magnitude)
	}
}

// setWide gives n a value beyond 64 bits.
func (n *node) setWide(sign float64, digits string, base int) {
	n.kind, n.whole, n.real = intNode, integer{negative: sign < 0, wide: true}, math.Inf(int(sign))
	if len(digits) <= maxDigits {
		if wide, ok := new(big.Int).SetString(digits, base); ok {
			real, _ := new(big.Float).SetInt(wide).Float64()
			n.real = sign * real
		}
	}
}

// setBase60 gives n the value of digits between colons.
func (n *node) setBase60(sign float64, digits string) {
	n.kind = intNode
	for part := range strings.SplitSeq(digits, ":") {
		value, err := strconv.ParseUint(part, 10, 64)
		n.real = n.real*60 + parseFloat(part)
		if err != nil || n.whole.wide || n.whole.magnitude > (math.MaxUint64-value)/60 {
			n.whole.wide = true
			continue
		}
		n.whole.magnitude = n.whole.magnitude*60 + value
	}
	n.whole.negative = sign < 0 && (n.whole.wide || n.whole.magnitude > 0)
	n.real *= sign
}
