package agentic

import (
	"cmp"
	"slices"
	"strings"
)

// rowRun is consecutive rows of the file, in whose order they come.
type rowRun struct{ first, end int32 }

// orderFinder finds the canonical order of rows, which is that of their ids,
// while they pass in file order, without keeping the ids. Files mostly come
// in canonical order as a whole, or as one run of ascending ids for each play,
// one prefix each: of a run it keeps the ends, which tell whether runs overlap.
type orderFinder struct {
	last      []byte // id of the row before
	unordered bool   // the ids do not ascend over the whole file
	runs      []idRun
	lost      bool // there were too many runs to be worth keeping
}

type idRun struct {
	rowRun
	firstID, lastID string // lastID is set when the run has ended
}

// fewRuns is how many runs are kept in any case.
const fewRuns = 1024

// add takes in the next row. SamePlay tells that it belongs to the play of
// the row before.
func (o *orderFinder) add(row int32, id string, samePlay bool) {
	ascends := row == 0 || id > string(o.last)
	o.unordered = o.unordered || !ascends
	switch {
	case o.lost:
	case len(o.runs) > 0 && ascends && samePlay:
		o.runs[len(o.runs)-1].end = row + 1
	case len(o.runs) > fewRuns+int(row/8):
		o.runs, o.lost = nil, true
	default:
		o.endRun()
		o.runs = append(o.runs, idRun{rowRun: rowRun{row, row + 1}, firstID: strings.Clone(id)})
	}
	o.last = append(o.last[:0], id...)
}

func (o *orderFinder) endRun() {
	if len(o.runs) > 0 {
		o.runs[len(o.runs)-1].lastID = string(o.last)
	}
}

// find returns all rows in canonical order. Runs that do not overlap only
// need to be sorted. Otherwise the ids of all rows are read again, by
// requestID, and held in memory while they are sorted.
func (o *orderFinder) find(rows int, requestID func(row int) (string, error)) ([]rowRun, error) {
	if !o.unordered {
		return []rowRun{{0, int32(rows)}}, nil
	}
	o.endRun()
	slices.SortFunc(o.runs, func(a, b idRun) int { return cmp.Compare(a.firstID, b.firstID) })
	overlap := o.lost
	for i := 1; i < len(o.runs) && !overlap; i++ {
		overlap = o.runs[i-1].lastID > o.runs[i].firstID
	}
	if overlap {
		o.runs = nil
		return sortRows(rows, requestID)
	}
	order := make([]rowRun, 0, len(o.runs))
	for _, r := range o.runs {
		order = append(order, r.rowRun)
	}
	return order, nil
}

func sortRows(rows int, requestID func(row int) (string, error)) ([]rowRun, error) {
	type named struct {
		id  string
		row int32
	}
	all := make([]named, 0, rows)
	for row := range rows {
		id, err := requestID(row)
		if err != nil {
			return nil, err
		}
		all = append(all, named{id, int32(row)})
	}
	slices.SortFunc(all, func(a, b named) int { return cmp.Compare(a.id, b.id) })
	var order []rowRun
	for _, r := range all {
		if last := len(order) - 1; last >= 0 && order[last].end == r.row {
			order[last].end++
		} else {
			order = append(order, rowRun{r.row, r.row + 1})
		}
	}
	return order, nil
}

// sortPlays returns the plays in play order: by ordinal if they have them,
// else by id.
func (t *Trace) sortPlays() []int32 {
	order := make([]int32, len(t.plays))
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int {
		p, q := &t.plays[a], &t.plays[b]
		return cmp.Or(cmp.Compare(p.ordinal, q.ordinal), strings.Compare(p.id, q.id))
	})
	return order
}
