package agentic

import (
	"fmt"
	"slices"

	"tracekit/formats/jsonl"
	"tracekit/graph"
)

// checkEdges makes the checks 2 and 3 of formats.md 4.4 over the facts: every
// predecessor is another row of the same play, and the edges form no cycle.
func (f *facts) checkEdges() error {
	t := f.trace
	f.firstEdge.add(int32(f.edges.size))
	edgesOf := func(row int) (first, end int32) { return f.firstEdge.at(row), f.firstEdge.at(row + 1) }
	predecessors := make([]int32, f.edges.size)
	for _, run := range t.order {
		for row := run.first; row < run.end; row++ {
			first, end := edgesOf(int(row))
			for k := first; k < end; k++ {
				other, known := f.rowOf.find(f.edges.at(int(k)))
				if !known || other == row || t.playOf.at(int(other)) != t.playOf.at(int(row)) {
					return f.edgeError(int(row), int(k-first), int(other), known)
				}
				predecessors[k] = other
			}
		}
	}
	f.rowOf, f.edges = rowIndex{}, column[uint64]{} // no longer needed
	cycle := graph.FindCycle(t.offsets.size, func(row int) []int32 {
		first, end := edgesOf(row)
		return predecessors[first:end]
	})
	if cycle == nil {
		return nil
	}
	return f.cycleError(cycle)
}

// rowError makes the error of a rule that a row breaks as a part of the
// graph. Describe is given the row, read again, and says what is wrong.
func (t *Trace) rowError(row int, describe func(*rereadRow) (*jsonl.Problem, error)) error {
	line, err := t.lineOf(row)
	if err != nil {
		return err
	}
	r, err := t.reread(t.offsets.at(row))
	if err != nil {
		return err
	}
	p, err := describe(r)
	if err != nil {
		return err
	}
	p.Object = requestName(r.RequestID)
	return p.In(t.source.Name, line)
}

func (f *facts) edgeError(row, edge, other int, known bool) error {
	t := f.trace
	return t.rowError(row, func(r *rereadRow) (*jsonl.Problem, error) {
		predecessor := r.Dependencies[edge].Predecessor
		p := &jsonl.Problem{Offset: r.edgeAt[edge], Path: fmt.Sprintf("dependencies[%d].request_id", edge), Rule: "an edge names another request of the same play"}
		switch {
		case !known:
			p.Found = fmt.Sprintf("no request has the id %q", predecessor)
		case other == row:
			p.Found = "the request names itself as its predecessor"
		default:
			line, err := t.lineOf(other)
			if err != nil {
				return nil, err
			}
			p.Found = fmt.Sprintf("the request %q on line %d belongs to play %q, this one to %q", predecessor, line, t.plays[t.playOf.at(other)].id, r.PlayID)
		}
		return p, nil
	})
}

func (f *facts) cycleError(cycle []int) error {
	t := f.trace
	ids := make([]string, 0, len(cycle))
	for _, row := range cycle {
		id, err := t.requestID(row)
		if err != nil {
			return err
		}
		ids = append(ids, id)
	}
	// The request with the least id begins, whatever the order of the file.
	least := slices.Index(ids, slices.Min(ids))
	broken := graph.CycleError(slices.Concat(ids[least:], ids[:least]))
	return t.rowError(cycle[least], func(r *rereadRow) (*jsonl.Problem, error) {
		return &jsonl.Problem{Offset: r.fields.At(fieldDependencies), Path: broken.Path, Found: broken.Found, Rule: broken.Rule}, nil
	})
}

// checkOrdinals makes check 5 of formats.md 4.4. (Check 4, that every play
// has a root, follows from 3.)
func (t *Trace) checkOrdinals() error {
	const (
		same  = "all rows of a play have the same ordinal, or none"
		all   = "either all plays have ordinals or none"
		exact = "the ordinals of the plays are 0, 1, 2 and so on, each once"
	)
	var first *playFacts // the first play with an ordinal
	for i := range t.plays {
		p := &t.plays[i]
		if p.otherRow != 0 {
			return t.ordinalError(p.otherRow, p, "differs from that of line %d, of the same play", same)
		}
		if first == nil && p.hasOrdinal {
			first = p
		}
	}
	if first == nil {
		return nil
	}
	holder := make([]*playFacts, len(t.plays))
	for i := range t.plays {
		p := &t.plays[i]
		switch {
		case !p.hasOrdinal:
			return t.ordinalError(p.firstRow, first, "is missing, while line %d has one", all)
		case p.ordinal >= uint64(len(t.plays)):
			return t.ordinalError(p.firstRow, nil, fmt.Sprintf("is %d in a file of %d plays", p.ordinal, len(t.plays)), exact)
		case holder[p.ordinal] != nil:
			return t.ordinalError(p.firstRow, holder[p.ordinal], "is that of line %d too, of another play", exact)
		}
		holder[p.ordinal] = p
	}
	return nil
}

// ordinalError says what is wrong with the ordinal of a row. Found may name
// the line of the first row of another play.
func (t *Trace) ordinalError(row int32, other *playFacts, found, rule string) error {
	return t.rowError(int(row), func(r *rereadRow) (*jsonl.Problem, error) {
		if other != nil {
			line, err := t.lineOf(int(other.firstRow))
			if err != nil {
				return nil, err
			}
			found = fmt.Sprintf(found, line)
		}
		return &jsonl.Problem{Offset: r.fields.At(fieldOrdinal), Path: fieldNames[fieldOrdinal], Found: "the ordinal " + found, Rule: rule}, nil
	})
}
