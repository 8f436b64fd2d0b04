package trace_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"tracekit/formats"
	"tracekit/trace"
)

const (
	session = `{"id":"a","block_size":4,"hash_id_scope":"local","models":["m"],"requests":[` +
		`{"t":0,"type":"n","model":"m","in":4,"out":2,"hash_ids":[1],"api_time":1}]}` + "\n"
	graph = `{"schema":"dynamo.agentic_mooncake","version":2,"block_size":64,"hash_id_scope":"local","source":{"format":"weka","digest":"d"}}` + "\n" +
		`{"request_id":"a","play_id":"p","session_id":"s","model":"m","input_length":64,"output_length":1,"hash_ids":[1],"not_before_ms":0}` + "\n"
	mark = "\xef\xbb\xbf" // of the byte order
)

func plain(text string) string { return text }

func gzipped(text string) string {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	io.WriteString(w, text)
	w.Close()
	return packed.String()
}

func zstandard(text string) string {
	w, err := zstd.NewWriter(nil)
	if err != nil {
		panic(err)
	}
	return string(w.EncodeAll([]byte(text), nil))
}

// What a name and a content are taken for, and what is said of those that
// cannot be read.
func TestDetection(t *testing.T) {
	long := strings.Repeat(" ", 1<<17)
	for _, c := range []struct {
		name, text string
		format     formats.Name
		problem    string // "" if it is read
	}{
		{"a.json", session, formats.Weka, ""},
		{"a.jsonl", session, formats.Weka, ""},
		{"a.JSONL", "\n\n" + session + session, formats.Weka, ""},
		{"a.json", "[]", formats.Weka, "found an array"},
		{"a.json", "", formats.Weka, "there is no document"},
		{"a.json", mark + session, formats.Weka, "byte-order mark"},
		{"a.json", `{"id"`, formats.Weka, "the text ends here"},
		{"a", session, formats.Weka, "the name does not end in .json or .jsonl"},

		{"a.jsonl", graph, formats.AgenticMooncake, ""},
		{"a.json", graph, formats.AgenticMooncake, ""},
		{"a", "\n" + graph, formats.AgenticMooncake, ""},
		{"a.jsonl", strings.Replace(graph, `{"schema"`, `{"about":"`+long+`","schema"`, 1), "", "tells no trace format"},
		{"a.jsonl", strings.Replace(graph, `}}`, `},"about":"`+long+`"}`, 1), formats.AgenticMooncake, ""},
		{"a.jsonl", graph[strings.Index(graph, "\n")+1:], formats.AgenticMooncake, "the header is missing"},
		{"a.jsonl", graph[:70], formats.AgenticMooncake, "the text ends here"},

		{"a.jsonl", `{"timestamp":0,"input_length":9,"output_length":5,"hash_ids":[1]}`, formats.Mooncake, ""},
		{"a.json", `{"timestamp":0,"input_length":9,"hash_ids":[1]}`, formats.Mooncake, "output_length"},
		{"a.jsonl", `{"schema":"dynamo.request.trace.v1"}`, formats.Dynamo, "its format looks like dynamo"},
		{"a.jsonl", `{"num_turns":0,"input_prompt_length":5}`, formats.AppliedComputeAgentic, "its format looks like applied_compute_agentic"},

		{"a.jsonl", "", "", "there is nothing in it"},
		{"a.jsonl", " \n\r\n", "", "there is nothing in it"},
		{"a.jsonl", long + "x", "", "tells no trace format"},
		{"a.jsonl", mark + graph, "", "byte-order mark"},
		{"a.jsonl", "\xff\xfe{\x00", "", "UTF-16"},
		{"a.jsonl", "[1]", "", "tells no trace format"},
		{"a.csv", "TIMESTAMP,ContextTokens,GeneratedTokens\n", "", "tells no trace format"},
		{"a.jsonl", `{"version":2}`, "", "tells no trace format"},
	} {
		for _, way := range []struct {
			name  string
			pack  func(string) string
			stdin bool
		}{
			{"plain", plain, false}, {"gzip", gzipped, false}, {"zstd", zstandard, false},
			{"stdin", plain, true}, {"gzip through stdin", gzipped, true}, {"zstd through stdin", zstandard, true},
		} {
			path, name := filepath.Join(t.TempDir(), c.name), "standard input"
			packed := way.pack(c.text)
			opts := trace.Options{MaxBytes: formats.DefaultMaxBytes, Stdin: strings.NewReader(packed)}
			if way.stdin {
				path = "-"
			} else {
				name = path
				require.NoError(t, os.WriteFile(path, []byte(packed), 0o666))
			}
			format, problem := c.format, c.problem
			switch spooled := way.name != "plain"; {
			case spooled && way.stdin && strings.HasSuffix(c.name, ".json") && c.problem != "":
				continue // its name, which standard input lacks, tells its format
			case spooled && format == formats.Weka:
				problem = "compressed or through a pipe"
			}

			opened, got, err := trace.Open(t.Context(), path, opts)
			about := way.name + ": " + c.name + ": " + c.text[:min(len(c.text), 100)]
			require.Equal(t, format, got, about)
			if problem != "" {
				require.ErrorContains(t, err, problem, about)
				require.ErrorContains(t, err, name, about)
				require.Nil(t, opened, about)
				continue
			}
			require.NoError(t, err, about)
			summary, err := opened.Summary(t.Context())
			require.NoError(t, err, about)
			require.Positive(t, summary.Requests, about)
			require.NoError(t, opened.Close())
		}
	}
}

// A folder is a Weka corpus whatever is in it.
func TestFolder(t *testing.T) {
	folder := t.TempDir()
	_, format, err := trace.Open(t.Context(), folder, trace.Options{})
	require.Equal(t, formats.Weka, format)
	require.ErrorContains(t, err, "no file in this directory")

	require.NoError(t, os.WriteFile(filepath.Join(folder, "a.jsonl"), []byte(graph), 0o666))
	_, format, err = trace.Open(t.Context(), folder, trace.Options{})
	require.Equal(t, formats.Weka, format)
	require.ErrorContains(t, err, "a.jsonl:1:")

	_, _, err = trace.Open(t.Context(), folder, trace.Options{Format: formats.AgenticMooncake})
	require.ErrorContains(t, err, "this is a directory")
}

// A format that is given is not detected.
func TestGivenFormat(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(session), 0o666))
	_, format, err := trace.Open(t.Context(), path, trace.Options{Format: formats.AgenticMooncake})
	require.Equal(t, formats.AgenticMooncake, format)
	require.ErrorContains(t, err, "this looks like a Weka trace")

	for _, format := range formats.Names() {
		_, _, err := trace.Open(t.Context(), path, trace.Options{Format: format})
		var usage *formats.UsageError
		readable := format == formats.Weka || format == formats.AgenticMooncake || format == formats.Mooncake
		if readable {
			require.NotErrorAs(t, err, &usage, format)
		} else {
			require.ErrorAs(t, err, &usage, format)
		}
	}
}

// A named pipe is read like standard input; one that nobody writes to is left
// when the context ends.
func TestNamedPipe(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe")
	require.NoError(t, syscall.Mkfifo(path, 0o600))
	go os.WriteFile(path, []byte(graph), 0)
	opened, format, err := trace.Open(t.Context(), path, trace.Options{MaxBytes: formats.DefaultMaxBytes})
	require.NoError(t, err)
	require.Equal(t, formats.AgenticMooncake, format)
	require.NoError(t, opened.Close())

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, _, err = trace.Open(ctx, path, trace.Options{MaxBytes: formats.DefaultMaxBytes})
	require.ErrorIs(t, err, context.Canceled)
}

// A reader that gives nothing, and then an error.
func TestStandardInputFails(t *testing.T) {
	for _, text := range []string{"", graph, gzipped(graph)[:20]} {
		stdin := io.MultiReader(strings.NewReader(text), failing{})
		_, _, err := trace.Open(t.Context(), "-", trace.Options{MaxBytes: formats.DefaultMaxBytes, Stdin: stdin})
		require.ErrorContains(t, err, "standard input")
		require.ErrorContains(t, err, "cannot be read: "+syscall.EIO.Error())
	}
}

type failing struct{}

func (failing) Read([]byte) (int, error) { return 0, syscall.EIO }
