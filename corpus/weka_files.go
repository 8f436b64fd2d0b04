package corpus

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"sync"
	"sync/atomic"
)

// GenerateWeka writes a corpus of opts.Plays plays into the existing directory
// dir, one file per play: trace_0001.json and so on, with as many digits as
// the number of plays needs, so that the order of the names is the order of
// the plays. Files of these names are replaced. Memory is bounded by the
// largest play times opts.Jobs.
//
// On an error, or when ctx ends, it stops early and returns the error with the
// counts of the files that are complete; no incomplete file is left behind.
func GenerateWeka(ctx context.Context, dir string, opts WekaOptions) (WekaStats, error) {
	if err := opts.check(); err != nil {
		return WekaStats{}, err
	}
	jobs := opts.Jobs
	if jobs < 1 {
		jobs = runtime.GOMAXPROCS(0)
	}
	jobs = min(jobs, opts.Plays)

	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var (
		next    atomic.Int64 // ordinal nobody has taken
		workers sync.WaitGroup
		mu      sync.Mutex
		stats   WekaStats
	)
	for range jobs {
		workers.Go(func() {
			w := wekaWorker{dir: dir, opts: opts, knobs: opts.Profile.knobs()}
			for ctx.Err() == nil {
				ordinal := int(next.Add(1)) - 1
				if ordinal >= opts.Plays {
					break
				}
				if err := w.write(ordinal); err != nil {
					cancel(err)
					break
				}
			}
			mu.Lock()
			defer mu.Unlock()
			stats.add(w.stats)
		})
	}
	workers.Wait()
	if stats.Plays < opts.Plays {
		return stats, context.Cause(ctx)
	}
	return stats, nil
}

func (s *WekaStats) add(other WekaStats) {
	s.Plays += other.Plays
	s.Requests += other.Requests
	s.Bytes += other.Bytes
}

// wekaWorker makes and writes one play after the other in the same buffers.
type wekaWorker struct {
	dir     string
	opts    WekaOptions
	knobs   *wekaKnobs
	printer wekaPrinter
	entries []wekaEntry
	text    []byte
	stats   WekaStats
}

func (w *wekaWorker) write(ordinal int) error {
	made := w.make(ordinal)
	digits := max(minNameDigits, len(strconv.Itoa(w.opts.Plays)))
	path := filepath.Join(w.dir, wekaPlayName(ordinal, digits)+".json")
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = file.Write(w.text)
	if err = errors.Join(err, file.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	w.stats.add(made)
	return nil
}

// make leaves the document of the play in w.text and returns its counts.
func (w *wekaWorker) make(ordinal int) WekaStats {
	play := buildWekaPlay(w.knobs, w.opts.Seed, ordinal, w.entries)
	w.entries = play.entries
	w.text = w.printer.append(w.text[:0], play, w.knobs.style, ordinal)
	return WekaStats{Plays: 1, Requests: play.requests(), Bytes: int64(len(w.text))}
}
