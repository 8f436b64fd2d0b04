package engine_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/replay/engine"
)

// script is a rank that does what it is told.
type script struct {
	submitted []*engine.Request
	left      int // passes until it is idle
	waves     []int
	ends      []float64 // of the steady run that it offers
	advanced  []float64
}

func (s *script) Submit(r *engine.Request) { s.submitted = append(s.submitted, r) }
func (s *script) Busy() bool               { return s.left > 0 }
func (s *script) Blocked() []string        { return nil }

func (s *script) Pass(_ float64, wave int) *engine.Pass {
	s.waves = append(s.waves, wave)
	s.left--
	return &engine.Pass{PrefillMs: 10, DecodeMs: float64(s.left), Progress: true}
}

func (s *script) Steady(_ float64, _ int, ends []float64) []float64 { return append(ends, s.ends...) }

func (s *script) Advance(_ float64, ends []float64, _ engine.Sink) {
	s.advanced = append(s.advanced, ends...)
	s.left -= len(ends)
}

func finish(w *engine.Worker) (passes int) {
	w.Finish(nil, func(*engine.Pass, float64) { passes++ })
	return passes
}

// Requests go round the ranks; all ranks that are busy pass together, until
// the last is done. Waves count from the last time the worker was idle.
func TestRanksPassTogether(t *testing.T) {
	a, b := &script{left: 3}, &script{left: 1}
	w := engine.NewWorker(4, []engine.Scheduler{a, b})
	for i := range 3 {
		r := &engine.Request{}
		w.Place(r)
		require.Equal(t, []int{4, i % 2}, []int{r.Worker, r.Rank})
	}
	require.True(t, w.Begin(100, false))
	end, _ := w.InFlight()
	require.Equal(t, 112.0, end, "the longer one: 10 and 2")
	require.False(t, w.Ready())
	require.Equal(t, 2, finish(w))
	for range 2 {
		require.True(t, w.Ready())
		require.True(t, w.Begin(112, false))
		require.Equal(t, 1, finish(w), "the other rank is idle")
	}
	require.False(t, w.Ready())
	b.left = 1
	require.True(t, w.Begin(200, false))
	finish(w)
	require.Equal(t, []int{0, 1, 2}, a.waves)
	require.Equal(t, []int{0, 0}, b.waves, "a new wave after the rest")
}

// A steady run is cut after the first pass that the arrival could join: one
// that ends at its time, unless the next has begun already.
func TestCut(t *testing.T) {
	for _, c := range []struct {
		at    float64
		after bool
		end   float64
	}{
		{0, false, 10}, {9.5, false, 10}, {10, false, 10}, {10, true, 20}, {10.5, false, 20}, {20, true, 30}, {30, false, 30}, {30, true, 30}, {99, false, 30},
	} {
		rank := &script{left: 9, ends: []float64{10, 20, 30}}
		w := engine.NewWorker(0, []engine.Scheduler{rank})
		require.True(t, w.Begin(0, true))
		require.Equal(t, c.end < 30, w.Cut(c.at, c.after))
		end, flying := w.InFlight()
		require.True(t, flying)
		require.Equal(t, c.end, end, "%+v", c)
		require.Zero(t, finish(w))
		require.Len(t, rank.advanced, int(c.end/10))
	}

	// Nothing is to be cut of a pass that was taken by itself.
	w := engine.NewWorker(0, []engine.Scheduler{&script{left: 9, ends: []float64{10, 20}}})
	require.True(t, w.Begin(0, false))
	require.False(t, w.Cut(0, false))
}
