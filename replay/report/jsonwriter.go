package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"

	"tracekit/internal/strictjson"
)

// field is one member of an object.
type field struct {
	key   string
	value any // what jsonWriter.value can write
}

// object is a JSON object. It is written with sorted keys.
type object []field

func (o object) sorted() object {
	slices.SortFunc(o, func(a, b field) int { return strings.Compare(a.key, b.key) })
	return o
}

// jsonWriter writes JSON in ASCII, compact or indented by two blanks. Values
// follow their keys; within an object and a list it sets commas and lines by
// itself. The first error of the stream stays.
type jsonWriter struct {
	w        io.Writer
	err      error
	buf      []byte
	indented bool
	depth    int
	empty    bool // nothing stands in the innermost object or list yet
	keyed    bool // a key waits for its value
}

// flushAt is how much is written to the stream at once, in bytes.
const flushAt = 1 << 18

// newJSONWriter begins a text; finish must end it.
func newJSONWriter(w io.Writer, indented bool) *jsonWriter {
	return &jsonWriter{w: w, indented: indented, empty: true, buf: make([]byte, 0, flushAt+flushAt/8)}
}

// endLine ends the text at the outermost level.
func (w *jsonWriter) endLine() {
	w.buf = append(w.buf, '\n')
	w.empty = true
}

// finish writes what is left and returns the first error.
func (w *jsonWriter) finish() error {
	w.flush()
	return w.err
}

func (w *jsonWriter) flush() {
	if w.err == nil && len(w.buf) > 0 {
		_, w.err = w.w.Write(w.buf)
	}
	w.buf = w.buf[:0]
}

// lines holds the beginnings of lines by depth.
const lines = "\n                                        "

// next goes to where the next key or value stands.
func (w *jsonWriter) next() {
	if w.keyed {
		w.keyed = false
		return
	}
	if !w.empty {
		w.buf = append(w.buf, ',')
	}
	w.empty = false
	if w.depth > 0 {
		w.line()
	}
}

func (w *jsonWriter) line() {
	if w.indented {
		w.buf = append(w.buf, lines[:1+2*w.depth]...)
	}
}

// key begins a member; its value must follow. The name needs no escapes.
func (w *jsonWriter) key(name string) *jsonWriter {
	w.next()
	w.buf = append(w.buf, '"')
	w.buf = append(w.buf, name...)
	if w.indented {
		w.buf = append(w.buf, `": `...)
	} else {
		w.buf = append(w.buf, `":`...)
	}
	w.keyed = true
	return w
}

func (w *jsonWriter) open(bracket byte) {
	w.next()
	w.buf = append(w.buf, bracket)
	w.depth++
	w.empty = true
}

func (w *jsonWriter) close(bracket byte) {
	w.depth--
	if !w.empty {
		w.line()
	}
	w.buf = append(w.buf, bracket)
	w.empty = false
	if len(w.buf) >= flushAt {
		w.flush()
	}
}

func (w *jsonWriter) null() {
	w.next()
	w.buf = append(w.buf, "null"...)
}

func (w *jsonWriter) bool(value bool) {
	w.next()
	w.buf = strconv.AppendBool(w.buf, value)
}

func (w *jsonWriter) int(value int) {
	w.next()
	w.buf = strconv.AppendInt(w.buf, int64(value), 10)
}

func (w *jsonWriter) real(value float64) {
	w.next()
	w.buf = strictjson.AppendReal(w.buf, value)
}

func (w *jsonWriter) string(text string) {
	w.next()
	start := len(w.buf)
	w.buf = strictjson.AppendString(w.buf, text)
	for _, b := range w.buf[start:] {
		if b >= 0x80 {
			w.buf = appendASCII(w.buf[:start], string(w.buf[start:]))
			return
		}
	}
}

// The values of rows that may be unknown are null then.

func (w *jsonWriter) intIf(known bool, value int) {
	if known {
		w.int(value)
	} else {
		w.null()
	}
}

func (w *jsonWriter) realIf(known bool, value float64) {
	if known {
		w.real(value)
	} else {
		w.null()
	}
}

func (w *jsonWriter) stringIf(known bool, text string) {
	if known {
		w.string(text)
	} else {
		w.null()
	}
}

func (w *jsonWriter) optional(ms Optional[float64]) { w.realIf(ms.Known, ms.Value) }

// appendASCII escapes what is not ASCII in a JSON string.
func appendASCII(dst []byte, text string) []byte {
	for _, r := range text {
		switch {
		case r < 0x80:
			dst = append(dst, byte(r))
		case r < 0x10000:
			dst = fmt.Appendf(dst, `\u%04x`, r)
		default:
			high, low := utf16.EncodeRune(r)
			dst = fmt.Appendf(dst, `\u%04x\u%04x`, high, low)
		}
	}
	return dst
}

// value writes what a field may hold, decoded JSON included.
func (w *jsonWriter) value(value any) {
	switch v := value.(type) {
	case nil:
		w.null()
	case bool:
		w.bool(v)
	case int:
		w.int(v)
	case float64:
		w.real(v)
	case string:
		w.string(v)
	case json.Number:
		w.next()
		w.buf = append(w.buf, v...)
	case map[string]any:
		o := make(object, 0, len(v))
		for key, member := range v {
			o = append(o, field{key, member})
		}
		w.value(o)
	case rows:
		v.write(w)
	case object:
		w.open('{')
		for _, f := range v.sorted() {
			w.key(f.key)
			w.value(f.value)
		}
		w.close('}')
	case []any:
		w.open('[')
		for _, element := range v {
			w.value(element)
		}
		w.close(']')
	default:
		panic(fmt.Sprintf("report: no JSON for %T", value))
	}
}
