package cli

import (
	"bytes"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
)

// lockedBuffer is a terminal that two goroutines may look at.
type lockedBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// lines are what the terminal showed, one after the other in its last line.
func (b *lockedBuffer) lines() []string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return strings.Split(b.text.String(), "\r\x1b[K")
}

// The line of a replay tells what is done, how fast, and what is left, and is
// gone in the end.
func TestReplayProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		terminal := &lockedBuffer{}
		p := newProgress(World{Stderr: terminal, Terminal: true}, false)
		tell := p.replay(4000)
		time.Sleep(550 * time.Millisecond)
		tell(0, 0)
		time.Sleep(500 * time.Millisecond)
		tell(90_000, 1000)
		time.Sleep(500 * time.Millisecond)
		p.end()
		lines := terminal.lines()
		require.Empty(t, lines[0])
		require.Equal(t, "reading the workload", lines[1])
		require.Contains(t, lines, "replaying: 0 of 4,000 requests done, 0 s of virtual time, 0 times as fast as real time")
		require.Equal(t, "replaying: 1,000 of 4,000 requests done, 90 s of virtual time, 94 times as fast as real time, 2.9 s left", lines[len(lines)-2])
		require.Empty(t, lines[len(lines)-1])
	})
}

// A note takes the place of the line, which comes again below it.
func TestNoteAboveProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		terminal := &lockedBuffer{}
		p := newProgress(World{Stderr: terminal, Terminal: true}, false)
		p.replay(0)
		time.Sleep(550 * time.Millisecond)
		n, err := notes{p}.Write([]byte("a thing\n"))
		require.NoError(t, err)
		require.Equal(t, 8, n)
		time.Sleep(100 * time.Millisecond)
		p.end()
		require.Equal(t, []string{"", "reading the workload", "tracekit: note: a thing\n", "reading the workload", ""}, terminal.lines())
	})
}

// A replay whose requests nobody has counted shows no time that is left.
func TestReplayProgressOfUnknownLength(t *testing.T) {
	r := replayProgress{}
	now := time.Now()
	r.began.Store(now.UnixNano())
	r.ended.Store(12)
	require.Equal(t, "replaying: 12 requests done, 0 s of virtual time, 0 times as fast as real time", r.text(now.Add(time.Second)))
}

// Without a terminal, with --quiet, or within half a second there is no line,
// and a replay need not tell anything.
func TestNoProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		terminal := &lockedBuffer{}
		for _, c := range []struct{ terminal, quiet bool }{{false, false}, {true, true}} {
			p := newProgress(World{Stderr: terminal, Terminal: c.terminal}, c.quiet)
			require.Nil(t, p.replay(1))
			time.Sleep(2 * time.Second)
			p.end()
		}
		p := newProgress(World{Stderr: terminal, Terminal: true}, false)
		p.replay(1)(0, 0)
		time.Sleep(400 * time.Millisecond)
		p.end()
		p.end()
		require.Equal(t, []string{""}, terminal.lines())
	})
}
