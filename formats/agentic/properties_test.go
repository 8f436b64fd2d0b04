package agentic_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"tracekit/formats"
	"tracekit/formats/agentic"
	"tracekit/graph"
)

// shuffle puts the rows of a text in another order.
func shuffle(random *rand.Rand, text string) string {
	header, rows, _ := strings.Cut(text, "\n")
	lines := strings.Split(strings.TrimSuffix(rows, "\n"), "\n")
	random.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	return header + "\n" + strings.Join(lines, "\n") // the last line lacks its end
}

// Neither the order of rows nor the size of blocks nor the number of jobs is
// seen in what is read.
func TestNothingButContentMatters(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"weka/random-mix-relative", "weka/realistic-session", "weka/jsonl-plays", "weka/directory-tree"} {
		text := string(readFile(t, golden, name, "expected.v2.jsonl"))
		want := expected(t, filepath.Join(golden, name))
		for _, form := range []string{text, shuffle(random, text), shuffle(random, text), strings.ReplaceAll(text, "\n", "\r\n \n")} {
			for _, blockSize := range []int{1, 64, 5000, 1 << 20} {
				for _, jobs := range []int{1, 2, 5} {
					opts := program
					opts.Jobs = jobs
					trace, err := agentic.OpenInBlocks(t.Context(), sourceOf(t, form), opts, blockSize)
					require.NoError(t, err)
					requireSummary(t, want, summary(t, trace))
					require.Equal(t, text, string(rewrite(t, trace)))
					require.NoError(t, trace.Close())
				}
			}
		}
	}
}

// Many plays in any order come in canonical order, whether their ids form
// runs, overlap or are mixed.
func TestCanonicalOrder(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	const plays, rows = 3000, 3
	text := func(id string) string {
		var out strings.Builder
		out.WriteString(headerLine)
		for _, p := range random.Perm(plays) {
			for r := range rows {
				out.WriteString(row(fmt.Sprintf(id, p, r), fmt.Sprint("p", p), ""))
			}
		}
		return out.String()
	}
	for _, form := range []string{
		text("%05d:%d"),                  // a run for each play
		text("x%[2]d:%05[1]d"),           // runs that overlap
		shuffle(random, text("%05d:%d")), // hardly any runs
	} {
		trace := open(t, form, agentic.Options{Jobs: 2})
		last, n := "", 0
		for node, err := range trace.Nodes(t.Context()) {
			require.NoError(t, err)
			require.Less(t, last, node.RequestID)
			last = strings.Clone(node.RequestID)
			n++
		}
		require.Equal(t, plays*rows, n)
	}
}

// Ids whose hashes collide are told apart by what they are.
func TestHashCollisions(t *testing.T) {
	random := maphash.MakeSeed()
	tries := 0
	weak := func() func(string) uint64 {
		tries++
		if tries%3 != 0 {
			return func(string) uint64 { return uint64(tries) }
		}
		return func(id string) uint64 { return maphash.String(random, id) }
	}
	good := headerLine + row("a", "p", "") + row("b", "p", "", "a") + row("c", "q", "")
	trace, err := agentic.OpenHashed(t.Context(), sourceOf(t, good), agentic.Options{}, weak)
	require.NoError(t, err)
	require.Equal(t, 3, summary(t, trace).Requests)
	require.NoError(t, trace.Close())
	_, err = agentic.OpenHashed(t.Context(), sourceOf(t, good+row("b", "r", "")), agentic.Options{}, weak)
	require.ErrorContains(t, err, `trace.jsonl:5:15: request "b": request_id: the request on line 3 has the same id`)
	require.Equal(t, 6, tries)
}

// The id of an earlier row is found wherever it stands in its row.
func TestDuplicateBehindLongField(t *testing.T) {
	long := `{"x":"` + strings.Repeat("y", 50_000) + `",`
	first := edit(t, row("a", "p", ""), "{", long)
	require.Contains(t, message(t, headerLine+first+row("a", "p", "")), "jsonl:3:15")
}

// A consumer may stop at any time and read again.
func TestStoppingEarly(t *testing.T) {
	before := runtime.NumGoroutine()
	trace := open(t, string(readFile(t, golden, "weka/random-mix-relative", "expected.v2.jsonl")), program)
	for range 3 {
		for _, err := range trace.Nodes(t.Context()) {
			require.NoError(t, err)
			break
		}
		for _, err := range trace.Plays(t.Context()) {
			require.NoError(t, err)
			break
		}
	}
	summary(t, trace)
	require.LessOrEqual(t, runtime.NumGoroutine(), before)
}

// A panic of the consumer gets through: nothing waits for it to go on.
func TestPanickingConsumer(t *testing.T) {
	text := string(growing(100, 50, 10))
	trace, err := agentic.OpenInBlocks(t.Context(), sourceOf(t, text), program, 1000)
	require.NoError(t, err)
	defer trace.Close()
	require.PanicsWithValue(t, "stop", func() {
		for range trace.Nodes(t.Context()) {
			panic("stop")
		}
	})
	require.PanicsWithValue(t, "stop", func() {
		for range trace.Plays(t.Context()) {
			panic("stop")
		}
	})
}

func TestCancellation(t *testing.T) {
	stop := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	trace := open(t, string(readFile(t, golden, "weka/minimal", "expected.v2.jsonl")), program)
	cancel(stop)
	_, err := agentic.Open(ctx, sourceOf(t, headerLine+goodRow), program)
	require.ErrorIs(t, err, stop)
	_, err = trace.Summary(ctx)
	require.ErrorIs(t, err, stop)
	for _, err := range trace.Plays(ctx) {
		require.ErrorIs(t, err, stop)
	}
}

// A file that changes between two reads is noticed by the second.
func TestChangedFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	for _, change := range []string{headerLine, headerLine + strings.Replace(goodRow, "r1", "r2", 1) + "\n", headerLine + strings.Repeat(" ", len(goodRow))} {
		require.NoError(t, os.WriteFile(path, []byte(headerLine+goodRow), 0o600))
		trace, err := openFile(t, path, program)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, []byte(change), 0o600))
		require.NoError(t, os.Chtimes(path, time.Now(), time.Now().Add(time.Minute)))
		_, err = trace.Summary(t.Context())
		require.ErrorIs(t, err, formats.ErrChanged)
		for _, err = range trace.Plays(t.Context()) {
		}
		require.ErrorIs(t, err, formats.ErrChanged)
	}
}

// A source that comes in single bytes is as good as any.
func TestSlowSource(t *testing.T) {
	folder := filepath.Join(golden, "weka", "child-streams")
	text := readFile(t, folder, "expected.v2.jsonl")
	source, err := formats.Open(t.Context(), "-", iotest.OneByteReader(bytes.NewReader(text)), formats.DefaultMaxBytes)
	require.NoError(t, err)
	trace, err := agentic.Open(t.Context(), source, program)
	require.NoError(t, err)
	requireSummary(t, expected(t, folder), summary(t, trace))
	require.NoError(t, trace.Close())
}

// Every read tells about every byte of the file, but for the header, which is
// read once.
func TestProgress(t *testing.T) {
	text := string(readFile(t, golden, "weka/random-mix-relative", "expected.v2.jsonl"))
	total := 0
	opts := program
	opts.OnBytes = func(n int) { total += n }
	trace := open(t, text, opts)
	require.Equal(t, len(text), total)
	total = 0
	summary(t, trace)
	require.InDelta(t, len(text), total, 1000)
	total = 0
	rewrite(t, trace)
	require.InDelta(t, len(text), total, 1000)
}

// The fingerprint of a play is the sum over its nodes, whatever their order.
func TestPlayFingerprints(t *testing.T) {
	opts := program
	opts.Fingerprints = true
	text := string(readFile(t, golden, "weka/random-mix-relative", "expected.v2.jsonl"))
	trace := open(t, text, opts)
	var want []uint64
	var f graph.Fingerprinter
	for play, err := range trace.Plays(t.Context()) {
		require.NoError(t, err)
		sum := uint64(0)
		for i := range play.Nodes {
			sum += f.Node(&play.Nodes[i])
		}
		want = append(want, sum)
	}
	require.Equal(t, want, trace.PlayFingerprints())
	require.Equal(t, want, open(t, shuffle(rand.New(rand.NewPCG(5, 6)), text), opts).PlayFingerprints())
	require.Nil(t, open(t, text, program).PlayFingerprints())
}

// Plays belong to the caller: they outlive the trace and each other.
func TestPlaysAreKept(t *testing.T) {
	text := readFile(t, golden, "weka/random-mix-relative", "expected.v2.jsonl")
	trace, err := agentic.OpenInBlocks(t.Context(), sourceOf(t, string(text)), program, 64)
	require.NoError(t, err)
	var plays []*graph.Play
	for play, err := range trace.Plays(t.Context()) {
		require.NoError(t, err)
		plays = append(plays, play)
	}
	summary(t, trace)
	require.NoError(t, trace.Close())
	out := agentic.AppendHeader(nil, trace.Header())
	for _, play := range plays {
		for i := range play.Nodes {
			out = agentic.AppendRow(out, &play.Nodes[i])
		}
	}
	require.Equal(t, string(text), string(out))
}

// growing makes plays of prompts that grow by some ids from row to row.
func growing(plays, rows, grow int) []byte {
	random := rand.New(rand.NewPCG(7, 8))
	out := []byte(headerLine)
	for p := range plays {
		var ids []byte
		for r := range rows {
			for range grow {
				ids = fmt.Appendf(ids, "%d,", random.Uint64()|1<<63)
			}
			id := func(r int) string { return fmt.Sprintf("play:%08x:request:%05d", p*2654435761%(1<<32), r) }
			n := graph.Node{RequestID: id(r)}
			n.PlayID, n.SessionID, n.Model = fmt.Sprint("play-", p), fmt.Sprint("session-", p), "model"
			n.InputLength, n.MaxOutputTokens = uint64(64*grow*(r+1)), 100
			n.HashIDs.Head = graph.Integers{Text: ids[:len(ids)-1], Len: grow * (r + 1)}
			n.NotBeforeMs = float64(1000 * r)
			if r > 0 {
				n.Dependencies = []graph.Dependency{{Predecessor: id(r - 1), Trigger: graph.Completion, DelayMs: 1.5}}
			}
			out = agentic.AppendRow(out, &n)
		}
	}
	return out
}

// allocated returns what opening and summing a text allocates.
func allocated(t testing.TB, text []byte) (allocations, size uint64) {
	source := sourceOf(t, text)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	trace, err := agentic.Open(t.Context(), source, agentic.Options{Jobs: 2})
	require.NoError(t, err)
	summary(t, trace)
	runtime.ReadMemStats(&after)
	require.NoError(t, trace.Close())
	return after.Mallocs - before.Mallocs, after.TotalAlloc - before.TotalAlloc
}

// Reading allocates nothing for a row, and a few words of facts are kept.
func TestRowsCostLittle(t *testing.T) {
	few, fewBytes := allocated(t, growing(200, 50, 2))
	many, manyBytes := allocated(t, growing(500, 50, 2))
	const moreRows = 15_000
	require.Less(t, float64(many)-float64(few), 0.1*moreRows, "allocations")
	require.Less(t, float64(manyBytes)-float64(fewBytes), 200.0*moreRows, "bytes allocated, most of them let go")
}

// A long line costs its size once in each read, little more.
func TestLongLine(t *testing.T) {
	text := growing(1, 1, 1_000_000)
	_, size := allocated(t, text)
	require.Less(t, float64(size), 2.5*float64(len(text)))
}

func BenchmarkOpen(b *testing.B) {
	text := growing(30, 100, 12)
	source := sourceOf(b, text)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		_, err := agentic.Open(b.Context(), source, agentic.Options{})
		require.NoError(b, err)
	}
}

func BenchmarkSummary(b *testing.B) {
	text := growing(30, 100, 12)
	trace, err := agentic.Open(b.Context(), sourceOf(b, text), agentic.Options{})
	require.NoError(b, err)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		summary(b, trace)
	}
}
