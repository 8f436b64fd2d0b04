package engine

import "sort"

// Worker is one replica: its attention-data ranks pass together.
type Worker struct {
	ID    int
	ranks []Scheduler
	turn  int // rank counter of placement
	wave  int // passes since the worker was idle

	flight bool
	start  float64
	end    float64
	passes []*Pass   // of a group pass, by rank; nil for an idle rank
	steady []float64 // ends of a steady run; empty for a group pass
	memory []float64
}

// NewWorker makes a worker of these ranks.
func NewWorker(id int, ranks []Scheduler) *Worker {
	return &Worker{ID: id, ranks: ranks, passes: make([]*Pass, len(ranks))}
}

// Place gives a request to the worker's next rank (engine-vllm.md 4).
func (w *Worker) Place(r *Request) {
	rank := w.turn % len(w.ranks)
	w.turn = rank + 1
	r.Worker, r.Rank = w.ID, rank
	w.ranks[rank].Submit(r)
}

// InFlight tells whether a pass is on its way, and when it ends.
func (w *Worker) InFlight() (end float64, flying bool) { return w.end, w.flight }

// Ready tells whether a pass could begin.
func (w *Worker) Ready() bool {
	if w.flight {
		return false
	}
	return w.busy()
}

func (w *Worker) busy() bool {
	for _, r := range w.ranks {
		if r.Busy() {
			return true
		}
	}
	return false
}

// longestSteady bounds how far a steady run is computed ahead of time.
const longestSteady = 4096

// Begin starts a pass, or with fast a run of passes in which nothing but
// decoding happens. It returns false if the pass would be no progress.
func (w *Worker) Begin(now float64, fast bool) bool {
	w.start = now
	w.steady = w.memory[:0]
	if fast && len(w.ranks) == 1 {
		w.steady = w.ranks[0].Steady(now, longestSteady, w.steady)
		w.memory = w.steady
		if n := len(w.steady); n > 0 {
			w.end, w.flight = w.steady[n-1], true
			return true
		}
	}
	wave := w.wave
	w.wave++
	w.end = now
	progress := false
	for i, rank := range w.ranks {
		w.passes[i] = nil
		if !rank.Busy() {
			continue
		}
		p := rank.Pass(now, wave)
		w.passes[i] = p
		w.end = max(w.end, (now+p.PrefillMs)+p.DecodeMs)
		progress = progress || p.Progress
	}
	if !progress && w.end == now {
		w.rest()
		return false
	}
	w.flight = true
	return true
}

// Cut ends a steady run with its first pass that ends at t or later (later
// than t if after), because something arrives at t. It tells whether the end
// has changed.
func (w *Worker) Cut(t float64, after bool) bool {
	n := len(w.steady)
	if !w.flight || n == 0 {
		return false
	}
	i := sort.Search(n, func(i int) bool {
		if after {
			return w.steady[i] > t
		}
		return w.steady[i] >= t
	})
	if i >= n-1 {
		return false
	}
	w.steady = w.steady[:i+1]
	w.end = w.steady[i]
	return true
}

// Finish ends the pass that is on its way and hands each rank's output to
// deliver in order. A steady run puts nothing out but gaps.
func (w *Worker) Finish(out Sink, deliver func(p *Pass, at float64)) {
	w.flight = false
	if n := len(w.steady); n > 0 {
		w.ranks[0].Advance(w.start, w.steady, out)
		w.wave += n
		w.steady = w.steady[:0]
		return
	}
	for _, p := range w.passes {
		if p != nil {
			deliver(p, w.end)
		}
	}
	w.rest()
}

// rest begins a new wave when nothing is left to do.
func (w *Worker) rest() {
	if !w.busy() {
		w.wave = 0
	}
}

// Blocked describes each request that waits, for a run that cannot go on.
func (w *Worker) Blocked() (lines []string) {
	for _, r := range w.ranks {
		lines = append(lines, r.Blocked()...)
	}
	return lines
}
