package cli

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"tracekit/corpus"
)

func newDemo(world World) *cobra.Command {
	return &cobra.Command{
		Use:   "demo",
		Short: "Convert, verify and replay an embedded corpus, showing each step",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return demo(cmd, world) },
	}
}

// demoSteps are the command lines that the demo shows and runs.
var demoSteps = []struct{ says, command string }{
	{"Four sessions of coding agents become one dependency graph:", "convert weka --input traces --output graph.jsonl"},
	{"The folder and the file are the same graph:", "verify graph.jsonl traces"},
	{"What is in them:", "inspect traces"},
	{"How long a simulated deployment takes for the graph:", "predict -c graph.yaml --output-dir out"},
}

func demo(cmd *cobra.Command, world World) (err error) {
	dir, err := os.MkdirTemp("", "tracekit-demo-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	// The steps name their files as a user in that folder would.
	back, err := os.Getwd()
	if err != nil {
		return err
	}
	if err := os.Chdir(dir); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.Chdir(back)) }()
	if err := os.CopyFS("traces", corpus.Demo()); err != nil {
		return err
	}
	if err := os.CopyFS(".", corpus.Predict()); err != nil {
		return err
	}
	for _, step := range demoSteps {
		fmt.Fprintf(world.Stdout, "%s\n\n  $ tracekit %s\n\n", step.says, step.command)
		root := newRoot(world)
		root.SetArgs(strings.Fields(step.command))
		if err := root.ExecuteContext(cmd.Context()); err != nil {
			return err
		}
		fmt.Fprintln(world.Stdout)
	}
	_, err = fmt.Fprintln(world.Stdout, "All of it was done in a temporary folder, which is gone again. `tracekit help` lists the commands.")
	return err
}
