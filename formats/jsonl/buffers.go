package jsonl

import (
	"context"
	"sync"
)

// Buffers lends buffers for blocks and bounds how many bytes are lent at a
// time, so that a reader cannot run away from slow workers: no more than its
// limit, or a single buffer that is larger. It serves one borrower; buffers
// may be given back from any goroutine.
type Buffers struct {
	usual int   // size of an ordinary buffer
	limit int64 // bytes lent at a time

	mu     sync.Mutex
	lent   int64
	free   [][]byte
	large  []byte        // the one larger buffer that is kept
	change chan struct{} // holds a token when a buffer has come back
}

// NewBuffers makes an empty stock: buffers of up to usual bytes are kept for
// use again, and so is one larger than that.
func NewBuffers(usual int, limit int64) *Buffers {
	return &Buffers{usual: usual, limit: limit, change: make(chan struct{}, 1)}
}

// Get lends a buffer of that length, whose content is arbitrary. It waits
// until the limit allows it. What is lent must come back by Put, or the
// context must end, or Get may wait forever.
func (b *Buffers) Get(ctx context.Context, size int) ([]byte, error) {
	for {
		if buffer, ok := b.tryGet(size); ok {
			return buffer, nil
		}
		select {
		case <-b.change:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
}

func (b *Buffers) tryGet(size int) ([]byte, bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lent > 0 && b.lent+int64(max(size, b.usual)) > b.limit {
		return nil, false
	}
	var buffer []byte
	switch last := len(b.free) - 1; {
	case size > b.usual:
		if buffer, b.large = b.large, nil; cap(buffer) < size {
			buffer = make([]byte, size)
		}
	case last >= 0:
		buffer, b.free = b.free[last], b.free[:last]
	default:
		buffer = make([]byte, b.usual)
	}
	b.lent += int64(cap(buffer))
	return buffer[:size], true
}

// Put takes back a buffer that Get has lent. The caller must not use it any
// more.
func (b *Buffers) Put(buffer []byte) {
	b.mu.Lock()
	b.lent -= int64(cap(buffer))
	if cap(buffer) > b.usual {
		b.large = buffer
	} else {
		b.free = append(b.free, buffer)
	}
	b.mu.Unlock()
	select {
	case b.change <- struct{}{}:
	default:
	}
}
