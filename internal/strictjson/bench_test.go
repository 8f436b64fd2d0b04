package strictjson_test

import (
	"math"
	"strings"
	"testing"

	"tracekit/internal/strictjson"
)

// hashIDs returns the text of an array of n ids, as traces have them.
func hashIDs(n int) []byte {
	values := make([]uint64, n)
	for i := range values {
		values[i] = 780 + uint64(i)
	}
	return []byte("[" + compact(values) + "]")
}

func BenchmarkIntegers(b *testing.B) {
	text := hashIDs(2500)
	whole := strictjson.Integers{Text: text[1 : len(text)-1], Len: 2500}
	read := func(text []byte, previous strictjson.Integers) func(*testing.B) {
		return func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			var c strictjson.Cursor
			for b.Loop() {
				c.Reset(text)
				if c.Integers(previous); c.Err() != nil {
					b.Fatal(c.Err())
				}
			}
		}
	}
	b.Run("new", read(text, strictjson.Integers{}))
	b.Run("extends", read(text, whole.Prefix(2480)))
	b.Run("loose", read([]byte(strings.ReplaceAll(string(text), ",", ", ")), strictjson.Integers{}))
}

func BenchmarkCommonPrefix(b *testing.B) {
	text := hashIDs(2500)
	whole := strictjson.Integers{Text: text[1 : len(text)-1], Len: 2500}
	other := strictjson.Integers{Text: []byte(string(whole.Text) + ",1"), Len: 2501}
	b.SetBytes(int64(len(whole.Text)))
	b.ReportAllocs()
	for b.Loop() {
		whole.CommonPrefix(other)
	}
}

// reals are times as they occur in traces.
var reals = []float64{0, 250, 1234.5, 56364.234506, 99000, 0.000001, 203456.789012, 1e7 / 3}

func BenchmarkAppendReal(b *testing.B) {
	var dst []byte
	b.ReportAllocs()
	for b.Loop() {
		dst = dst[:0]
		for _, x := range reals {
			dst = strictjson.AppendReal(dst, x)
		}
	}
}

func BenchmarkReal(b *testing.B) {
	text := []byte("[")
	for i, x := range reals {
		if i > 0 {
			text = append(text, ',')
		}
		text = strictjson.AppendReal(text, x)
	}
	text = append(text, ']')
	for _, mode := range []struct {
		name    string
		twoStep bool
	}{{"rounded", false}, {"twoSteps", true}} {
		b.Run(mode.name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			c := strictjson.Cursor{TwoStep: mode.twoStep}
			sum := 0.0
			for b.Loop() {
				c.Reset(text)
				for c.Array(); c.Element(); {
					sum += c.Real()
				}
			}
			if c.Err() != nil || math.IsNaN(sum) {
				b.Fatal(c.Err())
			}
		})
	}
}
