package report

import (
	"cmp"
	"slices"
	"strings"
)

// archive keeps records for the rows. It grows by blocks, so that a million
// records are never copied, and holds what has no pointers apart, so that the
// garbage collector passes it by.
type archive struct {
	records    blocks[Record]
	admissions blocks[Admission]
	routing    blocks[Routing]
}

// add copies a record.
func (a *archive) add(r *Record) {
	kept := &a.records.take(1)[0]
	*kept = *r
	kept.Admissions = a.admissions.copy(r.Admissions)
	kept.Routing = a.routing.copy(r.Routing)
}

// sorted returns the records in the order of rows: by request id, those
// without one first, then by arrival, then in the order of creation.
func (a *archive) sorted() []*Record {
	all := make([]*Record, 0, a.records.len())
	for _, block := range a.records.filled {
		for i := range block {
			all = append(all, &block[i])
		}
	}
	slices.SortFunc(all, func(a, b *Record) int {
		return cmp.Or(strings.Compare(a.requestID(), b.requestID()),
			cmp.Compare(a.ArrivalMs, b.ArrivalMs), cmp.Compare(a.Ordinal, b.Ordinal))
	})
	return all
}

// requestID returns the authored id, empty if there is none.
func (r *Record) requestID() string {
	if r.Agentic == nil {
		return ""
	}
	return r.Agentic.RequestID
}

// blockLen is the number of elements of a block.
const blockLen = 4096

// blocks is a growing list of slices whose elements stay where they are.
type blocks[T any] struct {
	filled [][]T
}

// take returns n new elements in one piece.
func (b *blocks[T]) take(n int) []T {
	last := len(b.filled) - 1
	if last < 0 || cap(b.filled[last])-len(b.filled[last]) < n {
		b.filled = append(b.filled, make([]T, 0, max(n, blockLen)))
		last++
	}
	block := b.filled[last]
	b.filled[last] = block[:len(block)+n]
	return b.filled[last][len(block) : len(block)+n : len(block)+n]
}

// copy returns a copy of the elements that stays where it is.
func (b *blocks[T]) copy(from []T) []T {
	if len(from) == 0 {
		return nil
	}
	to := b.take(len(from))
	copy(to, from)
	return to
}

func (b *blocks[T]) len() (n int) {
	for _, block := range b.filled {
		n += len(block)
	}
	return n
}
