package weka

import (
	"context"
	"io/fs"
	"os"
	"slices"

	"tracekit/formats"
	"tracekit/graph"
	"tracekit/internal/ordered"
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
