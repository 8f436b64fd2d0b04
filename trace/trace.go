// Package trace opens a trace of any format as a graph: it tells the format
// and gives the one view of it that commands share.
package trace

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"strings"

	"tracekit/formats"
	"tracekit/formats/agentic"
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
	MaxBytes  int64     // bound for compressed and piped input
	Stdin     io.Reader // what the path "-" stands for
	OnBytes   func(n int)

	// Of Weka corpora.
	Basis     weka.Basis
	Repairs   weka.Repairs
	KeepGoing bool
	MaxErrors int
}

// Weka returns the options of a Weka corpus.
func (o Options) Weka() weka.Options {
	return weka.Options{
		Semantics: o.Semantics, Basis: o.Basis, Repairs: o.Repairs, Jobs: o.Jobs,
		KeepGoing: o.KeepGoing, MaxErrors: o.MaxErrors, OnBytes: o.OnBytes,
	}
}

// Open opens the trace at path, "-" for standard input, and returns its
// format. A directory is a Weka corpus; the format of a file is told from its
// content unless it is given.
func Open(ctx context.Context, path string, opts Options) (Trace, formats.Name, error) {
	format := opts.Format
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
	if format == formats.AgenticMooncake {
		t, err := agentic.Open(ctx, source, agentic.Options{Semantics: opts.Semantics, Jobs: opts.Jobs, OnBytes: opts.OnBytes})
		if err != nil {
			source.Close()
			return nil, format, err
		}
		return t, format, nil
	}
	source.Close()
	if format != formats.Weka {
		return nil, format, &formats.Error{File: source.Name, Found: fmt.Sprintf("this looks like a %s trace", format),
			Rule: fmt.Sprintf("traces in %s and %s can be read", formats.Weka, formats.AgenticMooncake), Remedy: "name the format with --trace-format if it is another"}
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

// headSize is how much of a file is looked at to tell its format.
const headSize = 1 << 16

func detect(source *formats.Source) (formats.Name, error) {
	head := make([]byte, min(headSize, source.Size))
	if _, err := source.ReadAt(head, 0); err != nil && err != io.EOF {
		return "", &formats.Error{File: source.Name, Found: "cannot be read: " + err.Error()}
	}
	if format := formats.Detect(head); format != "" {
		return format, nil
	}
	if strings.HasSuffix(strings.ToLower(source.Name), ".json") {
		return formats.Weka, nil // the only format of such files: its reader says what is wrong
	}
	found := "its first line tells no trace format"
	if source.Size == 0 {
		found = "the file is empty"
	}
	return "", &formats.Error{File: source.Name, Found: found, Rule: "a trace begins with a JSON object whose fields show the format",
		Remedy: "name the format with --trace-format"}
}

func wekaFromStream(name string) error {
	return &formats.Error{File: name, Found: "this is a Weka document that comes compressed or through a pipe",
		Rule: "Weka corpora are read from plain files, whose names are part of their digest", Remedy: "unpack it into a folder and name that"}
}
