package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// A single play is as large as its whole file: memory may follow it, but not
// run away.
const (
	longSize   = 200 << 20
	memoryMost = 2.5 // times that
)

// peakOf runs the command and returns the most memory that it had.
func peakOf(t *testing.T, args ...string) (bytesAtMost int, stdout string) {
	cmd := exec.Command("tracekit", args...)
	var out, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &stderr
	require.NoError(t, cmd.Run(), "%s", &stderr)
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	require.True(t, ok)
	return int(usage.Maxrss) << 10, out.String() // the system counts in kilobytes
}

// writeLong writes a file of about so many bytes: head, parts until it is
// large enough, tail. It returns the number of parts.
func writeLong(t *testing.T, path string, size int, head string, part func(i int) string, tail func(parts int) string) int {
	file, err := os.Create(path)
	require.NoError(t, err)
	w := bufio.NewWriterSize(file, 1<<20)
	w.WriteString(head)
	parts := 0
	for written := 0; written < size; parts++ {
		n, _ := w.WriteString(part(parts))
		written += n
	}
	w.WriteString(tail(parts))
	require.NoError(t, w.Flush())
	require.NoError(t, file.Close())
	return parts
}

// thousandIDs are hash ids as text, a comma before each.
func thousandIDs() string {
	var text strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&text, ",%d", 1e9+i)
	}
	return text.String()
}

func skipUnlessMeasurable(t *testing.T) {
	if testing.Short() || raceDetector {
		t.Skip("takes files of 200 MB, and the memory of a usual build")
	}
}

func TestMemoryOfLongRow(t *testing.T) {
	skipUnlessMeasurable(t)
	path := filepath.Join(t.TempDir(), "graph.jsonl")
	ids := thousandIDs()
	writeLong(t, path, longSize, `{"schema":"dynamo.agentic_mooncake","version":2,"block_size":1,"hash_id_scope":"local","source":{"format":"weka","digest":"d"}}`+"\n"+
		`{"request_id":"a","play_id":"p","session_id":"s","model":"m","output_length":1,"not_before_ms":0,"hash_ids":[0`,
		func(int) string { return ids },
		func(parts int) string { return fmt.Sprintf(`],"input_length":%d}`+"\n", 1000*parts+1) })
	peak, stdout := peakOf(t, "verify", path)
	require.Contains(t, stdout, "requests      1 in 1 sessions")
	t.Logf("%.2f times the line", float64(peak)/longSize)
	require.Less(t, float64(peak), memoryMost*longSize)
}

func TestMemoryOfLongSession(t *testing.T) {
	skipUnlessMeasurable(t)
	for _, name := range []string{"session.json", "sessions.jsonl"} {
		path := filepath.Join(t.TempDir(), name)
		ids := thousandIDs()[1:]
		parts := writeLong(t, path, longSize, `{"id":"a","block_size":1,"hash_id_scope":"local","models":["m"],"requests":[`+
			`{"t":0,"type":"n","model":"m","in":1,"out":2,"hash_ids":[1],"api_time":1}`,
			func(i int) string {
				return fmt.Sprintf(`,{"t":%d,"type":"n","model":"m","in":1000,"out":2,"hash_ids":[%s],"api_time":1}`, i+2, ids)
			},
			func(int) string { return "]}\n" })
		peak, stdout := peakOf(t, "verify", path)
		require.Contains(t, stdout, "requests      "+grouped(parts+1)+" in 1 sessions")
		t.Logf("%s: %.2f times the session", name, float64(peak)/longSize)
		require.Less(t, float64(peak), memoryMost*longSize, name)
	}
}

// grouped writes a number of up to six digits as the command does.
func grouped(n int) string {
	if n < 1000 {
		return strconv.Itoa(n)
	}
	return fmt.Sprintf("%d,%03d", n/1000, n%1000)
}
