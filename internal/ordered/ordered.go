// Package ordered runs tasks in parallel and hands on what they produce in
// the order of the tasks, so that output never depends on scheduling.
//
// At any time at most jobs tasks are being worked on and one more waits;
// each may run ahead of the consumer by a few chunks only. Memory is bounded
// by that window, however many tasks there are.
package ordered

import (
	"context"
	"iter"
	"sync"
)

// ahead is how many chunks a task may produce before it is its turn.
const ahead = 4

// Work handles one task and emits any number of chunks. An error of emit must
// be returned.
type Work[T, C any] func(ctx context.Context, task T, emit func(C) error) error

// Process draws tasks one by one, works on up to jobs of them at once, and
// calls consume with the chunks of the first task in the order in which they
// were emitted, then with those of the second, and so on. Tasks are drawn in
// a goroutine of their own; consume runs in the caller's. NewWorker is called
// once for each worker and returns its Work, which may own reusable state.
//
// The first error in task order, whether of the task sequence, a task or
// consume, ends everything and is returned; what later tasks met does not
// matter. All goroutines have ended when Process returns.
func Process[T, C any](ctx context.Context, jobs int, tasks iter.Seq2[T, error], newWorker func() Work[T, C], consume func(C) error) error {
	type item struct {
		chunk C
		err   error
	}
	type job struct {
		task T
		out  chan item
	}
	ctx, cancel := context.WithCancel(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	defer cancel()

	jobs = max(jobs, 1)
	todo := make(chan job)
	order := make(chan chan item, jobs)

	running.Go(func() {
		defer close(order)
		defer close(todo)
		for task, err := range tasks {
			out := make(chan item, ahead)
			select {
			case order <- out:
			case <-ctx.Done():
				return
			}
			if err != nil {
				out <- item{err: err}
				close(out)
				return
			}
			select {
			case todo <- job{task, out}:
			case <-ctx.Done():
				return
			}
		}
	})

	for range jobs {
		running.Go(func() {
			work := newWorker()
			for j := range todo {
				err := work(ctx, j.task, func(chunk C) error {
					select {
					case j.out <- item{chunk: chunk}:
						return nil
					case <-ctx.Done():
						return context.Cause(ctx)
					}
				})
				if err != nil {
					select {
					case j.out <- item{err: err}:
					case <-ctx.Done():
					}
				}
				close(j.out)
			}
		})
	}

	for {
		var out chan item
		var open bool
		select {
		case out, open = <-order:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		if !open {
			return nil
		}
		for finished := false; !finished; {
			select {
			case it, more := <-out:
				switch {
				case !more:
					finished = true
				case it.err != nil:
					return it.err
				default:
					if err := consume(it.chunk); err != nil {
						return err
					}
				}
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		}
	}
}
