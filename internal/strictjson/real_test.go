package strictjson_test

import (
	"fmt"
	"math"
	"math/big"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tracekit/internal/strictjson"
)

func TestReal(t *testing.T) {
	negativeZero := math.Copysign(0, -1)
	mantissa := 1844674407370955161.0 // a variable: the steps round one by one
	for _, tt := range []struct {
		text             string
		rounded, twoStep float64
	}{
		{"0", 0, 0},
		{"-0", negativeZero, negativeZero},
		{"-0.0", negativeZero, negativeZero},
		{"-1e-400", negativeZero, negativeZero},
		{"1e-400", 0, 0},
		{"0e999999999999", 0, 0},
		{"-0.000e+999999999999", negativeZero, negativeZero},
		{"1e-999999999999", 0, 0},
		{"1e-2147483649", 0, 0},
		{"0.1", 0.1, 0.1},
		{"12", 12, 12},
		{"1E3", 1000, 1000},
		{"2.5e-1", 0.25, 0.25},
		{"5e-324", 5e-324, 5e-324},
		{"1.7976931348623157e308", math.MaxFloat64, math.MaxFloat64},
		{"9007199254740993", 9007199254740992, 9007199254740992}, // a tie, to even
		{"9007199254740995", 9007199254740996, 9007199254740996},
		{"18446744073709551615", 18446744073709551616, 18446744073709551616},

		// The settings differ: weka.md 3.
		{"56.364234505677665", 56.364234505677665, 56.364234505677665},
		{"56.3642345056776647994", 56.364234505677665, 56.36423450567766},
		{"4503599627370496.5", 4503599627370496, 4503599627370497},
		{"9007199254740991.1", 9007199254740991, 9007199254740990},
		{"9007199254.740993", 9007199254.740993, 9007199254.740992},

		// Digits beyond 64 bits count by their place only; after an overflow of
		// the integer digits a fraction digit may still fit.
		{"18446744073709551616", 18446744073709551616, mantissa * 10},
		{"18446744073709551619.5", 18446744073709551619.5, 18446744073709551615},
		{"184467440737095516199999", 184467440737095516199999, mantissa * 1e5},
		{"0.00000000000000000000000000000123", 1.23e-30, 1.2299999999999999e-30},
		{"100000000000000000000000000000000e-32", 1, 1},
	} {
		for _, mode := range []struct {
			twoStep bool
			want    float64
		}{{false, tt.rounded}, {true, tt.twoStep}} {
			got, err := strictjson.ParseReal([]byte(tt.text), mode.twoStep)
			require.NoError(t, err, tt.text)
			require.Equal(t, math.Float64bits(mode.want), math.Float64bits(got), "%s, two steps %v: got %v, want %v", tt.text, mode.twoStep, got, mode.want)
		}
	}
}

func TestRealRefused(t *testing.T) {
	for _, text := range []string{
		"1e999", "-1e999", "1e309", "1.8e308", "-1.8e308", "1e2147483648", "1e999999999999", "0.1e400", "10000000000000000000000e290",
		"", "-", "+1", ".5", "1.", "1.e5", "1e", "1e+", "01", "-01.5", "00", "NaN", "Infinity", "-Infinity", "inf", "0x1p3", "1_0", "1,5", "1 2", "1f", `"1"`, "null", "true", "[]",
	} {
		for _, twoStep := range []bool{false, true} {
			_, err := strictjson.ParseReal([]byte(text), twoStep)
			require.Error(t, err, "%s, two steps %v", text, twoStep)
		}
	}
}

// twoSteps is the plain twin of the two-step conversion (weka.md 3), with
// numbers of any size in place of the 64-bit tricks.
func twoSteps(literal string) (value float64, ok bool) {
	literal, negative := strings.CutPrefix(literal, "-")
	literal = strings.ToLower(literal)
	digits, written, _ := strings.Cut(literal, "e")
	integer, fraction, _ := strings.Cut(digits, ".")

	limit := new(big.Int).Lsh(big.NewInt(1), 64)
	mantissa, exponent := new(big.Int), new(big.Int)
	push := func(digit byte) bool {
		next := new(big.Int).Mul(mantissa, big.NewInt(10))
		next.Add(next, big.NewInt(int64(digit-'0')))
		if next.Cmp(limit) >= 0 {
			return false
		}
		mantissa = next
		return true
	}
	for i := range len(integer) {
		if !push(integer[i]) {
			exponent.SetInt64(int64(len(integer) - i))
			break
		}
	}
	for i := range len(fraction) {
		if !push(fraction[i]) {
			break
		}
		exponent.Sub(exponent, big.NewInt(1))
	}
	if written != "" {
		e, _ := new(big.Int).SetString(strings.TrimPrefix(written, "+"), 10)
		exponent.Add(exponent, e)
	}

	x, _ := new(big.Float).SetInt(mantissa).Float64()
	power := func(e int64) float64 {
		p, _ := strconv.ParseFloat(fmt.Sprintf("1e%d", e), 64)
		return p
	}
	for exponent.CmpAbs(big.NewInt(308)) > 0 && x != 0 {
		if exponent.Sign() > 0 {
			return 0, false
		}
		x /= power(308)
		exponent.Add(exponent, big.NewInt(308))
	}
	switch e := exponent.Int64(); {
	case x == 0:
	case e < 0:
		x /= power(-e)
	default:
		x *= power(e)
	}
	if negative {
		x = -x
	}
	return x, !math.IsInf(x, 0)
}

var realLiteral = regexp.MustCompile(`^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][+-]?[0-9]+)?$`)

// checkLiteral holds both conversions of a literal against their twins.
func checkLiteral(t require.TestingT, literal string) {
	want, err := strconv.ParseFloat(literal, 64)
	got, gotErr := strictjson.ParseReal([]byte(literal), false)
	require.Equal(t, err == nil, gotErr == nil, "%s: %v, %v", literal, err, gotErr)
	if err == nil {
		require.Equal(t, math.Float64bits(want), math.Float64bits(got), literal)
	}
	want, ok := twoSteps(literal)
	got, gotErr = strictjson.ParseReal([]byte(literal), true)
	require.Equal(t, ok, gotErr == nil, "%s in two steps: %v", literal, gotErr)
	if ok {
		require.Equal(t, math.Float64bits(want), math.Float64bits(got), "%s in two steps: got %v, want %v", literal, got, want)
	}
}

func TestRealAgainstTwins(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkLiteral(t, rapid.StringMatching(`-?(0|[1-9][0-9]{0,24})(\.[0-9]{1,24})?([eE][+-]?[0-9]{1,3})?`).Draw(t, "literal"))
	})
	// Around the powers of ten that are doubles, 1e22 the last.
	rapid.Check(t, func(t *rapid.T) {
		checkLiteral(t, fmt.Sprintf("%de%d", rapid.Int64Range(0, 1<<54).Draw(t, "digits"), rapid.IntRange(-40, 40).Draw(t, "exponent")))
	})
}

// With at most 15 digits and powers up to 22 the settings agree.
func TestShortDecimalsAgree(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		literal := fmt.Sprintf("%de%d", rapid.Int64Range(0, 999_999_999_999_999).Draw(t, "digits"), rapid.IntRange(-22, 22).Draw(t, "exponent"))
		rounded, err := strictjson.ParseReal([]byte(literal), false)
		require.NoError(t, err)
		twoStep, err := strictjson.ParseReal([]byte(literal), true)
		require.NoError(t, err)
		require.Equal(t, rounded, twoStep, literal)
	})
}

// Whole nanoseconds below 2^53, in milliseconds, survive printing and reading
// by either conversion (weka.md 10).
func TestNanosecondsSurvive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ms := float64(rapid.Int64Range(0, 1<<53-1).Draw(t, "ns")) / 1e6
		text := strictjson.AppendReal(nil, ms)
		for _, twoStep := range []bool{false, true} {
			back, err := strictjson.ParseReal(text, twoStep)
			require.NoError(t, err)
			require.Equal(t, ms, back, "%s, two steps %v", text, twoStep)
		}
	})
}

func TestAppendReal(t *testing.T) {
	tenth, fifth := 0.1, 0.2 // variables: the sum is one of doubles
	for _, tt := range []struct {
		x    float64
		want string
	}{
		{0, "0.0"},
		{math.Copysign(0, -1), "-0.0"},
		{1.5, "1.5"},
		{-2.25, "-2.25"},
		{100, "100.0"},
		{1e-5, "0.00001"},
		{math.Nextafter(1e-5, 0), "9.999999999999999e-6"},
		{9.99e-6, "9.99e-6"},
		{1e-6, "1e-6"},
		{2.5e-7, "2.5e-7"},
		{1e-10, "1e-10"},
		{1e15, "1000000000000000.0"},
		{9999999999999998, "9999999999999998.0"},
		{1e16, "1e+16"},
		{1.25e16, "1.25e+16"},
		{123456.789, "123456.789"},
		{123456789012345678, "1.2345678901234568e+17"},
		{tenth + fifth, "0.30000000000000004"},
		{1e100, "1e+100"},
		{2.2250738585072014e-308, "2.2250738585072014e-308"},
		{5e-324, "5e-324"},
		{math.MaxFloat64, "1.7976931348623157e+308"},
		{math.Inf(1), "null"},
		{math.Inf(-1), "null"},
	} {
		require.Equal(t, tt.want, string(strictjson.AppendReal(nil, tt.x)))
		require.Equal(t, "x"+tt.want, string(strictjson.AppendReal([]byte("x"), tt.x)))
	}
}

var (
	positional = regexp.MustCompile(`^-?(0|[1-9][0-9]*)\.[0-9]+$`)
	scientific = regexp.MustCompile(`^-?[1-9](\.[0-9]*[1-9])?e[+-][1-9][0-9]*$`)
)

// digitsOf returns the digits of a decimal without sign, point and exponent.
func digitsOf(text string) string {
	digits, _, _ := strings.Cut(text, "e")
	return strings.NewReplacer(".", "", "-", "").Replace(digits)
}

// significant returns them without the zeros at their ends.
func significant(text string) string { return strings.Trim(digitsOf(text), "0") }

// FuzzReal prints a double and reads it back, and holds the reading of any
// literal against the standard library and the plain two steps.
func FuzzReal(f *testing.F) {
	for _, x := range []float64{0, 1, 0.1, 1e-5, 9.99e-6, 1e15, 1e16, 5e-324, math.MaxFloat64, 56.364234505677665} {
		f.Add(math.Float64bits(x), strconv.FormatFloat(x, 'g', -1, 64))
	}
	f.Add(uint64(1)<<63, "-1e-400")
	f.Add(math.Float64bits(math.Inf(1)), "1e999")
	f.Add(math.Float64bits(123456789012345678), "56.3642345056776647994")
	f.Fuzz(func(t *testing.T, bits uint64, literal string) {
		if len(literal) < 1000 && realLiteral.MatchString(literal) {
			checkLiteral(t, literal)
		} else if len(literal) < 1000 {
			c := cursorOn(literal)
			c.Real()
			rest := ""
			if c.Err() == nil {
				rest = literal[c.Offset():]
			}
			require.True(t, c.Err() != nil || rest != "" || literal[0] <= ' ', "%q was taken for a number", literal)
		}

		x := math.Float64frombits(bits)
		if math.IsNaN(x) {
			return
		}
		text := string(strictjson.AppendReal(nil, x))
		if math.IsInf(x, 0) {
			require.Equal(t, "null", text)
			return
		}
		back, err := strictjson.ParseReal([]byte(text), false)
		require.NoError(t, err)
		require.Equal(t, bits, math.Float64bits(back), text)

		shortest := strconv.FormatFloat(x, 'e', -1, 64)
		require.Equal(t, significant(shortest), significant(text))
		_, written, _ := strings.Cut(shortest, "e")
		exponent, err := strconv.Atoi(written)
		require.NoError(t, err)
		if x == 0 || exponent >= -5 && exponent <= 15 {
			require.Regexp(t, positional, text)
		} else {
			require.Regexp(t, scientific, text)
		}
		// The zero behind a point is a digit to the two steps.
		if digits := len(strings.TrimLeft(digitsOf(text), "0")); digits <= 15 && exponent-digits >= -22 && exponent <= 22 {
			back, err := strictjson.ParseReal([]byte(text), true)
			require.NoError(t, err)
			require.Equal(t, bits, math.Float64bits(back), "%s in two steps", text)
		}
	})
}
