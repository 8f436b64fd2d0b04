// Package trace opens a trace of any format as a graph: it tells the format
// and gives the one view of it that commands share.
package trace

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"tracekit/formats"
	"tracekit/formats/agentic"
	"tracekit/formats/mooncake"
	"tracekit/formats/weka"
	"tracekit/graph"
	"tracekit/internal/semantics"
)

// Trace is a trace of any format that was read and checked once. Each of its
// methods reads it again.
type Trace interface {
	// Summary computes the identity and the counts that go with it.
	Summary(ctx context.Context) (graph.Summary, error)
	// Nodes gives all nodes in canonical order, each valid until the next.
	Nodes(ctx context.Context) iter.Seq2[*graph.Node, error]
	// Plays gives all plays in play order.
	Plays(ctx context.Context) iter.Seq2[*graph.Play, error]
	io.Closer
}

// Options tell how a trace is opened. Settings of a format that the trace is
// not in have no effect.
type Options struct {
	Format    formats.Name // "" to detect it
	Semantics semantics.Mode
	Jobs      int
	MaxBytes  int64       // bound for compressed and piped input
	Stdin     io.Reader   // what the path "-" stands for
	OnBytes   func(n int) // told of bytes read; from several goroutines

	// BlockSize is the tokens per block of formats whose traces do not tell
	// it; 0 is [mooncake.DefaultBlockSize].
	BlockSize uint64

	// Of Weka corpora.
	Basis     weka.Basis
	Repairs   weka.Repairs
	KeepGoing bool
	MaxErrors int
	OnListed  func(files int, bytes int64)
	OnPlay    func()
}

// Weka returns the options of a Weka corpus.
func (o Options) Weka() weka.Options {
	return weka.Options{
		Semantics: o.Semantics, Basis: o.Basis, Repairs: o.Repairs, Jobs: o.Jobs,
		KeepGoing: o.KeepGoing, MaxErrors: o.MaxErrors,
		OnListed: o.OnListed, OnBytes: o.OnBytes, OnPlay: o.OnPlay,
	}
}

// Open opens the trace at path, "-" for standard input, and returns its
// format. A directory is a Weka corpus; the format of a file is told from its
// content unless it is given.
func Open(ctx context.Context, path string, opts Options) (Trace, formats.Name, error) {
	format := opts.Format
	if format != "" && !readable(format) {
		return nil, format, &formats.UsageError{Problem: fmt.Sprintf("the trace format %s cannot be read", format), Remedy: readableRule}
	}
	if format == "" && path != "-" {
		if info, err := os.Stat(path); err == nil && info.IsDir() {
			format = formats.Weka
		}
	}
	if format == formats.Weka {
		if path == "-" {
			return nil, format, wekaFromStream("standard input")
		}
		t, err := weka.Open(ctx, path, opts.Weka())
		if err != nil {
			return nil, format, err
		}
		return t, format, nil
	}
	source, err := formats.Open(ctx, path, opts.Stdin, opts.MaxBytes)
	if err != nil {
		return nil, format, err
	}
	if format == "" {
		if format, err = detect(source); err != nil {
			source.Close()
			return nil, "", err
		}
	}
	switch format {
	case formats.AgenticMooncake:
		t, err := agentic.Open(ctx, source, agentic.Options{Semantics: opts.Semantics, Jobs: opts.Jobs, OnBytes: opts.OnBytes})
		if err != nil {
			return nil, format, err
		}
		return t, format, nil
	case formats.Mooncake:
		t, err := mooncake.Open(ctx, source, mooncake.Options{Semantics: opts.Semantics, BlockSize: opts.BlockSize, OnBytes: opts.OnBytes})
		if err != nil {
			return nil, format, err
		}
		return t, format, nil
	}
	source.Close()
	if !readable(format) {
		return nil, format, &formats.Error{File: source.Name, Found: fmt.Sprintf("its format looks like %s", format),
			Rule: readableRule, Remedy: "name the format with --trace-format if it is one of these"}
	}
	if source.Spooled() {
		return nil, format, wekaFromStream(source.Name)
	}
	t, err := weka.Open(ctx, path, opts.Weka())
	if err != nil {
		return nil, format, err
	}
	return t, format, nil
}

func readable(format formats.Name) bool {
	return format == formats.Weka || format == formats.AgenticMooncake || format == formats.Mooncake
}

const readableRule = "traces in " + string(formats.Weka) + ", " + string(formats.AgenticMooncake) + " and " + string(formats.Mooncake) + " can be read"

// headSize is how much of a file is looked at to tell its format.
const headSize = 1 << 16

func detect(source *formats.Source) (formats.Name, error) {
	head := make([]byte, min(headSize, source.Size))
	if _, err := source.ReadAt(head, 0); err != nil && !errors.Is(err, io.EOF) {
		return "", &formats.Error{File: source.Name, Found: "cannot be read: " + err.Error()}
	}
	if format := formats.Detect(head); format != "" {
		return format, nil
	}
	if strings.HasSuffix(strings.ToLower(source.Name), ".json") {
		return formats.Weka, nil // the only format of such files: its reader says what is wrong
	}
	broken := &formats.Error{File: source.Name, Found: "its first line tells no trace format", Rule: "a trace begins with a JSON object whose fields show the format",
		Remedy: "name the format with --trace-format"}
	switch {
	case len(bytes.TrimSpace(head)) == 0 && source.Size <= headSize:
		broken.Found, broken.Remedy = "there is nothing in it", "see that what should have written it did"
	case bytes.HasPrefix(head, []byte("\xef\xbb\xbf")):
		broken.Found, broken.Rule, broken.Remedy = "it begins with a byte-order mark", "a trace is UTF-8 without such a mark", "save it without one: its first three bytes"
	case bytes.HasPrefix(head, []byte("\xff\xfe")), bytes.HasPrefix(head, []byte("\xfe\xff")):
		broken.Found, broken.Rule, broken.Remedy = "it is UTF-16 text", "a trace is UTF-8", "save it as UTF-8 without a byte-order mark"
	}
	return "", broken
}

func wekaFromStream(name string) error {
	return &formats.Error{File: name, Found: "this is a Weka document that comes compressed or through a pipe",
		Rule: "Weka corpora are read from plain files, whose names are part of their digest", Remedy: "unpack it into a folder and name that"}
}
