package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"tracekit/formats"
	"tracekit/formats/agentic"
	"tracekit/formats/mooncake"
	"tracekit/formats/weka"
	"tracekit/inspect"
	"tracekit/trace"
)

func newInspect(world World) *cobra.Command {
	var f inputFlags
	cmd := &cobra.Command{
		Use:   "inspect PATH…",
		Short: "Tell what is in a trace: counts, lengths, shape, sharing",
		Long: "Tell what is in a trace: plays, requests, edges, lengths, gaps, and how much of the\n" +
			"prompts a KV cache of any size could have shared. docs/inspect.md defines each figure.",
		Example: "  tracekit inspect traces/\n  tracekit inspect a.jsonl b.jsonl --format json",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return errors.New("no path is given; name one or more traces")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.inspect(cmd, world, args) },
	}
	f.register(cmd, true)
	return cmd
}

// inspected is what `inspect` prints of one trace.
type inspected struct {
	Path   string       `json:"path"`
	Format formats.Name `json:"format"`
	inspect.Report
}

func (f *inputFlags) inspect(cmd *cobra.Command, world World, paths []string) error {
	opts, err := f.options(world)
	if err != nil {
		return err
	}
	bar := newProgress(world, f.quiet)
	defer bar.end()
	bar.watch(&opts)
	var all []inspected
	for _, path := range paths {
		bar.stage("reading "+path, 0)
		report, format, err := inspectOne(cmd.Context(), path, opts)
		if err != nil {
			return err
		}
		all = append(all, inspected{path, format, report})
	}
	bar.end()
	switch {
	case f.output == "table":
		return writeInspected(world.Stdout, all)
	case len(all) == 1:
		return writeJSON(world.Stdout, all[0])
	}
	return writeJSON(world.Stdout, struct {
		Traces []inspected `json:"traces"`
	}{all})
}

func inspectOne(ctx context.Context, path string, opts trace.Options) (report inspect.Report, format formats.Name, err error) {
	t, format, err := trace.Open(ctx, path, opts)
	if err != nil {
		return report, format, err
	}
	defer t.Close()
	var figures inspect.Options
	var documents *inspect.WekaFacts
	switch t := t.(type) {
	case *weka.Trace:
		figures = inspect.Options{BlockSize: t.BlockSize(), PlaysShareNothing: true}
		documents = inspect.WekaFactsOf(t)
	case *mooncake.Trace:
		figures = inspect.Options{BlockSize: t.BlockSize()}
	case *agentic.Trace:
		head := t.Header()
		// A converted corpus has the block names of the corpus.
		figures = inspect.Options{BlockSize: head.BlockSize, PlaysShareNothing: head.Source.Format == string(formats.Weka)}
	}
	collector := inspect.New(figures)
	for play, err := range t.Plays(ctx) {
		if err != nil {
			return report, format, err
		}
		collector.Add(play)
	}
	report = collector.Report()
	report.Weka = documents
	return report, format, nil
}

func writeInspected(w io.Writer, all []inspected) error {
	for i, one := range all {
		if len(all) > 1 {
			gap := "\n"
			if i == 0 {
				gap = ""
			}
			if _, err := fmt.Fprintf(w, "%s%s (%s)\n", gap, one.Path, one.Format); err != nil {
				return err
			}
		}
		if err := one.WriteTable(w); err != nil {
			return err
		}
	}
	return nil
}
