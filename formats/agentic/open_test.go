package agentic_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/formats"
	"tracekit/formats/agentic"
	"tracekit/graph"
	"tracekit/internal/semantics"
)

const golden = "../../testdata/golden"

// program is how the golden cases were made.
var program = agentic.Options{Semantics: semantics.AISimulate013, Jobs: 2}

// sourceOf makes a source of a text.
func sourceOf[T string | []byte](t testing.TB, text T) *formats.Source {
	source, err := formats.Open(t.Context(), "-", bytes.NewReader([]byte(text)), formats.DefaultMaxBytes)
	require.NoError(t, err)
	source.Name = "trace.jsonl"
	return source
}

// open opens a trace that must be good.
func open(t testing.TB, text string, opts agentic.Options) *agentic.Trace {
	trace, err := agentic.Open(t.Context(), sourceOf(t, text), opts)
	require.NoError(t, err)
	t.Cleanup(func() { trace.Close() })
	return trace
}

func openFile(t testing.TB, path string, opts agentic.Options) (*agentic.Trace, error) {
	source, err := formats.Open(t.Context(), path, nil, formats.DefaultMaxBytes)
	require.NoError(t, err)
	trace, err := agentic.Open(t.Context(), source, opts)
	if err == nil {
		t.Cleanup(func() { trace.Close() })
	}
	return trace, err
}

func summary(t testing.TB, trace *agentic.Trace) graph.Summary {
	s, err := trace.Summary(t.Context())
	require.NoError(t, err)
	return s
}

// rewrite writes a trace anew, plays in their order.
func rewrite(t testing.TB, trace *agentic.Trace) []byte {
	out := agentic.AppendHeader(nil, trace.Header())
	for play, err := range trace.Plays(t.Context()) {
		require.NoError(t, err)
		for i := range play.Nodes {
			out = agentic.AppendRow(out, &play.Nodes[i])
		}
	}
	return out
}

func readFile(t testing.TB, elements ...string) []byte {
	text, err := os.ReadFile(filepath.Join(elements...))
	require.NoError(t, err)
	return text
}

// cases lists the folders of a golden directory that match a pattern.
func cases(t testing.TB, pattern string) []string {
	found, err := filepath.Glob(filepath.Join(golden, pattern, "expected.json"))
	require.NoError(t, err)
	require.NotEmpty(t, found)
	for i := range found {
		found[i] = filepath.Dir(found[i])
	}
	return found
}

func readAny(elements ...string) ([]byte, error) { return os.ReadFile(filepath.Join(elements...)) }
