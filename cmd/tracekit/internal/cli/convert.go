package cli

import (
	"errors"
	"time"

	"github.com/spf13/cobra"

	"tracekit/convert"
)

func newConvert(world World) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "convert",
		Short: "Convert a trace into another format, its graph proven the same",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newConvertWeka(world))
	return cmd
}

type convertWekaFlags struct {
	inputFlags
	input, target string
	overwrite     bool
}

func newConvertWeka(world World) *cobra.Command {
	var f convertWekaFlags
	cmd := &cobra.Command{
		Use:   "weka --input PATH --output FILE|-",
		Short: "Convert a Weka/AgentX corpus to agentic_mooncake v2",
		Example: "  tracekit convert weka --input traces/ --output out.jsonl\n" +
			"  tracekit convert weka --input raw/ --output out.jsonl --repair missing-api-time,nested-clock",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, world) },
	}
	f.register(cmd, false)
	cmd.Flags().StringVar(&f.input, "input", "", "a .json or .jsonl file, or a directory of such files")
	cmd.Flags().StringVar(&f.target, "output", "", "the file to write, or - for standard output")
	cmd.Flags().BoolVar(&f.overwrite, "overwrite", false, "replace an existing output")
	return cmd
}

func (f *convertWekaFlags) run(cmd *cobra.Command, world World) error {
	opts, err := f.options(world)
	if err != nil {
		return err
	}
	switch {
	case f.input == "":
		return &flagError{errors.New("--input is missing: it names the corpus to convert")}
	case f.input == "-":
		return &flagError{errors.New("--input: a Weka corpus does not come through standard input, for the names of its files are part of its digest; name a file or a directory")}
	case f.target == "":
		return &flagError{errors.New("--output is missing: it names the file to write, or - for standard output")}
	}
	bar := newProgress(world, f.quiet)
	defer bar.end()
	bar.watch(&opts)
	begin := time.Now()
	result, err := convert.Weka(cmd.Context(), convert.WekaOptions{
		Input: f.input, Output: f.target, Overwrite: f.overwrite, Stdout: world.Stdout, Weka: opts.Weka(),
		OnStage: func(stage convert.Stage, bytes int64) { bar.stage(string(stage), bytes) },
	})
	bar.end()
	if err != nil {
		return err
	}
	out := world.Stdout
	if f.target == "-" {
		out = world.Stderr
	}
	facts := convertFacts{
		identityFacts: identityOf("agentic_mooncake", result.Summary),
		Files:         result.Files, ZeroOutputs: result.ZeroOutputs, Basis: string(result.Basis),
		Mends: result.Facts.Mends, Verified: result.Verified,
	}
	facts.Format = "" // what it was and what it became are both known
	if f.output == "json" {
		return writeJSON(out, facts)
	}
	return writeConvertTable(out, facts, f.target, result.BytesRead, result.BytesWritten, time.Since(begin))
}
