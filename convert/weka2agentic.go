package convert

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/cespare/xxhash/v2"

	"tracekit/formats"
	"tracekit/formats/agentic"
	"tracekit/formats/weka"
	"tracekit/graph"
	"tracekit/internal/atomicfile"
	"tracekit/internal/ordered"
)

// WekaOptions tell how a Weka corpus is converted.
type WekaOptions struct {
	Input     string // file or directory
	Output    string // file, or "-" for Stdout
	Overwrite bool   // an existing output may be replaced
	Stdout    io.Writer
	Weka      weka.Options
	// OnStage, if set, is told when a stage begins, and how many bytes it will
	// report to Weka.OnBytes.
	OnStage func(stage Stage, bytes int64)
}

// Stage is a part of a conversion, for progress.
type Stage string

// Stages of a conversion.
const (
	StageCheck   Stage = "checking"
	StageConvert Stage = "converting"
	StageVerify  Stage = "verifying"
)

// WekaResult tells what was converted.
type WekaResult struct {
	graph.Summary
	Facts        weka.Facts
	Basis        weka.Basis
	Files        int
	BytesRead    int64 // of the corpus, once
	BytesWritten int64
	Verified     bool // what was written reads back as the same graph
}

// Weka converts a Weka corpus to an agentic_mooncake v2 file (weka.md).
//
// It writes beside the output, reads back what it wrote with the format's own
// reader, and only then puts it in place: the fingerprints of all plays as
// lowered and as read must agree, and the digest is that of what was read.
// With output "-" a nameless spool takes the place of the file, and is copied
// out when it has been verified.
func Weka(ctx context.Context, opts WekaOptions) (result WekaResult, err error) {
	if opts.OnStage == nil {
		opts.OnStage = func(Stage, int64) {}
	}
	if err := apart(opts.Input, opts.Output); err != nil {
		return result, err
	}
	out, err := openOutput(opts)
	if err != nil {
		return result, err
	}
	defer func() {
		if err != nil {
			out.discard()
		}
	}()

	opts.OnStage(StageCheck, 0)
	corpus, err := weka.Open(ctx, opts.Input, opts.Weka)
	if err != nil {
		return result, err
	}
	if target, err := os.Stat(opts.Output); opts.Output != "-" && err == nil && corpus.Has(target) {
		return result, outputIsInput(opts.Output)
	}
	result.Facts, result.Basis, result.Files = corpus.Facts(), corpus.Basis(), corpus.Files()
	result.BytesRead = corpus.Bytes()

	opts.OnStage(StageConvert, corpus.Bytes())
	prints, written, err := writeRows(ctx, corpus, out)
	if err != nil {
		return result, firstOf(corpus.LoweringErrors(ctx), err)
	}
	result.BytesWritten = written

	opts.OnStage(StageVerify, 2*written)
	// Reading back needs the bytes only in memory: let the disk work meanwhile.
	synced := make(chan error, 1)
	go func() { synced <- out.sync() }()
	result.Summary, err = verifyWritten(ctx, corpus, out.file, opts, prints)
	if err := firstOf(err, <-synced); err != nil {
		return result, err
	}
	result.Verified = true
	return result, out.publish(opts.Stdout, written)
}

// firstOf returns the first error that is one.
func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// apart refuses an output that is the input. Files that cannot be looked at
// are no matter: opening them will tell.
func apart(input, output string) error {
	if output == "-" {
		return nil
	}
	in, inErr := os.Stat(input)
	out, outErr := os.Stat(output)
	if inErr == nil && outErr == nil && os.SameFile(in, out) {
		return outputIsInput(output)
	}
	return nil
}

func outputIsInput(output string) error {
	return &formats.UsageError{Problem: fmt.Sprintf("the output %s is the input, or a file of it", output), Remedy: "name another file with --output"}
}

// rowChunk is a piece of the rows of a play; its last piece carries the
// play's fingerprint.
type rowChunk struct {
	text  *[]byte
	last  bool
	print uint64
}

const chunkSize = 1 << 18

// writeRows writes header and rows (weka.md 12) and returns the fingerprints
// of the plays in corpus order, and the bytes written.
func writeRows(ctx context.Context, corpus *weka.Trace, w io.Writer) (prints []uint64, written int64, err error) {
	header := agentic.AppendHeader(nil, agentic.Header{BlockSize: corpus.BlockSize(), Source: corpus.Source()})
	n, err := w.Write(header)
	if err != nil {
		return nil, 0, err
	}
	written = int64(n)
	chunks := ordered.NewChunks(chunkSize)
	err = weka.Lower(ctx, corpus, corpus.CorpusOrder(),
		func() func(*weka.Lowered, func(rowChunk) error) error {
			var prints graph.Fingerprinter
			return func(p *weka.Lowered, emit func(rowChunk) error) error {
				var print uint64
				text := chunks.Get()
				for node := range p.Nodes {
					print += prints.Node(node)
					*text = agentic.AppendRow(*text, node)
					if chunks.Full(text) {
						if err := emit(rowChunk{text: text}); err != nil {
							return err
						}
						text = chunks.Get()
					}
				}
				return emit(rowChunk{text, true, print})
			}
		},
		func(c rowChunk) error {
			n, err := w.Write(*c.text)
			written += int64(n)
			chunks.Put(c.text)
			if c.last {
				prints = append(prints, c.print)
			}
			return err
		})
	return prints, written, err
}

// verifyWritten reads the file as anybody would and holds it against the
// corpus.
func verifyWritten(ctx context.Context, corpus *weka.Trace, file *os.File, opts WekaOptions, prints []uint64) (graph.Summary, error) {
	source, err := formats.FromFile("the converted file", file)
	if err != nil {
		return graph.Summary{}, err
	}
	back, err := agentic.Open(ctx, source, agentic.Options{Semantics: opts.Weka.Semantics, Jobs: opts.Weka.Jobs, Fingerprints: true, OnBytes: opts.Weka.OnBytes})
	if err != nil {
		return graph.Summary{}, fmt.Errorf("what was written does not read back: %w", err)
	}
	if got, want := back.Header(), (agentic.Header{BlockSize: corpus.BlockSize(), Source: corpus.Source()}); got != want {
		return graph.Summary{}, fmt.Errorf("what was written reads back with another header: %+v instead of %+v", got, want)
	}
	if !slices.Equal(back.PlayFingerprints(), prints) {
		return graph.Summary{}, explainDifference(ctx, corpus, back)
	}
	return back.Summary(ctx)
}

// explainDifference names the first place where the file is not the corpus.
func explainDifference(ctx context.Context, corpus *weka.Trace, back *agentic.Trace) error {
	compared, err := graph.Compare(corpus.Nodes(ctx), back.Nodes(ctx))
	if err != nil {
		return err
	}
	if compared.First == nil {
		return errors.New("what was written reads back with other fingerprints, but its nodes are equal: the file changed while it was read")
	}
	d := compared.First
	return fmt.Errorf("what was written reads back as another graph: play %q, request %q, %s: %s was meant, %s was read", d.PlayID, d.RequestID, d.Field, d.First, d.Second)
}

// output is where the rows go: a file beside its target, or a spool.
type output struct {
	file   *os.File         // to read back
	named  *atomicfile.File // nil for a spool
	passed *xxhash.Digest   // of what was spooled
}

func openOutput(opts WekaOptions) (*output, error) {
	if opts.Output == "-" {
		spool, err := formats.NamelessFile()
		return &output{file: spool, passed: xxhash.New()}, err
	}
	named, err := atomicfile.Create(opts.Output, opts.Overwrite)
	var exists *atomicfile.ExistsError
	if errors.As(err, &exists) {
		return nil, &formats.UsageError{Problem: err.Error(), Remedy: "pass --overwrite to replace it"}
	}
	if err != nil {
		return nil, err
	}
	return &output{file: named.File, named: named}, nil
}

// Write appends to the output.
func (o *output) Write(p []byte) (int, error) {
	if o.named != nil {
		return o.named.Write(p)
	}
	_, _ = o.passed.Write(p) // documented never to fail
	n, err := o.file.Write(p)
	if err != nil {
		err = fmt.Errorf("the spool file cannot be written: %w", err)
	}
	return n, err
}

func (o *output) sync() error {
	if o.named == nil {
		return nil
	}
	return o.named.Sync()
}

// publish puts the file in place, or copies the spool out and makes sure that
// the bytes that pass are those that were verified.
func (o *output) publish(stdout io.Writer, size int64) error {
	if o.named != nil {
		return o.named.Commit()
	}
	defer o.file.Close()
	now := xxhash.New()
	if _, err := io.Copy(io.MultiWriter(stdout, now), io.NewSectionReader(o.file, 0, size)); err != nil {
		return fmt.Errorf("standard output cannot be written: %w", err)
	}
	if now.Sum64() != o.passed.Sum64() {
		return errors.New("what was written to standard output is not what was verified: the spool file was damaged")
	}
	return nil
}

func (o *output) discard() {
	if o.named != nil {
		o.named.Discard()
	} else {
		o.file.Close()
	}
}
