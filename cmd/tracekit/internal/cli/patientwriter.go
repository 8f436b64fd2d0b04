package cli

import (
	"context"
	"io"
)

// patientWriter waits for a reader that has stopped reading, as a pager does,
// but no longer than the context lasts.
type patientWriter struct {
	ctx context.Context
	w   io.Writer
}

type written struct {
	n   int
	err error
}

// Write writes, or returns the cause of the context's end when that comes
// first. The write itself, which the system cannot be told to give up, is
// left behind then: p must not be changed any more.
func (p *patientWriter) Write(text []byte) (int, error) {
	done := make(chan written, 1)
	go func() {
		n, err := p.w.Write(text)
		done <- written{n, err}
	}()
	select {
	case result := <-done:
		return result.n, result.err
	case <-p.ctx.Done():
		return 0, context.Cause(p.ctx)
	}
}
