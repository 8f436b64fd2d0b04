package weka

import (
	"context"
	"errors"

	"tracekit/formats"
)

// collect keeps an error of a file and tells whether to go on. Of each file
// only the first is kept.
func (t *Trace) collect(file string, err error) bool {
	if !t.opts.KeepGoing {
		return false
	}
	var input *formats.Error
	if !errors.As(err, &input) && !errors.Is(err, formats.ErrChanged) {
		return false // a cancellation, for instance
	}
	if file != t.failed {
		t.errors.All, t.failed = append(t.errors.All, err), file
	}
	return !t.full()
}

// full tells whether as many errors were collected as there may be.
func (t *Trace) full() bool { return len(t.errors.All) >= max(t.opts.MaxErrors, 1) }

// collected returns what was collected as one error, and forgets it.
func (t *Trace) collected() error {
	all := t.errors
	all.Stopped = t.full()
	t.errors, t.failed = formats.Errors{}, ""
	if len(all.All) == 0 {
		return nil
	}
	return &all
}

// LoweringErrors lowers all plays in corpus order only to find those that
// cannot be: the first, or with Options.KeepGoing the first of each file. It
// returns nil if there is none.
func (t *Trace) LoweringErrors(ctx context.Context) error {
	remaining := t.CorpusOrder()
	for len(remaining) > 0 {
		done := 0
		err := Lower(ctx, t, remaining,
			func() func(*Lowered, func(struct{}) error) error {
				return func(_ *Lowered, emit func(struct{}) error) error { return emit(struct{}{}) }
			},
			func(struct{}) error { done++; return nil })
		if err == nil {
			break
		}
		if !t.collect(t.files[t.plays[remaining[done]].file].path, err) {
			if !t.full() {
				return err
			}
			break
		}
		remaining = remaining[done+1:]
	}
	return t.collected()
}
