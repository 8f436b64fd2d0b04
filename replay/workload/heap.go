package workload

// minHeap is a priority queue: what comes before all others is first.
type minHeap[T any] struct {
	items  []T
	before func(a, b T) bool
}

func (h *minHeap[T]) len() int { return len(h.items) }

// first returns the first item of a queue that is not empty.
func (h *minHeap[T]) first() T { return h.items[0] }

func (h *minHeap[T]) push(item T) {
	h.items = append(h.items, item)
	s := h.items
	for i := len(s) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h.before(s[i], s[parent]) {
			return
		}
		s[i], s[parent] = s[parent], s[i]
		i = parent
	}
}

func (h *minHeap[T]) pop() T {
	s := h.items
	last := len(s) - 1
	first := s[0]
	s[0] = s[last]
	s = s[:last]
	h.items = s
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			return first
		}
		if child+1 < last && h.before(s[child+1], s[child]) {
			child++
		}
		if !h.before(s[child], s[i]) {
			return first
		}
		s[i], s[child] = s[child], s[i]
		i = child
	}
}
