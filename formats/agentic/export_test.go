package agentic

import (
	"context"

	"tracekit/formats"
)

// OpenInBlocks is Open with blocks of another size.
func OpenInBlocks(ctx context.Context, source *formats.Source, opts Options, blockSize int) (*Trace, error) {
	return open(ctx, source, opts, blockSize, randomHasher)
}

// OpenHashed is Open with hashers of the test's choice.
func OpenHashed(ctx context.Context, source *formats.Source, opts Options, newHasher func() func(string) uint64) (*Trace, error) {
	return open(ctx, source, opts, 1<<20, func() hasher { return newHasher() })
}
