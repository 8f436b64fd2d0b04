package main

import (
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// endless is a prediction of more requests than any test waits for.
const endless = `
traffic:
  source: {type: synthetic}
  load: {type: concurrency, concurrency: 8}
  stop: {requests: 4000000000}
engine:
  model: m
  hardware: h
  context_length: 4096
  workers:
    aggregated:
      kv_cache: {capacity: {type: fixed, blocks: 1000}}
      timing: {type: fixed, prefill_ms: 20, decode_ms: 5}
`

// Ctrl-C in the midst of a replay: no folder for the results is left, and
// results of an earlier run stay as they are.
func TestInterruptPrediction(t *testing.T) {
	folder := t.TempDir()
	earlier := filepath.Join(folder, "earlier", "prediction.json")
	require.NoError(t, os.Mkdir(filepath.Dir(earlier), 0o777))
	require.NoError(t, os.WriteFile(earlier, []byte("{}\n"), 0o666))
	for _, name := range []string{"new", "earlier"} {
		p := newProcess(t, "predict", "-c", "/dev/stdin", "--output-dir", filepath.Join(folder, name), "--overwrite")
		stdin, err := p.StdinPipe()
		require.NoError(t, err)
		require.NoError(t, p.Start())
		// More than the pipe holds: the command has begun to read.
		_, err = io.WriteString(stdin, endless+"# "+strings.Repeat("x", 256<<10)+"\n")
		require.NoError(t, err)
		require.NoError(t, stdin.Close())
		time.Sleep(200 * time.Millisecond) // well into the replay
		p.requireInterrupted(t, os.Interrupt)
	}
	require.NoDirExists(t, filepath.Join(folder, "new"))
	text, err := os.ReadFile(earlier)
	require.NoError(t, err)
	require.Equal(t, "{}\n", string(text))
	left, err := os.ReadDir(filepath.Dir(earlier))
	require.NoError(t, err)
	require.Len(t, left, 1)
}
