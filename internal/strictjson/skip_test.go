package strictjson_test

import (
	"encoding/json"
	"math"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"tracekit/internal/strictjson"
)

func TestSkip(t *testing.T) {
	for _, text := range []string{
		`{}`, `[]`, `0`, `-0`, `-1.5E+7`, `1e999`, `"a"`, `true`, `false`, `null`, ` [ ] `, `{"a":[],"b":{},"a":1}`, `[[[[]],{"x":[{}]}]]`, `[1,"]",{"}":"{"}]`,
	} {
		c := cursorOn(text)
		c.Skip(false)
		require.Nil(t, c.Err(), text)
		require.True(t, c.AtEnd(), text)
	}
	for _, text := range []string{
		``, `{`, `[`, `{]`, `[}`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{,}`, `{"a":1 "b":2}`, `{a:1}`, `{1:1}`, `[1,]`, `[,1]`, `[1 2]`, `[1,,2]`, `nul`, `True`, `NaN`, `01`, `1.`, `+1`, `'a'`, `}`, `]`, `:`, `,`, "[\v1]",
	} {
		c := cursorOn(text)
		c.Skip(false)
		require.NotNil(t, c.Err(), text)
	}
}

// With ranges, the numbers of a value must lie in the double range.
func TestSkipRanges(t *testing.T) {
	for _, text := range []string{`1e999`, `[1,-1e999]`, `{"a":{"b":[1e309]}}`, strings.Repeat(`[`, 200) + `1e999` + strings.Repeat(`]`, 200)} {
		c := cursorOn(text)
		c.Skip(false)
		require.Nil(t, c.Err(), text)
		c = cursorOn(text)
		c.Skip(true)
		require.NotNil(t, c.Err(), text)
		require.Contains(t, c.Err().Rule, "range of a double")
	}
	c := cursorOn(`[1e308,1e-999,"1e999"]`)
	c.Skip(true)
	require.Nil(t, c.Err())
}

// nested returns depth arrays and objects in one another.
func nested(depth int, opening string) string {
	closing := map[string]string{"[": "]", `{"a":`: "}", `[{"a":`: "}]"}[opening]
	inner := "1"
	return strings.Repeat(opening, depth) + inner + strings.Repeat(closing, depth)
}

func TestMaxDepth(t *testing.T) {
	for _, opening := range []string{"[", `{"a":`} {
		for _, most := range []int{1, 2, 127, 128, 129, 1000} {
			c := cursorOn(nested(most, opening))
			c.MaxDepth = most
			c.Skip(true)
			require.Nil(t, c.Err(), "%d", most)
			require.True(t, c.AtEnd())

			c = cursorOn(nested(most+1, opening))
			c.MaxDepth = most
			c.Skip(true)
			require.NotNil(t, c.Err(), "%d", most)
			require.Equal(t, most*len(opening), c.Err().Offset)
			require.Contains(t, c.Err().Error(), "nested too deeply")
		}
	}
	// The levels around a skipped value count too.
	c := cursorOn(`[[[1]]]`)
	c.MaxDepth = 2
	c.Array()
	c.Element()
	c.Skip(true)
	require.Equal(t, 2, c.Err().Offset)
}

// However deep a value is, skipping it neither overflows a stack nor takes
// more memory than a small part of the text, and an error in it stays short.
func TestSkipDeep(t *testing.T) {
	for _, tt := range []struct {
		opening string
		depth   int
	}{{"[", 5000}, {`{"a":`, 5000}, {`[{"a":`, 5000}, {"[", 10_000_000}} {
		text := []byte(nested(tt.depth, tt.opening))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		var c strictjson.Cursor
		c.Reset(text)
		c.Skip(true)
		runtime.ReadMemStats(&after)
		require.Nil(t, c.Err())
		require.True(t, c.AtEnd())
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(100_000+len(text)), "%d times %s", tt.depth, tt.opening)

		// The same with a wrong end, and cut off.
		text[len(text)-1] = '!'
		c.Reset(text)
		c.Skip(true)
		require.NotNil(t, c.Err())
		require.Less(t, len(c.Err().Error()), 1000)
		require.Equal(t, len(text)-1, c.Err().Offset)
		c.Reset(text[:len(text)/2])
		c.Skip(true)
		require.NotNil(t, c.Err())
		require.True(t, c.Err().Truncated)
		require.Less(t, len(c.Err().Error()), 1000)
	}
}

// Mistakes are found at any depth.
func TestSkipRefusesAtAnyDepth(t *testing.T) {
	for _, wrong := range []string{`{]`, `[}`, `[1,]`, `[,1]`, `[1 2]`, `{"a"}`, `{"a":1,}`, `{"a":1 "b":2}`, `{,}`, `{1:2}`, `[1}`, `{"a":1]`, `[01]`, `["\x"]`, `{"\ud800":1}`, `{"a" 1}`} {
		for _, depth := range []int{0, 1, 126, 127, 128, 129, 130, 200, 1000} {
			for _, opening := range []string{"[", `{"a":`} {
				text := strings.Replace(nested(depth, opening), "1", wrong, 1)
				c := cursorOn(text)
				c.Skip(false)
				require.NotNil(t, c.Err(), "%s at depth %d", wrong, depth)
				at := c.Err().Offset - depth*len(opening)
				require.True(t, at >= 0 && at <= len(wrong), "%s at depth %d: offset %d", wrong, depth, at)
			}
		}
	}
}

// So are values of every shape, one after the other.
func TestSkipAcceptsAtAnyDepth(t *testing.T) {
	const values = `[{"a":[],"b":{}},[1,2],{"c":[{"d":1},{}],"e":"f"},[[],{}],[ ],{ },true,false,null,-1.5e3]`
	for _, depth := range []int{0, 1, 125, 126, 127, 128, 129, 130, 190, 191, 192, 193, 1000} {
		for _, opening := range []string{"[", `{"a":`, `[{"a":`} {
			c := cursorOn(strings.Replace(nested(depth, opening), "1", values, 1))
			c.Skip(true)
			require.Nil(t, c.Err(), "at depth %d", depth)
			require.True(t, c.AtEnd())
		}
	}
}

// FuzzSkip holds Skip against encoding/json: a text is skipped to its end if
// and only if the standard library calls it valid and it keeps the two rules
// that the standard library does not have, UTF-8 and whole surrogate pairs;
// with ranges, also that each number has a double.
func FuzzSkip(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,2.5e-3,-0,{"b":null}],"c":"\ud83d\ude00"}`, `[1e999]`, `["\ud83d"]`, "[\"\x80\"]", `[1,]`, `{"a":1,}`, ` [ ] `, `nul`, `01`, sample,
		nested(140, "["), nested(140, `{"a":`), nested(70, `[{"a":`), strings.Repeat("[", 130) + `{"a":[1,{"b":2},"c"],"d":{}}` + strings.Repeat("]", 130),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) > 9000 {
			return // the standard library has a limit on depth
		}
		want := json.Valid(text) && utf8.Valid(text) && !loneSurrogate(text)
		var c strictjson.Cursor
		c.Reset(text)
		c.Skip(false)
		require.Equal(t, want, c.Err() == nil && c.AtEnd(), "%q: %v", text, c.Err())

		c.Reset(text)
		c.Skip(true)
		require.Equal(t, want && inRange(text), c.Err() == nil && c.AtEnd(), "%q: %v", text, c.Err())
	})
}

// inRange tells whether all numbers of a valid text have a double.
func inRange(text []byte) bool {
	tokens := json.NewDecoder(strings.NewReader(string(text)))
	tokens.UseNumber()
	for {
		token, err := tokens.Token()
		if err != nil {
			return true
		}
		if number, ok := token.(json.Number); ok {
			if x, err := number.Float64(); err != nil || math.IsInf(x, 0) {
				return false
			}
		}
	}
}
