package mooncake_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/formats"
	"tracekit/formats/mooncake"
	"tracekit/graph"
	"tracekit/internal/semantics"
)

var modes = []semantics.Mode{semantics.Documented, semantics.AISimulate013}

// blocks64 is how most of the traces of the tests are read.
var blocks64 = mooncake.Options{BlockSize: 64}

func sourceOf(t testing.TB, text string) *formats.Source {
	// Not standard input, which would unpack a text that looks packed.
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o600))
	file, err := os.Open(path)
	require.NoError(t, err)
	source, err := formats.FromFile("trace.jsonl", file)
	require.NoError(t, err)
	return source
}

func read(t testing.TB, text string, opts mooncake.Options) *mooncake.File {
	file, err := mooncake.Read(t.Context(), sourceOf(t, text), opts)
	require.NoError(t, err)
	return file
}

func open(t testing.TB, text string, opts mooncake.Options) *mooncake.Trace {
	trace, err := mooncake.Open(t.Context(), sourceOf(t, text), opts)
	require.NoError(t, err)
	t.Cleanup(func() { trace.Close() })
	return trace
}

func summary(t testing.TB, trace interface {
	Summary(context.Context) (graph.Summary, error)
}) graph.Summary {
	s, err := trace.Summary(t.Context())
	require.NoError(t, err)
	return s
}

func digest(t testing.TB, text string, opts mooncake.Options) string {
	return summary(t, open(t, text, opts)).GraphDigest
}

// canonical returns the canonical bytes of a trace.
func canonical(t testing.TB, trace *mooncake.Trace) []byte {
	var encoder graph.Encoder
	var nodes [][]byte
	for n, err := range trace.Nodes(t.Context()) {
		require.NoError(t, err)
		nodes = append(nodes, encoder.Append(nil, n)[1:])
	}
	return append(append([]byte(`{"block_size":64,"nodes":[`), bytes.Join(nodes, []byte{','})...), "]}"...)
}
