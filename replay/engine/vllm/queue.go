package vllm

// queue is the waiting requests, first to last. Both ends are cheap.
type queue struct {
	items []*sequence
	head  int
}

func (q *queue) len() int             { return len(q.items) - q.head }
func (q *queue) at(i int) *sequence   { return q.items[q.head+i] }
func (q *queue) pushBack(s *sequence) { q.items = append(q.items, s) }

func (q *queue) pushFront(s *sequence) {
	if q.head == 0 {
		room := len(q.items)/2 + 8
		moved := make([]*sequence, room+len(q.items))
		copy(moved[room:], q.items)
		q.items, q.head = moved, room
	}
	q.head--
	q.items[q.head] = s
}

func (q *queue) popFront() *sequence {
	s := q.items[q.head]
	q.items[q.head] = nil
	q.head++
	if q.head == len(q.items) {
		q.items, q.head = q.items[:0], 0
	} else if q.head > 1024 && q.head > len(q.items)/2 {
		n := copy(q.items, q.items[q.head:])
		clear(q.items[n:])
		q.items, q.head = q.items[:n], 0
	}
	return s
}
