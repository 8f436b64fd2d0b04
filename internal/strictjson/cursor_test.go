package strictjson_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/internal/strictjson"
)

// cursorOn returns a cursor at the beginning of text.
func cursorOn(text string) *strictjson.Cursor {
	c := new(strictjson.Cursor)
	c.Reset([]byte(text))
	return c
}

// readSample reads a text of one known shape with every typed method, as the
// readers of formats do.
func readSample(c *strictjson.Cursor) {
	const (
		id = iota
		numbers
		list
	)
	var seen uint64
	c.Object()
	for c.Field() {
		switch string(c.Key()) {
		case "id":
			c.Once(&seen, id)
			c.String()
		case "numbers":
			c.Once(&seen, numbers)
			for c.Array(); c.Element(); {
				if c.Index()%2 == 0 {
					c.Real()
				} else {
					c.Uint(math.MaxUint64)
				}
			}
		case "list":
			c.Once(&seen, list)
			for c.Array(); c.Element(); {
				c.Object()
				for c.Field() {
					switch string(c.Key()) {
					case "ids":
						c.Integers(strictjson.Integers{})
					case "at":
						if !c.Null() {
							c.Int(math.MinInt64, math.MaxInt64)
						}
					default:
						c.Skip(true)
					}
				}
			}
		default:
			c.Skip(false)
		}
	}
}

const sample = "{\"id\":\"a\\u00e9 \\ud83d\\ude00 é\\n\" , \"numbers\":[1.5e-3, 7 ,-0,18446744073709551615],\n" +
	"\t\"list\":[{\"ids\":[1,22,333],\"at\":-5},{\"ids\":[ 1 , 2 ],\"at\":null},{\"ids\":[],\"k\\u0065y\":\"\\\\\"}],\n" +
	"\"more\":{\"deep\":[[{\"x\":[true,false,null,\"\\ud834\\udd1e\"]}]],\"n\":-12.25E+2}}"

func TestSampleReads(t *testing.T) {
	c := cursorOn(sample)
	readSample(c)
	require.Nil(t, c.Err())
	require.True(t, c.AtEnd())
	require.Equal(t, len(sample), c.Offset())
}

// Wherever a valid object is cut off, the error says that the text ends too
// early: more of it could still make it valid.
func TestEveryPrefixIsTruncated(t *testing.T) {
	for n := range len(sample) {
		c := cursorOn(sample[:n])
		readSample(c)
		require.NotNil(t, c.Err(), "first %d bytes", n)
		require.True(t, c.Err().Truncated, "first %d bytes: %v", n, c.Err())
		require.Equal(t, n, c.Err().Offset, "first %d bytes: %v", n, c.Err())

		c = cursorOn(sample[:n])
		c.Skip(true)
		require.NotNil(t, c.Err(), "first %d bytes", n)
		require.True(t, c.Err().Truncated, "first %d bytes: %v", n, c.Err())
	}
}

// No text that follows can mend these.
func TestWrongTextIsNotTruncated(t *testing.T) {
	for _, text := range []string{
		`}`, `{]`, `{"a"]`, `{"a":1]`, `{"a":1,]`, `[1 2`, `[,`, `[1,]`, `{"a":x`, `{"a":nul]`, `{"a":"\x`, `{"a":"\ud83dx`, `{"a":"\ud83d\n`,
		`{"a":"\ude00`, `{"a":"\u00g`, `{"a":01`, `{"a":-x`, `{"a":1.x`, `{"a":1ex`, "{\"a\":\"\n", "\ufeff{", "\x00", "{\"a\":\"\x80\"",
	} {
		c := cursorOn(text)
		c.Skip(false)
		require.NotNil(t, c.Err(), text)
		require.False(t, c.Err().Truncated, "%s: %v", text, c.Err())
	}
}

func TestErrorsNameTheirPlace(t *testing.T) {
	for _, tt := range []struct{ text, path, at, message string }{
		{``, "", "1:1", "the text ends here; an object is expected"},
		{`[]`, "", "1:1", "found an array; an object is expected"},
		{"\xef\xbb\xbf{}", "", "1:1", "found a byte-order mark; an object is expected"},
		{"\n\n  \x00", "", "3:3", "found the byte 0x00; an object is expected"},
		{`{"id":5}`, "id", "1:7", "found the number 5; a string is expected"},
		{`{"id":null}`, "id", "1:7", "found null; a string is expected"},
		{"{\n \"id\": {}}", "id", "2:8", "found an object; a string is expected"},
		{`{"id":"a\qb"}`, "id", "1:9", "found an unknown escape in a string"},
		{"{\"id\":\"a\tb\"}", "id", "1:9", "found a raw control character in a string"},
		{`{"id":"a" "b"}`, "id", "1:11", `found the string "b"; ',' or '}' is expected`},
		{`{"id" "b"}`, "id", "1:7", `found the string "b"; ':' is expected`},
		{`{"id":"a",}`, "id", "1:11", "found '}'; a field name in double quotes is expected"},
		{`{id:1}`, "", "1:2", "a field name in double quotes is expected"},
		{"{\"id\":\"a\",\n\"id\":\"b\"}", "id", "2:1", `the field "id" is given twice; each field may be given once`},
		{"{\"id\":\"a\",\n\"\\u0069d\":\"b\"}", "id", "2:1", `the field "id" is given twice`},
		{`{"numbers":[1,2,true]}`, "numbers[2]", "1:17", "found true; a number is expected"},
		{`{"numbers":[1,2.0]}`, "numbers[1]", "1:15", "found the number 2.0; an unsigned integer in digits is expected, without point or exponent"},
		{`{"numbers":[1,-2]}`, "numbers[1]", "1:15", "found the number -2; an unsigned integer from 0 to 18446744073709551615 is expected"},
		{`{"numbers":[1 2]}`, "numbers[0]", "1:15", "found the number 2; ',' or ']' is expected"},
		{`{"numbers":[1,]}`, "numbers[0]", "1:15", "found ']'; a value is expected"},
		{`{"list":[{},{"ids":[1,2,"x"]}]}`, "list[1].ids[2]", "1:25", `found the string "x"; an unsigned integer is expected`},
		{`{"list":[{},{"ids":7}]}`, "list[1].ids", "1:20", "found the number 7; an array of unsigned integers is expected"},
		{`{"list":[{},{"at":9223372036854775808}]}`, "list[1].at", "1:19", "an integer from -9223372036854775808 to 9223372036854775807 is expected"},
		{`{"list":[{"other":{"a":[[],[1e999]]}}]}`, "list[0].other.a[1][0]", "1:29", "found the number 1e999; its magnitude must not exceed the range of a double"},
		{`{"other":{"a":[[],[xyz]]}}`, "other.a[1][0]", "1:20", "found 'x'; a JSON value is expected"},
		{`{"other":[tru]}`, "other[0]", "1:11", "found tru; a JSON value is expected"},
		{`{"other":"` + strings.Repeat("é", 30) + `", x}`, "other", "1:74", "found 'x'; a field name in double quotes is expected"},
		{`{"id":` + strings.Repeat("7", 60) + `}`, "id", "1:7", "found the number " + strings.Repeat("7", 40) + "… (60 bytes); a string is expected"},
		{`{"` + strings.Repeat("k", 60) + `":+}`, strings.Repeat("k", 40) + "…", "1:65", "found '+'; a JSON value is expected"},
	} {
		t.Run(tt.text, func(t *testing.T) {
			c := cursorOn(tt.text)
			readSample(c)
			require.NotNil(t, c.Err())
			require.Equal(t, tt.path, c.Err().Path)
			line, column := strictjson.Position([]byte(tt.text), c.Err().Offset)
			require.Equal(t, tt.at, fmt.Sprintf("%d:%d", line, column))
			require.Contains(t, c.Err().Error(), tt.message)
			if tt.path != "" {
				require.True(t, strings.HasPrefix(c.Err().Error(), tt.path+": "))
			}
		})
	}
}

// After an error everything is a zero value, and the error stays.
func TestFirstErrorStays(t *testing.T) {
	c := cursorOn(`{"a":x,"b":[1],"c":2}`)
	c.Object()
	require.True(t, c.Field())
	require.Empty(t, c.String())
	first := *c.Err()
	require.False(t, c.Field())
	require.False(t, c.Element())
	c.Object()
	c.Array()
	c.Skip(true)
	require.Empty(t, c.String())
	require.Zero(t, c.Uint(9))
	require.Zero(t, c.Int(-9, 9))
	require.Zero(t, c.Real())
	require.False(t, c.Null())
	require.False(t, c.IsObject())
	require.False(t, c.IsString())
	require.Zero(t, c.Integers(strictjson.Integers{}))
	c.Fail("something else", "")
	c.FailAt(0, "something else", "")
	require.Equal(t, first, *c.Err())

	c.Reset([]byte(`7`))
	require.Nil(t, c.Err())
	require.Equal(t, uint64(7), c.Uint(9))
}

// Fail records what the caller found, at the path of the moment.
func TestCallerErrors(t *testing.T) {
	c := cursorOn(`{"a":[10,20]}`)
	c.Object()
	c.Field()
	c.Array()
	c.Element()
	c.Uint(99)
	c.Element()
	at := c.Offset()
	c.Uint(99)
	c.FailAt(at, "found 20", "at most 15 are allowed")
	require.Equal(t, &strictjson.Error{Offset: 9, Path: "a[1]", Found: "found 20", Rule: "at most 15 are allowed"}, c.Err())
	require.Equal(t, "a[1]: found 20; at most 15 are allowed", c.Err().Error())
}

func TestMarkAndRestore(t *testing.T) {
	c := cursorOn(`[{"a":1,"b":x},5]`)
	c.Array()
	require.True(t, c.Element())
	mark := c.Mark()
	c.Skip(false)
	require.NotNil(t, c.Err())
	c.Restore(mark)
	require.Nil(t, c.Err())
	require.Equal(t, 1, c.Offset())
	require.Equal(t, "[0]", c.Path())
	c.Object()
	require.True(t, c.Field())
	require.Equal(t, uint64(1), c.Uint(1))
	require.Equal(t, "[0].a", c.Path())
}

// Keys with escapes outlive the strings that are read after them.
func TestKeysOutliveStrings(t *testing.T) {
	c := cursorOn(`{"k\u0031":"a\nb","k\u0032":["c\nd","longer\tthan before"]}`)
	c.Object()
	require.True(t, c.Field())
	require.Equal(t, "a\nb", string(c.String()))
	require.Equal(t, "k1", string(c.Key()))
	require.True(t, c.Field())
	for c.Array(); c.Element(); {
		c.String()
	}
	require.Equal(t, "k2", string(c.Key()))
	require.False(t, c.Field())
	require.Nil(t, c.Err())
}

func TestWhatStandsHere(t *testing.T) {
	require.True(t, cursorOn(" \n{}").IsObject())
	require.False(t, cursorOn("[]").IsObject())
	require.True(t, cursorOn("\t\"").IsString())
	require.False(t, cursorOn("").IsString())
	require.True(t, cursorOn(" null").Null())
	require.False(t, cursorOn("1").Null())
	require.True(t, cursorOn(" \t\r\n").AtEnd())
	require.False(t, cursorOn("\v").AtEnd())
	require.False(t, cursorOn("\u00a0").AtEnd())

	c := cursorOn("nul")
	require.False(t, c.Null())
	require.True(t, c.Err().Truncated)
	c = cursorOn("nuts")
	require.False(t, c.Null())
	require.False(t, c.Err().Truncated)
}

func TestPositionCountsBytes(t *testing.T) {
	text := []byte("é\nab\n\nc")
	for offset, want := range [][2]int{{1, 1}, {1, 2}, {1, 3}, {2, 1}, {2, 2}, {2, 3}, {3, 1}, {4, 1}, {4, 2}, {4, 2}} {
		line, column := strictjson.Position(text, offset)
		require.Equal(t, want, [2]int{line, column}, "offset %d", offset)
	}
}
