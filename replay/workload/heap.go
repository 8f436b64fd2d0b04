package workload

// minHeap is a priority queue whose least item comes first. Items compare
// with each other.
type minHeap[T interface{ before(T) bool }] []T

func (h *minHeap[T]) push(item T) {
	*h = append(*h, item)
	s := *h
	for i := len(s) - 1; i > 0; {
		parent := (i - 1) / 2
		if !s[i].before(s[parent]) {
			return
		}
		s[i], s[parent] = s[parent], s[i]
		i = parent
	}
}

func (h *minHeap[T]) pop() T {
	s := *h
	last := len(s) - 1
	first := s[0]
	s[0] = s[last]
	s = s[:last]
	*h = s
	for i := 0; ; {
		child := 2*i + 1
		if child >= last {
			return first
		}
		if child+1 < last && s[child+1].before(s[child]) {
			child++
		}
		if !s[child].before(s[i]) {
			return first
		}
		s[i], s[child] = s[child], s[i]
		i = child
	}
}
