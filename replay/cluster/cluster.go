package cluster

import (
	"context"
	"fmt"
	"math"
	"strings"

	"tracekit/replay/engine"
	"tracekit/replay/workload"
)

// Observer is told what happens, in the order of virtual time (milliseconds).
type Observer interface {
	engine.Sink
	// Arrived tells that a request was admitted.
	Arrived()
	// Prefilled tells of prompt tokens that a finished pass has computed.
	Prefilled(tokens int)
	// Ended tells of a request that has ended; it is complete and not used
	// again.
	Ended(r *engine.Request)
}

// Options are what a replay consists of.
type Options struct {
	Source   workload.Source
	Workers  []*engine.Worker // by id, from 0
	Observer Observer
	// CapMs ends admission, or with StopAtCap the whole replay (loadgen.md 8);
	// +Inf for no cap.
	CapMs     float64
	StopAtCap bool
	// Plain takes every pass by itself. The result is the same.
	Plain bool
	// OnProgress, if set, is told now and then of the virtual time and of the
	// requests that have ended.
	OnProgress func(nowMs float64, ended int)
}

// StuckError is a replay that cannot go on: requests are in flight, but
// nothing will ever happen.
type StuckError struct {
	NowMs   float64
	Blocked []string // a line for each request
}

// Error names the blocked requests, and who holds the blocks.
func (e *StuckError) Error() string {
	const most = 20
	left := "1 request is left that nothing can free"
	if len(e.Blocked) != 1 {
		left = fmt.Sprintf("%d requests are left that nothing can free", len(e.Blocked))
	}
	lines := e.Blocked[:min(len(e.Blocked), most)]
	text := fmt.Sprintf("the replay cannot go on after %v ms of virtual time: %s\n  %s", e.NowMs, left, strings.Join(lines, "\n  "))
	if more := len(e.Blocked) - len(lines); more > 0 {
		text += fmt.Sprintf("\n  and %d more", more)
	}
	return text
}

// cluster is a replay under way.
type cluster struct {
	Options
	now      float64
	next     int // worker of the next placement
	inFlight int
	ended    int
	terminal []*engine.Request // of this instant, not yet told to the source
	held     map[*engine.Request][]gap
}

// gap is a kind of gap between tokens of a request that may not count.
type gap struct {
	ms    float64
	count int
}

// Run replays the source on the workers and returns the virtual time of the
// last event, in milliseconds.
func Run(ctx context.Context, opts Options) (endMs float64, err error) {
	c := &cluster{Options: opts}
	if c.StopAtCap && !math.IsInf(c.CapMs, 1) {
		// What has not ended at the cap does not count: gaps are held back
		// until their request has ended.
		c.held = map[*engine.Request][]gap{}
		c.Plain = true
	}
	c.drain()
	for events := 0; ; events++ {
		if events&0xff == 0 {
			if ctx.Err() != nil {
				return c.now, context.Cause(ctx)
			}
			if c.OnProgress != nil {
				c.OnProgress(c.now, c.ended)
			}
		}
		t, any := c.nextEvent()
		switch {
		case !any && c.inFlight > 0:
			return c.now, c.stuck()
		case !any, c.StopAtCap && t > c.CapMs:
			return c.now, nil
		}
		c.now = t
		c.drain()
	}
}

// nextEvent returns the earliest time at which something happens.
func (c *cluster) nextEvent() (at float64, any bool) {
	at = math.Inf(1)
	if t, ok := c.Source.Next(); ok && c.admits(t) {
		at, any = t, true
	}
	for _, w := range c.Workers {
		if end, flying := w.InFlight(); flying && (end < at || !any) {
			at, any = end, true
		}
	}
	return at, any
}

// admits tells whether anything is admitted at that time.
func (c *cluster) admits(t float64) bool { return c.StopAtCap || t <= c.CapMs }

// drain does everything that happens now, in rounds until one changes nothing.
func (c *cluster) drain() {
	for round := 0; ; round++ {
		changed := c.finishPasses()
		if len(c.terminal) > 0 {
			c.Source.Ended(c.now, c.terminal)
			clear(c.terminal)
			c.terminal = c.terminal[:0]
			changed = true
		}
		changed = c.admit(round > 0) || changed
		changed = c.drive() || changed
		if !changed {
			return
		}
	}
}

func (c *cluster) finishPasses() (any bool) {
	for _, w := range c.Workers {
		if end, flying := w.InFlight(); flying && end == c.now {
			w.Finish(c.Observer, c.deliver)
			any = true
		}
	}
	return any
}

// admit places what is ready. After tells that workers have begun passes at
// this instant already.
func (c *cluster) admit(after bool) (any bool) {
	for c.admits(c.now) {
		r := c.Source.Admit(c.now, c.inFlight)
		if r == nil {
			break
		}
		any = true
		c.inFlight++
		c.Observer.Arrived()
		w := c.Workers[c.next%len(c.Workers)]
		c.next = c.next%len(c.Workers) + 1
		w.Cut(c.now, after)
		w.Place(r)
	}
	return any
}

// drive begins passes on all workers that have none, as often as they end at
// once.
func (c *cluster) drive() (any bool) {
	for _, w := range c.Workers {
		for w.Ready() && w.Begin(c.now, !c.Plain) {
			any = true
			if end, _ := w.InFlight(); end > c.now {
				break
			}
			w.Finish(c.Observer, c.deliver)
		}
	}
	return any
}

// deliver makes the output of a rank's pass visible.
func (c *cluster) deliver(p *engine.Pass, at float64) {
	c.Observer.Prefilled(p.Prefilled)
	for _, r := range p.Finished {
		c.end(r, engine.Completed, at)
	}
	for i, r := range p.Tokens {
		c.token(r, at)
		if p.Ended[i] {
			c.end(r, engine.Completed, at)
		}
	}
	for _, r := range p.Rejected {
		c.end(r, engine.Rejected, at)
	}
}

func (c *cluster) token(r *engine.Request, at float64) {
	switch r.Emitted {
	case 0:
		r.FirstToken = at
	case 1:
		r.SecondToken = at
		fallthrough
	default:
		c.gap(r, at-r.LastToken)
	}
	r.LastToken = at
	r.Emitted++
}

func (c *cluster) gap(r *engine.Request, ms float64) {
	if c.held == nil {
		c.Observer.Gaps(ms, 1)
		return
	}
	gaps := c.held[r]
	if n := len(gaps); n > 0 && gaps[n-1].ms == ms {
		gaps[n-1].count++
		return
	}
	c.held[r] = append(gaps, gap{ms, 1})
}

func (c *cluster) end(r *engine.Request, status engine.Status, at float64) {
	for _, g := range c.held[r] {
		c.Observer.Gaps(g.ms, g.count)
	}
	delete(c.held, r)
	r.Status, r.TerminalMs = status, at
	c.inFlight--
	c.ended++
	c.Observer.Ended(r)
	c.terminal = append(c.terminal, r)
}

func (c *cluster) stuck() error {
	e := &StuckError{NowMs: c.now}
	for _, w := range c.Workers {
		for _, line := range w.Blocked() {
			e.Blocked = append(e.Blocked, fmt.Sprintf("worker %d: %s", w.ID, line))
		}
	}
	return e
}
