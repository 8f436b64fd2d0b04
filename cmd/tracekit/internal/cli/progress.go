package cli

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"tracekit/trace"
)

// progress shows how far a command is, on a terminal only, and only when it
// takes longer than half a second.
type progress struct {
	w       io.Writer
	done    atomic.Int64
	plays   atomic.Int64
	mu      sync.Mutex    // of what follows
	text    func() string // of the stage; nil before the first
	name    string
	files   int
	total   int64
	began   time.Time
	shown   bool
	stopped bool
	stop    chan struct{}
	ended   sync.WaitGroup
}

const (
	progressDelay  = 500 * time.Millisecond
	progressPeriod = 100 * time.Millisecond
)

func newProgress(world World, quiet bool) *progress {
	p := &progress{w: world.Stderr, began: time.Now(), stop: make(chan struct{})}
	if quiet || !world.Terminal {
		p.stopped = true
		return p
	}
	p.ended.Go(func() {
		next := time.NewTimer(progressDelay)
		defer next.Stop()
		for {
			select {
			case <-p.stop:
				return
			case <-next.C:
				p.show()
				next.Reset(progressPeriod)
			}
		}
	})
	return p
}

// watch has a trace tell of its reading.
func (p *progress) watch(opts *trace.Options) {
	opts.OnListed, opts.OnBytes, opts.OnPlay = p.expect, p.add, p.play
}

// stage begins a stage that reads, of which so many bytes are known; 0 if they are not.
func (p *progress) stage(name string, total int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = p.reading
	p.name, p.files, p.total, p.began = name, 0, total, time.Now()
	p.done.Store(0)
	p.plays.Store(0)
}

// say begins a stage of which nothing is counted.
func (p *progress) say(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = func() string { return text }
}

// expect tells how much a stage that has begun will read.
func (p *progress) expect(files int, bytes int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.files, p.total = files, bytes
}

// play tells of a play that is done with.
func (p *progress) play() { p.plays.Add(1) }

// add tells of bytes that are done with.
func (p *progress) add(bytes int) { p.done.Add(int64(bytes)) }

func (p *progress) show() {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.text == nil {
		return
	}
	fmt.Fprintf(p.w, "\r\x1b[K%s", p.text())
	p.shown = true
}

// reading says how much of the bytes of a stage is done.
func (p *progress) reading() string {
	done := p.done.Load()
	rate := float64(done) / time.Since(p.began).Seconds()
	text := p.name
	if p.files > 0 {
		text += fmt.Sprintf(" %s files:", grouped(p.files))
	}
	if plays := p.plays.Load(); plays > 0 {
		text += fmt.Sprintf(" %s plays,", grouped(int(plays)))
	}
	text += fmt.Sprintf(" %s, %s/s", size(done), size(int64(rate)))
	if p.total > 0 && done > 0 {
		left := time.Duration(float64(max(p.total-done, 0)) / rate * float64(time.Second))
		text += fmt.Sprintf(", %d %%, %.1f s left", min(100*done/p.total, 100), left.Seconds())
	}
	return text
}

// end takes the line away. It may be called again.
func (p *progress) end() {
	if p.stopped {
		return
	}
	p.stopped = true
	close(p.stop)
	p.ended.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.clear()
}

// clear empties the line. The caller holds the lock.
func (p *progress) clear() {
	if p.shown {
		fmt.Fprint(p.w, "\r\x1b[K")
		p.shown = false
	}
}
