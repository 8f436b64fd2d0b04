package agentic

import (
	"context"
	"errors"
	"iter"

	"tracekit/formats"
	"tracekit/formats/jsonl"
	"tracekit/graph"
	"tracekit/internal/ordered"
)

// Plays reads the plays in play order: by ordinal if they have them, else by
// id (formats.md 4.4). A play belongs to the caller. Its hash ids and token
// ids are views of one copy of its rows. Errors are as those of
// [Trace.Nodes].
func (t *Trace) Plays(ctx context.Context) iter.Seq2[*graph.Play, error] {
	return func(yield func(*graph.Play, error) bool) {
		err := ordered.Process(ctx, t.opts.Jobs, t.playPieces(),
			func() ordered.Work[playPieces, sizedPlay] {
				p := t.newParser()
				p.copyStrings = true
				return func(_ context.Context, task playPieces, emit func(sizedPlay) error) error {
					play, err := t.readPlay(p, task)
					if err != nil {
						return err
					}
					return emit(sizedPlay{play, task.size})
				}
			},
			func(play sizedPlay) error {
				if !yield(play.Play, nil) {
					return errStop
				}
				t.progress(play.size)
				return nil
			})
		if err == nil {
			err = t.source.Unchanged()
		}
		if err != nil && !errors.Is(err, errStop) {
			yield(nil, err)
		}
	}
}

type sizedPlay struct {
	*graph.Play
	size int // bytes read for it
}

// playPieces is where the rows of a play lie.
type playPieces struct {
	pieces
	rows int
}

// playPieces yields them in play order.
func (t *Trace) playPieces() iter.Seq2[playPieces, error] {
	// The rows of each play together, by counting.
	firstOf := make([]int32, len(t.plays)+1)
	for i := range t.plays {
		firstOf[i+1] = firstOf[i] + t.plays[i].rows
	}
	rows := make([]int32, t.playOf.size)
	next := append([]int32(nil), firstOf...)
	for row := range rows {
		play := t.playOf.at(row)
		rows[next[play]] = int32(row)
		next[play]++
	}
	return func(yield func(playPieces, error) bool) {
		for _, play := range t.playOrder {
			own := rows[firstOf[play]:firstOf[play+1]]
			task := playPieces{rows: len(own)}
			for _, row := range own {
				task.add(t.offsets.at(int(row)), t.endOf(int(row)))
			}
			if !yield(task, nil) {
				return
			}
		}
	}
}

func (t *Trace) readPlay(p *parser, task playPieces) (*graph.Play, error) {
	text := make([]byte, task.size)
	if err := task.read(t.source, text); err != nil {
		return nil, err
	}
	b := batch{nodes: make([]graph.Node, 0, task.rows)}
	b.fill(p, jsonl.Block{Text: text})
	if b.problem != nil || len(b.nodes) != task.rows {
		return nil, formats.ChangedError(t.source.Name)
	}
	play, err := graph.NewPlay(b.nodes)
	if err != nil {
		return nil, formats.ChangedError(t.source.Name)
	}
	return play, nil
}
