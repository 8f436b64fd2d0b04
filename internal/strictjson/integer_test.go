package strictjson_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// notIntegers are refused wherever an integer is expected.
var notIntegers = []string{"8.0", "1e3", "1E3", "1e0", "-0", "01", "00", "-01", "+1", ".5", "1.", "", "-", `"1"`, "true", "null", "[1]", "{}", "0x10", "NaN", "- 1", "١"}

func TestUint(t *testing.T) {
	for _, tt := range []struct {
		text string
		most uint64
		want uint64
		ok   bool
	}{
		{"0", 0, 0, true},
		{" 7", 7, 7, true},
		{"8", 7, 0, false},
		{"4294967295", math.MaxUint32, math.MaxUint32, true},
		{"4294967296", math.MaxUint32, 0, false},
		{"9223372036854775808", math.MaxUint64, 1 << 63, true},
		{"18446744073709551615", math.MaxUint64, math.MaxUint64, true},
		{"18446744073709551616", math.MaxUint64, 0, false},
		{"18446744073709551620", math.MaxUint64, 0, false},
		{"20000000000000000000", math.MaxUint64, 0, false},
		{"99999999999999999999", math.MaxUint64, 0, false},
		{"100000000000000000000", math.MaxUint64, 0, false},
		{"-1", math.MaxUint64, 0, false},
	} {
		c := cursorOn(tt.text)
		require.Equal(t, tt.want, c.Uint(tt.most), tt.text)
		require.Equal(t, tt.ok, c.Err() == nil, "%s: %v", tt.text, c.Err())
	}
	for _, text := range notIntegers {
		c := cursorOn(text)
		require.Zero(t, c.Uint(math.MaxUint64), text)
		require.False(t, c.Err() == nil && c.AtEnd(), text)
	}
}

func TestInt(t *testing.T) {
	for _, tt := range []struct {
		text        string
		least, most int64
		want        int64
		ok          bool
	}{
		{"0", 0, 0, 0, true},
		{"-5", -5, 5, -5, true},
		{"-6", -5, 5, 0, false},
		{"6", -5, 5, 0, false},
		{"2147483647", math.MinInt32, math.MaxInt32, math.MaxInt32, true},
		{"-2147483649", math.MinInt32, math.MaxInt32, 0, false},
		{"9223372036854775807", math.MinInt64, math.MaxInt64, math.MaxInt64, true},
		{"9223372036854775808", math.MinInt64, math.MaxInt64, 0, false},
		{"-9223372036854775808", math.MinInt64, math.MaxInt64, math.MinInt64, true},
		{"-9223372036854775809", math.MinInt64, math.MaxInt64, 0, false},
		{"18446744073709551615", math.MinInt64, math.MaxInt64, 0, false},
		{"-18446744073709551615", math.MinInt64, math.MaxInt64, 0, false},
		{"18446744073709551616", math.MinInt64, math.MaxInt64, 0, false},
	} {
		c := cursorOn(tt.text)
		require.Equal(t, tt.want, c.Int(tt.least, tt.most), tt.text)
		require.Equal(t, tt.ok, c.Err() == nil, "%s: %v", tt.text, c.Err())
	}
	for _, text := range notIntegers {
		c := cursorOn(text)
		require.Zero(t, c.Int(math.MinInt64, math.MaxInt64), text)
		require.False(t, c.Err() == nil && c.AtEnd(), text)
	}
}
