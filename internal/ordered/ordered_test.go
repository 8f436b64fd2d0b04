package ordered_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"tracekit/internal/ordered"
)

func count(n int) iter.Seq2[int, error] {
	return func(yield func(int, error) bool) {
		for i := range n {
			if !yield(i, nil) {
				return
			}
		}
	}
}

func TestChunksComeInTaskOrder(t *testing.T) {
	for _, jobs := range []int{1, 2, 7} {
		var got []string
		err := ordered.Process(t.Context(), jobs, count(50),
			func() ordered.Work[int, string] {
				return func(_ context.Context, task int, emit func(string) error) error {
					for part := range task % 11 {
						runtime.Gosched()
						if err := emit(fmt.Sprint(task, ".", part)); err != nil {
							return err
						}
					}
					return nil
				}
			},
			func(chunk string) error { got = append(got, chunk); return nil })
		require.NoError(t, err)
		var want []string
		for task := range 50 {
			for part := range task % 11 {
				want = append(want, fmt.Sprint(task, ".", part))
			}
		}
		require.Equal(t, want, got)
	}
}

func TestFirstErrorInTaskOrderWins(t *testing.T) {
	for range 20 {
		var chunks []int
		err := ordered.Process(t.Context(), 4, count(100),
			func() ordered.Work[int, int] {
				return func(_ context.Context, task int, emit func(int) error) error {
					if task == 9 {
						time.Sleep(time.Millisecond) // later tasks fail earlier
					}
					if task >= 9 {
						return fmt.Errorf("task %d", task)
					}
					return emit(task)
				}
			},
			func(chunk int) error { chunks = append(chunks, chunk); return nil })
		require.EqualError(t, err, "task 9")
		require.Equal(t, []int{0, 1, 2, 3, 4, 5, 6, 7, 8}, chunks)
	}
}

func TestErrorOfTheSequenceComesInItsPlace(t *testing.T) {
	tasks := func(yield func(int, error) bool) {
		_ = yield(1, nil) && yield(2, nil) && yield(0, errors.New("no third"))
	}
	var chunks []int
	err := ordered.Process(t.Context(), 2, tasks,
		func() ordered.Work[int, int] {
			return func(_ context.Context, task int, emit func(int) error) error { return emit(task) }
		},
		func(chunk int) error { chunks = append(chunks, chunk); return nil })
	require.EqualError(t, err, "no third")
	require.Equal(t, []int{1, 2}, chunks)
}

func TestConsumerErrorEndsAll(t *testing.T) {
	var active atomic.Int32
	stop := errors.New("full")
	err := ordered.Process(t.Context(), 3, count(1000),
		func() ordered.Work[int, int] {
			return func(_ context.Context, task int, emit func(int) error) error {
				active.Add(1)
				defer active.Add(-1)
				return emit(task)
			}
		},
		func(int) error { return stop })
	require.ErrorIs(t, err, stop)
	require.Zero(t, active.Load(), "work goes on after Process has returned")
}

func TestCancellationEndsAll(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	err := ordered.Process(ctx, 2, count(1_000_000),
		func() ordered.Work[int, int] {
			return func(_ context.Context, task int, emit func(int) error) error { return emit(task) }
		},
		func(chunk int) error {
			if chunk == 10 {
				cancel()
			}
			return nil
		})
	require.ErrorIs(t, err, context.Canceled)
}
