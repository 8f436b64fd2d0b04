package cli

import (
	"fmt"
	"math"
	"sync/atomic"
	"time"
)

// replayProgress is how far a replay is. The replay writes it and the line
// on the terminal reads it, so that the replay never waits for a terminal.
type replayProgress struct {
	total int // of requests; 0 if it is not known
	nowMs atomic.Uint64
	ended atomic.Int64
	began atomic.Int64 // when the replay proper began, in nanoseconds; 0 before
}

// replay begins a stage that replays requests, total of them or 0 if that is
// not known, and returns what is to be told of virtual time.
func (p *progress) replay(total int) (tell func(nowMs float64, ended int)) {
	if p.stopped {
		return nil
	}
	r := &replayProgress{total: total}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.text = func() string { return r.text(time.Now()) }
	return func(nowMs float64, ended int) {
		if r.began.Load() == 0 {
			r.began.Store(time.Now().UnixNano())
		}
		r.nowMs.Store(math.Float64bits(nowMs))
		r.ended.Store(int64(ended))
	}
}

// text says how many requests are done, the virtual time, how many times
// faster than the wall clock it runs, and, with a known total, what is left.
func (r *replayProgress) text(now time.Time) string {
	began := r.began.Load()
	if began == 0 {
		return "reading the workload"
	}
	ended, virtual := r.ended.Load(), math.Float64frombits(r.nowMs.Load())/1000
	elapsed := now.Sub(time.Unix(0, began)).Seconds()
	text := fmt.Sprintf("replaying: %s requests done", grouped(int(ended)))
	if r.total > 0 {
		text = fmt.Sprintf("replaying: %s of %s requests done", grouped(int(ended)), grouped(r.total))
	}
	text += fmt.Sprintf(", %s s of virtual time", grouped(int(virtual)))
	if elapsed > 0 {
		text += fmt.Sprintf(", %s times as fast as real time", grouped(int(virtual/elapsed)))
	}
	if r.total > 0 && ended > 0 {
		text += fmt.Sprintf(", %.1f s left", elapsed*float64(r.total-int(ended))/float64(ended))
	}
	return text
}
