package weka

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"slices"

	"github.com/cespare/xxhash/v2"

	"tracekit/formats"
	"tracekit/graph"
	"tracekit/internal/ordered"
	"tracekit/internal/semantics"
)

// Trace is a corpus whose documents have all been checked by themselves. It
// keeps a few dozen bytes for each play.
type Trace struct {
	opts   Options
	files  []sourceFile
	plays  []playFact
	facts  Facts
	models modelSet
	basis  Basis
	source graph.Source

	bytes     int64 // of all documents
	blockSize uint64
	required  modelSet // models that the one-model rule counts
	nested    bool
	witness   bool

	errors formats.Errors // what KeepGoing has collected
	failed string         // file of the last of them
}

// playFact is where a document lies, and how to know it again.
type playFact struct {
	file, index  int32
	line, column int32
	offset, size int64
	hash         uint64 // of its text
}

// Open lists the corpus at path, reads all of it once, checks every document
// by itself and settles the timestamp basis. Errors about the input are
// [*formats.Error], or [*formats.Errors] with Options.KeepGoing.
func Open(ctx context.Context, path string, opts Options) (*Trace, error) {
	files, err := list(path)
	if err != nil {
		return nil, err
	}
	t := &Trace{opts: opts, files: files}
	if opts.OnListed != nil {
		var bytes int64
		for _, f := range files {
			bytes += f.size
		}
		opts.OnListed(len(files), bytes)
	}
	digest := newCorpusHash()
	err = ordered.Process(ctx, opts.Jobs, t.documents(ctx, digest),
		func() ordered.Work[rawDocument, verdict] {
			var w checkWorker
			return func(_ context.Context, raw rawDocument, emit func(verdict) error) error {
				return emit(w.check(t, raw))
			}
		},
		t.admit)
	if err == nil || t.full() {
		err = t.collected()
	}
	if err != nil {
		return nil, err
	}
	t.basis = opts.resolve(t.nested, t.witness)
	if opts.Repairs.NestedClock && opts.Basis == BasisUnset && !opts.Semantics.NestedBasisDetected() && t.basis == BasisRelative {
		t.facts.Mends.NestedClock = t.facts.NestedRequests
	}
	t.source = graph.Source{Format: "weka", Digest: digest.sourceDigest(t.basis)}
	slices.Sort(t.models)
	return t, nil
}

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

func (t *Trace) place(fact playFact, text []byte) place {
	return place{
		file: t.files[fact.file].path, name: t.documentName(int(fact.file), int(fact.index)),
		text: text, line: int(fact.line), column: int(fact.column),
	}
}

// collect keeps an error of a file and tells whether to go on. Of each file
// only the first is kept.
func (t *Trace) collect(file string, err error) bool {
	if !t.opts.KeepGoing {
		return false
	}
	var input *formats.Error
	if !errors.As(err, &input) && !errors.Is(err, formats.ErrChanged) {
		return false // a cancellation, for instance
	}
	if file != t.failed {
		t.errors.All, t.failed = append(t.errors.All, err), file
	}
	return !t.full()
}

// full tells whether as many errors were collected as there may be.
func (t *Trace) full() bool { return len(t.errors.All) >= max(t.opts.MaxErrors, 1) }

// collected returns what was collected as one error, and forgets it.
func (t *Trace) collected() error {
	all := t.errors
	all.Stopped = t.full()
	t.errors, t.failed = formats.Errors{}, ""
	if len(all.All) == 0 {
		return nil
	}
	return &all
}

// text reads a document again.
func (t *Trace) text(fact playFact) (text []byte, release func(), err error) {
	path := t.files[fact.file].path
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, &formats.Error{File: path, Found: "cannot be opened: " + cause(err)}
	}
	defer file.Close()
	stat, err := file.Stat()
	if err != nil {
		return nil, nil, &formats.Error{File: path, Found: "cannot be read: " + cause(err)}
	}
	if stat.Size() != t.files[fact.file].size {
		return nil, nil, formats.ChangedError(path)
	}
	text, release = buffer(int(fact.size))
	_, err = file.ReadAt(text, fact.offset)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		release()
		return nil, nil, &formats.Error{File: path, Found: "cannot be read: " + cause(err)}
	case err != nil || xxhash.Sum64(text) != fact.hash:
		release()
		return nil, nil, formats.ChangedError(path)
	}
	return text, release, nil
}

// Files returns the number of files of the corpus.
func (t *Trace) Files() int { return len(t.files) }

// Bytes returns the size of all documents, which each reading reads again.
func (t *Trace) Bytes() int64 { return t.bytes }

// Has tells whether a file is one of the corpus, under whatever name.
func (t *Trace) Has(file fs.FileInfo) bool {
	for _, f := range t.files {
		if info, err := os.Stat(f.path); err == nil && os.SameFile(info, file) {
			return true
		}
	}
	return false
}

// Facts returns what the documents say.
func (t *Trace) Facts() Facts { return t.facts }

// Basis returns the resolved timestamp basis.
func (t *Trace) Basis() Basis { return t.basis }

// Source returns the format and the digest of the corpus (weka.md 13).
func (t *Trace) Source() graph.Source { return t.source }

// BlockSize returns the tokens of one block.
func (t *Trace) BlockSize() uint64 { return t.blockSize }

// Close does nothing: files are open only while they are read.
func (t *Trace) Close() error { return nil }

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

// LoweringErrors lowers all plays in corpus order only to find those that
// cannot be: the first, or with Options.KeepGoing the first of each file. It
// returns nil if there is none.
func (t *Trace) LoweringErrors(ctx context.Context) error {
	remaining := t.CorpusOrder()
	for len(remaining) > 0 {
		done := 0
		err := Lower(ctx, t, remaining,
			func() func(*Lowered, func(struct{}) error) error {
				return func(_ *Lowered, emit func(struct{}) error) error { return emit(struct{}{}) }
			},
			func(struct{}) error { done++; return nil })
		if err == nil {
			break
		}
		if !t.collect(t.files[t.plays[remaining[done]].file].path, err) {
			if !t.full() {
				return err
			}
			break
		}
		remaining = remaining[done+1:]
	}
	return t.collected()
}

// chunkSize is how many bytes workers gather before they hand them on.
const chunkSize = 1 << 18

// canonicalChunk is a piece of the canonical bytes of a play; the last piece
// of each carries its counts.
type canonicalChunk struct {
	text   *[]byte
	counts graph.Summary
}

// Summary reads the corpus again in canonical order and computes its
// identity.
func (t *Trace) Summary(ctx context.Context) (graph.Summary, error) {
	total := graph.Summary{Identity: graph.Identity{Source: t.source, BlockSize: t.blockSize, Models: t.models, Plays: len(t.plays)}}
	digest := graph.NewDigest(t.blockSize)
	chunks := ordered.NewChunks(chunkSize)
	err := Lower(ctx, t, t.canonicalOrder(),
		func() func(*Lowered, func(canonicalChunk) error) error {
			var encoder graph.Encoder
			return func(p *Lowered, emit func(canonicalChunk) error) error {
				counts := graph.Summary{Sessions: p.Sessions}
				text := chunks.Get()
				for node := range p.Nodes {
					counts.Count(node)
					*text = encoder.Append(*text, node)
					if chunks.Full(text) {
						if err := emit(canonicalChunk{text: text}); err != nil {
							return err
						}
						text = chunks.Get()
					}
				}
				return emit(canonicalChunk{text, counts})
			}
		},
		func(c canonicalChunk) error {
			_, err := digest.Write(*c.text)
			chunks.Put(c.text)
			total.AddCounts(c.counts)
			return err
		})
	if err != nil {
		if first := t.LoweringErrors(ctx); first != nil {
			err = first
		}
		return total, err
	}
	total.GraphDigest = digest.Sum()
	return total, nil
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
