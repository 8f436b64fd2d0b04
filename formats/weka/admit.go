package weka

import (
	"bytes"
	"errors"
	"fmt"
	"slices"

	"github.com/cespare/xxhash/v2"

	"tracekit/formats"
	"tracekit/internal/semantics"
)

// verdict is what a worker says of one document.
type verdict struct {
	fact    playFact
	checked checked
	err     error
}

// checkWorker parses and checks documents.
type checkWorker struct {
	parser  parser
	checker checker
}

func (w *checkWorker) check(t *Trace, raw rawDocument) (v verdict) {
	if raw.failure != nil {
		return verdict{fact: playFact{file: int32(raw.file)}, err: raw.failure}
	}
	defer raw.release()
	v.fact = playFact{
		file: int32(raw.file), index: int32(raw.index), line: int32(raw.line), column: int32(raw.column),
		offset: raw.offset, size: int64(len(raw.text)), hash: xxhash.Sum64(raw.text),
	}
	pl := t.place(v.fact, raw.text)
	doc, problem := w.parser.parseOnly(t.opts, pl)
	if problem == nil {
		v.checked, problem = w.checker.check(t.opts, pl, doc)
	}
	if problem != nil {
		v.err = problem
	}
	return v
}

// parseOnly parses a text that must hold one document and no more.
func (p *parser) parseOnly(opts Options, pl place) (*document, *formats.Error) {
	doc, err := p.parse(pl.text, opts.Semantics.TwoStepDecimals())
	if err != nil {
		if len(bytes.TrimLeft(pl.text, " \t\r\n")) == 0 {
			var empty *formats.Error
			errors.As(emptyFileError(pl.file), &empty)
			return nil, empty
		}
		return nil, formats.WithPosition(pl.file, pl.line, pl.column, pl.text, err)
	}
	if !p.cursor.AtEnd() {
		return nil, pl.problem(p.cursor.Offset(), fmt.Sprintf("play %q", doc.id), "", "something follows the document",
			"a .json file holds exactly one object", "name the file .jsonl if it holds several documents")
	}
	return doc, nil
}

// admit takes verdicts in corpus order and applies the rules that span
// documents.
func (t *Trace) admit(v verdict) error {
	t.countPlay()
	if v.err == nil {
		v.err = t.corpusRules(v)
	}
	if v.err != nil {
		if t.collect(t.files[v.fact.file].path, v.err) {
			return nil
		}
		return v.err
	}
	t.plays = append(t.plays, v.fact)
	t.bytes += v.fact.size
	t.facts.add(v.checked.facts)
	for _, m := range v.checked.models {
		t.models.add(m)
	}
	t.nested = t.nested || v.checked.nested
	t.witness = t.witness || v.checked.witness
	return nil
}

func (t *Trace) countPlay() {
	if t.opts.OnPlay != nil {
		t.opts.OnPlay()
	}
}

func (t *Trace) corpusRules(v verdict) error {
	if t.blockSize == 0 {
		t.blockSize = v.checked.blockSize
	}
	if t.blockSize != v.checked.blockSize {
		return t.explain(v.fact, func(c *checker) *formats.Error {
			return c.place.problem(c.doc.blockSizeAt, fmt.Sprintf("play %q", c.doc.id), "block_size",
				fmt.Sprintf("found %d where the corpus began with %d", c.doc.blockSize, t.blockSize), "one block size holds for a whole corpus", "convert such files apart")
		})
	}
	for _, m := range v.checked.required {
		if t.opts.Semantics.OneModelPerCorpus() && len(t.required) > 0 && t.required[0] != m {
			return t.explain(v.fact, func(c *checker) *formats.Error { return c.secondModel(t.required[0]) })
		}
		t.required.add(m)
	}
	return nil
}

// secondModel is the error for the first request that uses another model
// than the corpus began with.
func (c *checker) secondModel(first string) *formats.Error {
	return c.doc.each(func(w where, r *request) *formats.Error {
		if r.model == first || len(c.doc.models) > 0 && !slices.Contains(c.doc.models, r.model) {
			return nil
		}
		return c.place.problem(r.offset, c.object(w), w.path("model"), fmt.Sprintf("found the model %q where the corpus began with %q", r.model, first),
			"all requests of a corpus use one model", "convert such files apart, or pass "+semantics.ProgramHint())
	})
}

// explain reads a document again to tell what is wrong with it.
func (t *Trace) explain(fact playFact, tell func(*checker) *formats.Error) error {
	text, release, err := t.text(fact)
	if err != nil {
		return err
	}
	defer release()
	var p parser
	pl := t.place(fact, text)
	doc, problem := p.parseOnly(t.opts, pl)
	if problem != nil {
		return problem
	}
	return tell(&checker{opts: t.opts, place: pl, doc: doc})
}
