package report

// workerTime integrates the number of workers of a pool over virtual time.
type workerTime struct {
	workers int
	sinceMs float64
	ms      float64 // worker time before sinceMs
}

// change sets the number of workers from atMs on.
func (w *workerTime) change(workers int, atMs float64) {
	w.ms += float64(w.workers) * (atMs - w.sinceMs)
	w.workers, w.sinceMs = workers, atMs
}

// seconds returns the worker time up to endMs.
func (w workerTime) seconds(endMs float64) float64 {
	w.change(0, endMs)
	return w.ms / 1000
}
