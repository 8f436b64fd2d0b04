package corpus

import "strconv"

// idList is the id list of one stream as text, without brackets. From call to
// call most of a list stays, so most of its text is never printed again, only
// copied: that is what makes writing fast, as nearly all bytes of a corpus
// are ids.
type idList struct {
	text []byte
	ends []int // ends[i] is the length of the text up to and including id i
}

// move keeps the first blocks of the list and appends new ids from *next on.
func (l *idList) move(keep, add int, next *int) {
	l.truncate(keep)
	for range add {
		if len(l.text) > 0 {
			l.text = append(l.text, ',')
		}
		l.text = strconv.AppendInt(l.text, int64(*next), 10)
		l.ends = append(l.ends, len(l.text))
		*next++
	}
}

func (l *idList) truncate(n int) {
	l.ends = l.ends[:n]
	if n == 0 {
		l.text = l.text[:0]
	} else {
		l.text = l.text[:l.ends[n-1]]
	}
}

// copyFrom makes l equal to the first n ids of other.
func (l *idList) copyFrom(other *idList, n int) {
	l.ends = append(l.ends[:0], other.ends[:n]...)
	l.text = l.text[:0]
	if n > 0 {
		l.text = append(l.text, other.text[:other.ends[n-1]]...)
	}
}
