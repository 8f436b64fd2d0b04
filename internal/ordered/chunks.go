package ordered

import "sync"

// Chunks lends out byte slices of about one size, so that what workers
// produce and a consumer takes needs no new memory for each chunk.
type Chunks struct {
	size int
	pool sync.Pool
}

// NewChunks makes a lender of chunks that are handed on when they have
// reached size bytes.
func NewChunks(size int) *Chunks { return &Chunks{size: size} }

// Full tells whether a chunk is to be handed on.
func (c *Chunks) Full(chunk *[]byte) bool { return len(*chunk) >= c.size }

// Get returns an empty chunk.
func (c *Chunks) Get() *[]byte {
	if chunk, ok := c.pool.Get().(*[]byte); ok {
		*chunk = (*chunk)[:0]
		return chunk
	}
	chunk := make([]byte, 0, 2*c.size)
	return &chunk
}

// Put takes a chunk back. One that an item of unusual length has grown is
// left to the garbage collector.
func (c *Chunks) Put(chunk *[]byte) {
	if cap(*chunk) <= 8*c.size {
		c.pool.Put(chunk)
	}
}
