package main

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracekit/corpus"
)

// process is a run of the command that is going to be interrupted.
type process struct {
	*exec.Cmd
	temporary string // its folder for temporary files
	stderr    bytes.Buffer
}

func newProcess(t *testing.T, args ...string) *process {
	p := &process{Cmd: exec.Command("tracekit", args...), temporary: t.TempDir()}
	p.Env = append(os.Environ(), "TMPDIR="+p.temporary)
	p.Stderr = &p.stderr
	return p
}

// requireInterrupted sends a signal and wants the process to end soon, say
// so, and leave nothing behind.
func (p *process) requireInterrupted(t *testing.T, signal os.Signal) {
	t.Helper()
	require.NoError(t, p.Process.Signal(signal))
	late := time.AfterFunc(20*time.Second, func() { p.Process.Kill() })
	err := p.Wait()
	require.True(t, late.Stop(), "the process does not end")
	var exit *exec.ExitError
	require.ErrorAs(t, err, &exit)
	require.Equal(t, 130, exit.ExitCode(), p.stderr.String())
	require.Equal(t, "tracekit: interrupted; nothing was left behind\n", p.stderr.String())
	requireEmpty(t, p.temporary)
}

func requireEmpty(t *testing.T, folder string) {
	t.Helper()
	left, err := os.ReadDir(folder)
	require.NoError(t, err)
	require.Empty(t, left)
}

// plainCorpus generates a corpus that takes a while.
func plainCorpus(t *testing.T, plays int) string {
	folder := t.TempDir()
	_, err := corpus.GenerateWeka(t.Context(), folder, corpus.WekaOptions{Plays: plays, Seed: 1, Profile: corpus.ProfilePlain, Jobs: 2})
	require.NoError(t, err)
	return folder
}

// Ctrl-C in the midst of a conversion.
func TestInterruptConversion(t *testing.T) {
	input, output := plainCorpus(t, 200), t.TempDir()
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		p := newProcess(t, "convert", "weka", "--input", input, "--output", filepath.Join(output, "out.jsonl"))
		require.NoError(t, p.Start())
		require.Eventually(t, func() bool {
			partial, err := filepath.Glob(filepath.Join(output, ".*.partial"))
			require.NoError(t, err)
			if len(partial) == 0 {
				return false
			}
			info, err := os.Stat(partial[0])
			return err == nil && info.Size() > 1<<20
		}, 20*time.Second, time.Millisecond, "the output does not grow")
		p.requireInterrupted(t, signal)
		requireEmpty(t, output)
	}
}

// Ctrl-C while rows wait to be taken by a reader that has stopped reading.
func TestInterruptStandardOutput(t *testing.T) {
	p := newProcess(t, "convert", "weka", "--input", plainCorpus(t, 2), "--output", "-")
	stdout, err := p.StdoutPipe()
	require.NoError(t, err)
	require.NoError(t, p.Start())
	_, err = io.ReadFull(stdout, make([]byte, 1))
	require.NoError(t, err)
	p.requireInterrupted(t, os.Interrupt)
}

// Ctrl-C while the command waits for a pipe that nobody writes to any more.
func TestInterruptStandardInput(t *testing.T) {
	for _, path := range []string{"-", "/dev/stdin"} {
		p := newProcess(t, "verify", path)
		stdin, err := p.StdinPipe()
		require.NoError(t, err)
		require.NoError(t, p.Start())
		// More than the pipe holds: the command has begun to read.
		_, err = io.WriteString(stdin, `{"schema":"dynamo.agentic_mooncake"`+strings.Repeat(" ", 1<<20))
		require.NoError(t, err)
		p.requireInterrupted(t, os.Interrupt)
	}
}
