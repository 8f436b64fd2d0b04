package strictjson_test

import (
	"bytes"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tracekit/internal/strictjson"
)

// compact returns the canonical text of a list.
func compact(values []uint64) string {
	texts := make([]string, len(values))
	for i, v := range values {
		texts[i] = strconv.FormatUint(v, 10)
	}
	return strings.Join(texts, ",")
}

// integersOf returns a list as an array of its own.
func integersOf(values []uint64) strictjson.Integers {
	return strictjson.Integers{Text: []byte(compact(values)), Len: len(values)}
}

func TestIntegers(t *testing.T) {
	for _, text := range []string{
		"[]", "[ ]", "[\n\t]", "[0]", "[1,2,3]", " [1,2,3]", "[ 1 , 2\n,\t3\r]", "[1,2, 3]", "[1 ]", "[1,\n22,333]", "[0,0,0]",
		"[18446744073709551615]", "[18446744073709551615,18446744073709551614,9999999999999999999]", "[ 18446744073709551615 ]",
		"[" + strings.Repeat("12345,", 500) + "6]",
	} {
		for _, previous := range []string{"", "0", "1", "1,2", "1,2,3", "1,2,3,4", "12", "18446744073709551615", strings.Repeat("12345,", 400) + "1"} {
			c := cursorOn(text + "]")
			before := strictjson.Integers{Text: []byte(previous), Len: len(strings.FieldsFunc(previous, func(r rune) bool { return r == ',' }))}
			got := c.Integers(before)
			require.Nil(t, c.Err(), "%s after %s", text, previous)
			want := strings.NewReplacer(" ", "", "\n", "", "\t", "", "\r", "", "[", "", "]", "").Replace(text)
			require.Equal(t, want, string(got.Text), "%s after %s", text, previous)
			require.Equal(t, len(slices.Collect(got.All)), got.Len, "%s after %s", text, previous)
			require.Equal(t, len(text), c.Offset(), "%s after %s", text, previous)
		}
	}
}

func TestIntegersRefused(t *testing.T) {
	for _, tt := range []struct {
		text, path string
		offset     int
	}{
		{"7", "", 0}, {"null", "", 0}, {`"1"`, "", 0}, {"{}", "", 0},
		{"[,]", "[0]", 1}, {"[1,]", "[0]", 3}, {"[1,2,]", "[1]", 5}, {"[1,,2]", "[1]", 3}, {"[,1]", "[0]", 1}, {"[1 2]", "[0]", 3}, {"[1,2 3]", "[1]", 5},
		{"[1,2.0]", "[1]", 3}, {"[1,2e3]", "[1]", 3}, {"[1,-2]", "[1]", 3}, {"[-0]", "[0]", 1}, {"[1,02]", "[1]", 3}, {"[00]", "[0]", 1}, {"[1,+2]", "[1]", 3},
		{"[1,18446744073709551616]", "[1]", 3}, {"[1,99999999999999999999]", "[1]", 3}, {"[1,100000000000000000000000]", "[1]", 3},
		{`[1,"2"]`, "[1]", 3}, {"[1,null]", "[1]", 3}, {"[1,[2]]", "[1]", 3}, {"[1,true]", "[1]", 3}, {"[1,2}", "[1]", 4}, {"[1,2\v]", "[1]", 4},
	} {
		for _, previous := range [][]uint64{nil, {1}, {1, 2}, {1, 2, 3}} {
			c := cursorOn(tt.text)
			require.Zero(t, c.Integers(integersOf(previous)), "%s after %v", tt.text, previous)
			require.NotNil(t, c.Err(), "%s after %v", tt.text, previous)
			require.False(t, c.Err().Truncated, "%s after %v", tt.text, previous)
			require.Equal(t, tt.path, c.Err().Path, "%s after %v", tt.text, previous)
			require.Equal(t, tt.offset, c.Err().Offset, "%s after %v", tt.text, previous)
		}
	}
	for _, text := range []string{"[", "[1", "[1,", "[1,2 ", "[1,2,18446744073709551615"} {
		c := cursorOn(text)
		c.Integers(integersOf([]uint64{1, 2}))
		require.NotNil(t, c.Err(), text)
		require.True(t, c.Err().Truncated, text)
	}
}

// A compact array is a view of the text; one that extends the array before it
// costs no memory either.
func TestCompactIntegersAreViews(t *testing.T) {
	text := []byte("[[1,2,3],[1,2,3,4],[9]]")
	var c strictjson.Cursor
	require.Zero(t, testing.AllocsPerRun(100, func() {
		c.Reset(text)
		var previous strictjson.Integers
		for c.Array(); c.Element(); {
			previous = c.Integers(previous)
		}
	}))
	require.Nil(t, c.Err())
}

// Arrays that had to be copied together stay as they are while further ones
// are read, also from another text, until the cursor may reuse them; from
// then on, copies cost no memory.
func TestCopiesStay(t *testing.T) {
	var c strictjson.Cursor
	var arrays []strictjson.Integers
	var want []string
	for n := range 300 {
		values := make([]uint64, n)
		for i := range values {
			values[i] = uint64(n*1000 + i)
		}
		want = append(want, compact(values))
		c.Reset([]byte("[" + strings.ReplaceAll(compact(values), ",", ", ") + " ]"))
		arrays = append(arrays, c.Integers(strictjson.Integers{}))
		require.Nil(t, c.Err())
	}
	for n, a := range arrays {
		require.Equal(t, want[n], string(a.Text))
		require.Equal(t, n, a.Len)
	}
	text := []byte("[[1, 2], [3, 4 , 5], [6 ]]")
	require.Zero(t, testing.AllocsPerRun(100, func() {
		c.ReuseCopies()
		c.Reset(text)
		for c.Array(); c.Element(); {
			c.Integers(strictjson.Integers{})
		}
	}))
	require.Nil(t, c.Err())
}

// ids draws lists whose numbers share digits, so that common text and common
// numbers differ.
var ids = rapid.SliceOfN(rapid.OneOf(
	rapid.Uint64Range(0, 3), rapid.SampledFrom([]uint64{1, 11, 111, 12, 123, 1234, math.MaxUint64, math.MaxUint64 - 1, 1e19, 1e18}), rapid.Uint64(),
), 0, 12)

// longIDs draws lists long enough for every stride of the comparison.
var longIDs = rapid.Custom(func(t *rapid.T) []uint64 {
	n := rapid.IntRange(0, 400).Draw(t, "length")
	first := rapid.Uint64Range(0, 2000).Draw(t, "first")
	list := make([]uint64, n)
	for i := range list {
		list[i] = first + uint64(i)
	}
	return list
})

// relative draws a list that may have a prefix of another.
func relative(t *rapid.T, other []uint64) []uint64 {
	kept := rapid.IntRange(0, len(other)).Draw(t, "kept")
	return slices.Concat(other[:kept], ids.Draw(t, "rest"))
}

// loose prints a list with white space here and there.
func loose(t *rapid.T, values []uint64) string {
	space := rapid.StringMatching(`[ \t\r\n]{0,2}`)
	var b strings.Builder
	b.WriteString("[" + space.Draw(t, "space"))
	for i, v := range values {
		if i > 0 {
			b.WriteString("," + space.Draw(t, "space"))
		}
		b.WriteString(strconv.FormatUint(v, 10) + space.Draw(t, "space"))
	}
	return b.String() + "]"
}

func lcp(a, b []uint64) int {
	n := 0
	for n < len(a) && n < len(b) && a[n] == b[n] {
		n++
	}
	return n
}

func TestIntegersAgainstLists(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.OneOf(ids, longIDs).Draw(t, "x")
		y := relative(t, x)
		var a, b strictjson.Integers
		for i, array := range []struct {
			values []uint64
			into   *strictjson.Integers
		}{{x, &a}, {y, &b}} {
			text := "[" + compact(array.values) + "]"
			if rapid.Bool().Draw(t, "loose") {
				text = loose(t, array.values)
			}
			c := cursorOn(text)
			previous := a // the zero value, then the list that may be related
			if i == 0 && rapid.Bool().Draw(t, "unrelated") {
				previous = integersOf(ids.Draw(t, "previous"))
			}
			*array.into = c.Integers(previous)
			require.Nil(t, c.Err())
			require.Equal(t, len(text), c.Offset())
			require.Equal(t, compact(array.values), string(array.into.Text))
			require.Equal(t, len(array.values), array.into.Len)
			require.Equal(t, len(array.values), len(slices.Collect(array.into.All)))
			require.True(t, slices.Equal(array.values, slices.Collect(array.into.All)))
		}

		count, size := a.CommonPrefix(b)
		require.Equal(t, lcp(x, y), count)
		require.Equal(t, len(compact(x[:count])), size)
		back, backSize := b.CommonPrefix(a)
		require.Equal(t, [2]int{count, size}, [2]int{back, backSize})
		require.Equal(t, count == len(x), b.HasPrefix(a))
		require.Equal(t, count == len(y), a.HasPrefix(b))

		n := rapid.IntRange(0, len(x)).Draw(t, "n")
		prefix := a.Prefix(n)
		require.Equal(t, compact(x[:n]), string(prefix.Text))
		require.Equal(t, n, prefix.Len)
		require.True(t, a.HasPrefix(prefix))

		var some []uint64
		for v := range a.All {
			if len(some) == n {
				break
			}
			some = append(some, v)
		}
		require.True(t, slices.Equal(x[:n], some))
	})
}

// plainIntegers is the slow twin of Integers: byte by byte, numbers of any
// size, no knowledge of a previous array. It returns where it came to rest.
func plainIntegers(text []byte) (values []uint64, rest int, ok bool) {
	i := 0
	space := func() {
		for i < len(text) && bytes.IndexByte([]byte(" \t\r\n"), text[i]) >= 0 {
			i++
		}
	}
	at := func(b byte) bool { return i < len(text) && text[i] == b }
	space()
	if !at('[') {
		return nil, 0, false
	}
	i++
	space()
	if at(']') {
		return nil, i + 1, true
	}
	for {
		space()
		start := i
		for i < len(text) && text[i] >= '0' && text[i] <= '9' {
			i++
		}
		digits := string(text[start:i])
		if digits == "" || len(digits) > 1 && digits[0] == '0' {
			return nil, 0, false
		}
		n, _ := new(big.Int).SetString(digits, 10)
		if !n.IsUint64() {
			return nil, 0, false
		}
		values = append(values, n.Uint64())
		space()
		switch {
		case at(']'):
			return values, i + 1, true
		case !at(','):
			return nil, 0, false
		}
		i++
	}
}

// FuzzIntegers holds the scanner against its slow twin, whatever array was
// read before.
func FuzzIntegers(f *testing.F) {
	for _, seed := range [][2]string{
		{"[1,2,3]", "[1,2]"}, {"[1,2,3]", "[1,2,3]"}, {"[1,2]", "[1,2,3]"}, {"[12]", "[1]"}, {"[1 ,2]", "[1]"}, {"[1,2,]", "[1,2]"}, {"[]x", "[1]"},
		{"[18446744073709551616]", "[1844674407370955161]"}, {"[01]", "[0]"}, {"[1", "[1]"}, {"  [7]]", ""}, {"[1,2.5]", "[1,2]"}, {"[1,2e1]", "[1,2]"},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	f.Fuzz(func(t *testing.T, text, before []byte) {
		list, _, _ := plainIntegers(before)
		previous := integersOf(list)
		var c strictjson.Cursor
		c.Reset(text)
		got := c.Integers(previous)
		want, rest, ok := plainIntegers(text)
		require.Equal(t, ok, c.Err() == nil, "%q after %v: %v", text, list, c.Err())
		if !ok {
			require.Zero(t, got)
			return
		}
		require.Equal(t, rest, c.Offset())
		require.Equal(t, compact(want), string(got.Text))
		require.Equal(t, len(want), got.Len)
		require.True(t, slices.Equal(want, slices.Collect(got.All)))
		count, size := got.CommonPrefix(previous)
		require.Equal(t, lcp(want, list), count)
		require.Equal(t, len(compact(want[:count])), size)
	})
}
