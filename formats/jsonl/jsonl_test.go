package jsonl_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"tracekit/formats"
	"tracekit/formats/jsonl"
)

func sourceOf(t testing.TB, text string) *formats.Source {
	source, err := formats.Open(t.Context(), "-", strings.NewReader(text), formats.DefaultMaxBytes)
	require.NoError(t, err)
	t.Cleanup(func() { source.Close() })
	return source
}

type row struct {
	text   string
	offset int64
	line   int
}

// read collects the rows of a text, read in blocks of that size.
func read(t testing.TB, text string, size int) (rows []row) {
	buffers := jsonl.NewBuffers(size, int64(size))
	whole := ""
	for block, err := range jsonl.Blocks(t.Context(), sourceOf(t, text), jsonl.Start, buffers) {
		require.NoError(t, err)
		require.EqualValues(t, len(whole), block.Offset)
		whole += string(block.Text)
		if len(block.Text) > size {
			require.NotContains(t, string(block.Text[:len(block.Text)-1]), "\n", "a long block is one line")
		}
		for r := range block.Rows() {
			rows = append(rows, row{string(r.Text), r.Offset, r.Line})
		}
		buffers.Put(block.Text)
	}
	require.Equal(t, text, whole, "blocks cover the text")
	return rows
}

// plainRows is the plain twin of the reader.
func plainRows(text string) (rows []row) {
	offset := 0
	for i, line := range strings.Split(text, "\n") {
		inside := strings.TrimSuffix(line, "\r")
		if strings.TrimFunc(inside, unicode.IsSpace) != "" {
			rows = append(rows, row{inside, int64(offset), i + 1})
		}
		offset += len(line) + 1
	}
	return rows
}

func TestRows(t *testing.T) {
	for text, want := range map[string][]row{
		"":                       nil,
		"\n \n\t\r\n":            nil,
		"{}":                     {{"{}", 0, 1}},
		"{}\n":                   {{"{}", 0, 1}},
		"{}\r\n\r\n{}\r\r\n":     {{"{}", 0, 1}, {"{}\r", 6, 3}},
		"\u00a0\u2003\u3000\n{}": {{"{}", 9, 2}},
		"\ufeff\n":               {{"\ufeff", 0, 1}},
		" \x80\n":                {{" \x80", 0, 1}},
		"\xa0\n\x85\n":           {{"\xa0", 0, 1}, {"\x85", 2, 2}},
		" {} ":                   {{" {} ", 0, 1}},
		"one\n" + strings.Repeat("long", 50) + "\nthree": {{"one", 0, 1}, {strings.Repeat("long", 50), 4, 2}, {"three", 205, 3}},
	} {
		for _, size := range []int{1, 2, 3, 7, 64, 1000} {
			require.Equal(t, want, read(t, text, size), "%q in blocks of %d", text, size)
		}
	}
}

func FuzzRows(f *testing.F) {
	for _, text := range []string{"", "\n", "a\r\nb", "a\n\n\u2028\nlonger line\n\xff", "\r\r\n \r"} {
		f.Add(text, 1)
		f.Add(text, 4)
	}
	f.Fuzz(func(t *testing.T, text string, size int) {
		if size < 1 || size > 1000 || len(text) > 1000 {
			return
		}
		if strings.HasPrefix(text, "\x1f\x8b") || strings.HasPrefix(text, "\x28\xb5\x2f\xfd") {
			return // it begins like a packed file
		}
		require.Equal(t, plainRows(text), read(t, text, size))
	})
}

// Reading may begin at any line.
func TestPosition(t *testing.T) {
	var lines []int
	buffers := jsonl.NewBuffers(4, 4)
	for block, err := range jsonl.Blocks(t.Context(), sourceOf(t, "a\nb\nc\n"), jsonl.Position{Offset: 2, Line: 2}, buffers) {
		require.NoError(t, err)
		for r := range block.Rows() {
			lines = append(lines, r.Line)
		}
		buffers.Put(block.Text)
	}
	require.Equal(t, []int{2, 3}, lines)
}

// A line of any length costs its size and one buffer to find its end.
func TestLongLineCost(t *testing.T) {
	const size = 32 << 20
	source := sourceOf(t, "short\n"+strings.Repeat("x", size)+"\nshort\n")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	buffers := jsonl.NewBuffers(jsonl.BlockSize, 8*jsonl.BlockSize)
	longest := 0
	for block, err := range jsonl.Blocks(t.Context(), source, jsonl.Start, buffers) {
		require.NoError(t, err)
		longest = max(longest, len(block.Text))
		buffers.Put(block.Text)
	}
	runtime.ReadMemStats(&after)
	require.Equal(t, size+1, longest)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(size+3*jsonl.BlockSize))
}

// Buffers are used again: after the first ones nothing is allocated.
func TestBuffersAreReused(t *testing.T) {
	source := sourceOf(t, strings.Repeat(strings.Repeat("x", 99)+"\n", 10_000))
	buffers := jsonl.NewBuffers(1000, 8000)
	readAll := func() {
		for block, err := range jsonl.Blocks(t.Context(), source, jsonl.Start, buffers) {
			require.NoError(t, err)
			buffers.Put(block.Text)
		}
	}
	readAll()
	require.Less(t, testing.AllocsPerRun(5, readAll), 10.0)
}

// No more than the limit is lent, but one buffer always is.
func TestBuffersAreLimited(t *testing.T) {
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	buffers := jsonl.NewBuffers(10, 25)
	get := func(size int) []byte {
		buffer, err := buffers.Get(ctx, size)
		require.NoError(t, err)
		require.Len(t, buffer, size)
		return buffer
	}
	first, second := get(10), get(3)
	_, err := buffers.Get(ctx, 1)
	require.ErrorIs(t, err, context.DeadlineExceeded)
	buffers.Put(first)
	buffers.Put(second)
	ctx = t.Context()
	large := get(1000)
	go buffers.Put(large)
	require.Equal(t, &large[0], &get(900)[0], "the large buffer is used again")
}

// A source that has become shorter is noticed.
func TestShortenedSource(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	require.NoError(t, os.WriteFile(path, bytes.Repeat([]byte("x\n"), 100), 0o600))
	source, err := formats.Open(t.Context(), path, nil, 0)
	require.NoError(t, err)
	defer source.Close()
	require.NoError(t, os.Truncate(path, 50))
	for _, size := range []int{10, 1000} {
		buffers := jsonl.NewBuffers(size, int64(size))
		var last error
		for block, err := range jsonl.Blocks(t.Context(), source, jsonl.Start, buffers) {
			last = err
			if err == nil {
				buffers.Put(block.Text)
			}
		}
		require.ErrorIs(t, last, formats.ErrChanged)
	}
}

func BenchmarkRows(b *testing.B) {
	text := strings.Repeat(strings.Repeat("1234567890,", 1000)+"\n", 2000)
	source := sourceOf(b, text)
	buffers := jsonl.NewBuffers(jsonl.BlockSize, 8*jsonl.BlockSize)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		for block, err := range jsonl.Blocks(b.Context(), source, jsonl.Start, buffers) {
			require.NoError(b, err)
			for range block.Rows() {
			}
			buffers.Put(block.Text)
		}
	}
}
