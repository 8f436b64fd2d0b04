package weka

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"slices"

	"tracekit/graph"
	"tracekit/internal/ordered"
)

// CorpusOrder returns the ordinals of all plays in corpus order.
func (t *Trace) CorpusOrder() []int {
	order := make([]int, len(t.plays))
	for i := range order {
		order[i] = i
	}
	return order
}

// canonicalOrder returns the ordinals of all plays in the order of their
// request ids, which begin with a name of the play's own.
func (t *Trace) canonicalOrder() []int {
	names := make([]string, len(t.plays))
	for i, fact := range t.plays {
		names[i] = namespaceOf(t.documentName(int(fact.file), int(fact.index)))
	}
	order := t.CorpusOrder()
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(names[a], names[b]) })
	return order
}

// Lowered is a play during lowering. It is valid only while the function that
// was given it runs.
type Lowered struct {
	Ordinal  int // place in the corpus
	Sessions int
	lowerer  *lowerer
}

// Nodes calls yield with each node in the order of request ids until it
// returns false. A node's hash ids are valid until the next node.
func (p *Lowered) Nodes(yield func(*graph.Node) bool) {
	for i, c := range p.lowerer.order {
		node := &p.lowerer.nodes[i]
		node.HashIDs = p.lowerer.hashIDs(c)
		if !yield(node) {
			return
		}
	}
}

// Play returns the play for good: it stays valid.
func (p *Lowered) Play() *graph.Play {
	l := p.lowerer
	for i, c := range l.order {
		l.nodes[i].HashIDs = l.hashIDs(c)
		l.tail = nil // it now belongs to the node
	}
	play := l.play
	// Leave to the play what it refers to.
	l.nodes, l.play, l.blocks.buffers = nil, nil, nil
	return play
}

// Lower reads the plays of these ordinals again, lowers them in parallel and
// hands each to a worker's function; what these emit reaches consume in the
// order of the ordinals. The first error in that order ends everything.
func Lower[C any](ctx context.Context, t *Trace, order []int, newWorker func() func(p *Lowered, emit func(C) error) error, consume func(C) error) error {
	tasks := func(yield func(int, error) bool) {
		for _, ordinal := range order {
			if !yield(ordinal, nil) {
				return
			}
		}
	}
	return ordered.Process(ctx, t.opts.Jobs, tasks,
		func() ordered.Work[int, C] {
			p := new(parser)
			l := &lowerer{twoStep: t.opts.Semantics.TwoStepDecimals()}
			work := newWorker()
			return func(_ context.Context, ordinal int, emit func(C) error) error {
				fact := t.plays[ordinal]
				text, release, err := t.text(fact)
				if err != nil {
					return err
				}
				defer release()
				if t.opts.OnBytes != nil {
					t.opts.OnBytes(len(text))
				}
				pl := t.place(fact, text)
				doc, problem := p.parseOnly(t.opts, pl)
				if problem == nil {
					problem = l.lower(pl, doc, ordinal, t.basis)
				}
				if problem != nil {
					return problem
				}
				t.countPlay()
				return work(&Lowered{Ordinal: ordinal, Sessions: len(l.streams), lowerer: l}, emit)
			}
		}, consume)
}

// Nodes reads the corpus again and gives all nodes in canonical order. A node
// is valid until the next is drawn.
func (t *Trace) Nodes(ctx context.Context) iter.Seq2[*graph.Node, error] {
	return func(yield func(*graph.Node, error) bool) {
		for play, err := range t.playsIn(ctx, t.canonicalOrder()) {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range play.Nodes {
				if !yield(&play.Nodes[i], nil) {
					return
				}
			}
		}
	}
}

// Plays reads the corpus again and gives all plays in corpus order. A play is
// the caller's.
func (t *Trace) Plays(ctx context.Context) iter.Seq2[*graph.Play, error] {
	return t.playsIn(ctx, t.CorpusOrder())
}

// errEnough ends a sequence that its consumer has left.
var errEnough = errors.New("enough")

func (t *Trace) playsIn(ctx context.Context, order []int) iter.Seq2[*graph.Play, error] {
	return func(yield func(*graph.Play, error) bool) {
		err := Lower(ctx, t, order,
			func() func(*Lowered, func(*graph.Play) error) error {
				return func(p *Lowered, emit func(*graph.Play) error) error { return emit(p.Play()) }
			},
			func(p *graph.Play) error {
				if !yield(p, nil) {
					return errEnough
				}
				return nil
			})
		if err != nil && !errors.Is(err, errEnough) {
			yield(nil, err)
		}
	}
}
