package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"tracekit/graph"
	"tracekit/trace"
)

func newVerify(world World) *cobra.Command {
	var f inputFlags
	cmd := &cobra.Command{
		Use:   "verify PATH [PATH]",
		Short: "Validate a trace and print its identity; compare two",
		Long: "Validate a trace and print its identity. With two paths, which may be in different\n" +
			"formats, compare their graphs and explain the first difference.\n\n" +
			"Exit code 0: valid, or equal. 1: refused, or different.",
		Example: "  tracekit verify out.jsonl\n  tracekit verify out.jsonl traces/",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) < 1 || len(args) > 2 {
				return fmt.Errorf("found %d paths; name one trace to check, or two to compare", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error { return f.verify(cmd, world, args) },
	}
	f.register(cmd, true)
	return cmd
}

// verifyFacts is what `verify` prints of two traces.
type verifyFacts struct {
	Traces     []identityFacts   `json:"traces"`
	Equal      bool              `json:"equal"`
	Identical  bool              `json:"identical"`
	Missing    int               `json:"missing"`
	Extra      int               `json:"extra"`
	Changed    int               `json:"changed"`
	Difference *graph.Difference `json:"first_difference,omitempty"`
}

func (f *inputFlags) verify(cmd *cobra.Command, world World, paths []string) error {
	opts, err := f.options(world)
	if err != nil {
		return err
	}
	if len(paths) == 2 && paths[0] == "-" && paths[1] == "-" {
		return &flagError{fmt.Errorf("standard input can be read once only; name a file for one of the two")}
	}
	bar := newProgress(world, f.quiet)
	defer bar.end()
	bar.watch(&opts)

	var traces []trace.Trace
	var facts []identityFacts
	var identities []graph.Identity
	defer func() {
		for _, t := range traces {
			t.Close()
		}
	}()
	for _, path := range paths {
		bar.stage("reading "+path, 0)
		t, format, err := trace.Open(cmd.Context(), path, opts)
		if err != nil {
			return err
		}
		traces = append(traces, t)
		summary, err := t.Summary(cmd.Context())
		if err != nil {
			return err
		}
		facts = append(facts, identityOf(string(format), summary))
		identities = append(identities, summary.Identity)
	}
	if len(paths) == 1 {
		bar.end()
		if f.output == "json" {
			return writeJSON(world.Stdout, facts[0])
		}
		r := newRows(world.Stdout)
		r.identity(facts[0])
		return r.flush()
	}

	result := verifyFacts{Traces: facts, Equal: identities[0].GraphDigest == identities[1].GraphDigest, Identical: identities[0].Identical(identities[1])}
	if !result.Equal {
		bar.stage("comparing", 0)
		compared, err := graph.Compare(traces[0].Nodes(cmd.Context()), traces[1].Nodes(cmd.Context()))
		if err != nil {
			return err
		}
		result.Missing, result.Extra, result.Changed, result.Difference = compared.Missing, compared.Extra, compared.Changed, compared.First
		if result.Difference == nil { // the nodes are equal: what is left is their head
			result.Difference = &graph.Difference{Field: "block_size", First: fmt.Sprint(facts[0].BlockSize), Second: fmt.Sprint(facts[1].BlockSize)}
		}
	}
	bar.end()
	if f.output == "json" {
		err = writeJSON(world.Stdout, result)
	} else {
		err = writeComparison(world, paths, result)
	}
	if err == nil && !result.Equal {
		return errTold
	}
	return err
}

func writeComparison(world World, paths []string, v verifyFacts) error {
	r := newRows(world.Stdout)
	for i, path := range paths {
		r.row("trace", "%s", path)
		r.identity(v.Traces[i])
		r.blank()
	}
	switch {
	case v.Identical:
		r.row("equal", "yes: same graph, same source")
	case v.Equal:
		r.row("equal", "yes: same graph, from different sources")
	default:
		r.row("equal", "no: %s missing, %s extra, %s changed in the second", grouped(v.Missing), grouped(v.Extra), grouped(v.Changed))
		d := v.Difference
		if d.RequestID != "" {
			r.row("first difference", "play %q, request %q", d.PlayID, d.RequestID)
		}
		r.row("field", "%s", d.Field)
		r.row("first", "%s", orNothing(d.First))
		r.row("second", "%s", orNothing(d.Second))
	}
	return r.flush()
}

func orNothing(text string) string {
	if text == "" {
		return "(not there)"
	}
	return text
}
