package strictjson_test

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"tracekit/internal/strictjson"
)

func TestString(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{`""`, ""},
		{` "a b" `, "a b"},
		{`"é😀"`, "é😀"},
		{`"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t"},
		{`"\u0041\u00e9\u20AC"`, "Aé€"},
		{`"\u0000"`, "\x00"},
		{`"\ud83d\ude00"`, "😀"},
		{`"\uD834\uDD1E"`, "𝄞"},
		{`"\ud800\udc00\udbff\udfff"`, "\U00010000\U0010ffff"},
		{`"\ufffd"`, "\ufffd"},
		{`"\ufffe\uffff"`, "\ufffe\uffff"},
		{`"plain then \n escape"`, "plain then \n escape"},
		{"\"\x7f\"", "\x7f"},
		{"\"\u2028\u2029\"", "\u2028\u2029"},
		{`"{[,:]}"`, "{[,:]}"},
	} {
		c := cursorOn(tt.text)
		require.Equal(t, tt.want, string(c.String()), tt.text)
		require.Nil(t, c.Err(), tt.text)
		require.True(t, c.AtEnd(), tt.text)
	}
}

func TestStringRefused(t *testing.T) {
	for _, tt := range []struct {
		text   string
		offset int
		found  string
	}{
		{`'a'`, 0, `'\''`},
		{`7`, 0, "the number 7"},
		{"\"a\nb\"", 2, "raw control character"},
		{"\"a\x00b\"", 2, "raw control character"},
		{"\"a\x1fb\"", 2, "raw control character"},
		{"\"\\n\x1f\"", 3, "raw control character"},
		{`"\a"`, 1, "unknown escape"},
		{`"\U0041"`, 1, "unknown escape"},
		{`"ab\x41"`, 3, "unknown escape"},
		{`"\u00g0"`, 5, "'g'"},
		{`"\u+041"`, 3, "'+'"},
		{`"\ud800"`, 1, "half of a surrogate pair"},
		{`"\udc00"`, 1, "half of a surrogate pair"},
		{`"\udc00\ud800"`, 1, "half of a surrogate pair"},
		{`"\ud800\ud800"`, 1, "half of a surrogate pair"},
		{`"\ud800\u0041"`, 1, "half of a surrogate pair"},
		{`"\ud800A"`, 1, "half of a surrogate pair"},
		{`"\ud800\n"`, 1, "half of a surrogate pair"},
		{`"\ud800\u00zz"`, 11, "'z'"},
		{"\"ab\xff\"", 3, "not valid UTF-8"},
		{"\"\xc3\"", 1, "not valid UTF-8"},
		{"\"\xc0\xaf\"", 1, "not valid UTF-8"},     // overlong
		{"\"\xed\xa0\x80\"", 1, "not valid UTF-8"}, // a surrogate in UTF-8
		{"\"\xf4\x90\x80\x80\"", 1, "not valid UTF-8"},
		{"\"\\n\x80\"", 1, "not valid UTF-8"},
	} {
		c := cursorOn(tt.text)
		require.Nil(t, c.String(), "%q", tt.text)
		require.NotNil(t, c.Err(), "%q", tt.text)
		require.Contains(t, c.Err().Found, tt.found, "%q", tt.text)
		require.Equal(t, tt.offset, c.Err().Offset, "%q", tt.text)
		require.False(t, c.Err().Truncated, "%q", tt.text)
	}
}

// A string without escapes is a view of the text: reading it costs no memory.
func TestStringIsAView(t *testing.T) {
	text := []byte(`["one","two"]`)
	var c strictjson.Cursor
	require.Zero(t, testing.AllocsPerRun(100, func() {
		c.Reset(text)
		for c.Array(); c.Element(); {
			c.String()
		}
	}))
	require.Nil(t, c.Err())
}

func TestAppendString(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", `""`},
		{`a"b\c/d`, `"a\"b\\c/d"`},
		{"\b\t\n\f\r", `"\b\t\n\f\r"`},
		{"\x00\x01\x1f\x0b", `"\u0000\u0001\u001f\u000b"`},
		{"\x7f<>&'", "\"\x7f<>&'\""},
		{"é\u2028\u2029\ufeff😀", "\"é\u2028\u2029\ufeff😀\""},
	} {
		require.Equal(t, tt.want, string(strictjson.AppendString(nil, tt.text)))
		require.Equal(t, "x"+tt.want, string(strictjson.AppendString([]byte("x"), []byte(tt.text))))
	}
}

// loneSurrogate tells whether an escape in a valid JSON text is half of a
// surrogate pair without its other half: it walks the text escape by escape.
func loneSurrogate(text []byte) bool {
	half := func(i int) (first, second bool) {
		if i+6 > len(text) || text[i] != '\\' || text[i+1] != 'u' {
			return false, false
		}
		digits := strings.ToLower(string(text[i+2 : i+6]))
		return digits[0] == 'd' && strings.ContainsRune("89ab", rune(digits[1])),
			digits[0] == 'd' && strings.ContainsRune("cdef", rune(digits[1]))
	}
	for i := 0; i < len(text); i++ {
		if text[i] != '\\' {
			continue
		}
		first, second := half(i)
		if second {
			return true
		}
		if first {
			if _, second := half(i + 6); !second {
				return true
			}
			i += 11
			continue
		}
		i++ // whatever is escaped, it is no backslash that begins an escape
	}
	return false
}

func TestLoneSurrogateTwin(t *testing.T) {
	for text, want := range map[string]bool{
		`"a"`: false, `"\\ud800"`: false, `"\ud800"`: true, `"\uD83D\uDE00"`: false, `"\\\ud83d"`: true, `"\ud83d\ude00\ude00"`: true, `"\ud83d\\ude00"`: true,
	} {
		require.Equal(t, want, loneSurrogate([]byte(text)), text)
	}
}

// FuzzString holds String against the standard library, and AppendString
// against both.
func FuzzString(f *testing.F) {
	for _, seed := range []string{`"a"`, `"\ud83d\ude00é\n"`, `"\ud83d"`, `"\u0000\\"`, "\"\x80\"", "\"\\u00e9\xff\"", `"unclosed`, "\"\x1f\"", "a\"b\\\x01\u2028"} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var c strictjson.Cursor
		c.Reset(text)
		got := string(c.String())
		ok := c.Err() == nil && c.AtEnd()
		var want string
		standard := json.Unmarshal(text, &want) == nil && strings.HasPrefix(strings.TrimLeft(string(text), " \t\r\n"), `"`)
		require.Equal(t, standard && utf8.Valid(text) && !loneSurrogate(text), ok, "%q: %v", text, c.Err())
		if ok {
			require.Equal(t, want, got)
		}

		if !utf8.Valid(text) {
			return
		}
		written := strictjson.AppendString(nil, text)
		require.NoError(t, json.Unmarshal(written, &want))
		require.Equal(t, string(text), want)
		c.Reset(written)
		require.Equal(t, string(text), string(c.String()))
		require.Nil(t, c.Err())
		require.True(t, c.AtEnd())
	})
}
