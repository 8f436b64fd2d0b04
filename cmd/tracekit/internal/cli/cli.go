// Package cli is the command line of tracekit: one file for each command,
// flags in, calls, text out. It takes its world, files aside, as a value, so
// that tests can run it in their own process.
package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"tracekit/formats"
	"tracekit/formats/mooncake"
	"tracekit/formats/weka"
	"tracekit/internal/semantics"
	"tracekit/replay/config"
	"tracekit/trace"
)

// Exit codes of every command.
const (
	exitOK          = 0
	exitFailure     = 1   // the input is refused, two traces differ, or the system failed
	exitUsage       = 2   // the command line makes no sense
	exitInterrupted = 130 // Ctrl-C
)

// World is what a command works with beside files.
type World struct {
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Terminal       bool   // Stderr is a terminal that a person looks at
	Version        string // of the binary; may be empty
}

// System returns the process's own world.
func System(version string) World {
	info, err := os.Stderr.Stat()
	terminal := err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
	return World{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Terminal: terminal, Version: version}
}

// errTold ends a command that has said already why it fails.
var errTold = errors.New("told already")

// Main runs the command line and returns the exit code.
func Main(args []string, world World) int {
	ignoreWriteSignals()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second Ctrl-C ends the process at once
	world.Stdout = &patientWriter{ctx, world.Stdout}

	root := newRoot(world)
	root.SetArgs(args)
	err := root.ExecuteContext(ctx)
	code := exitCode(ctx, err)
	switch {
	case code == exitOK || errors.Is(err, errTold):
	case code == exitInterrupted:
		fmt.Fprintln(world.Stderr, "tracekit: interrupted; nothing was left behind")
	default:
		printError(world.Stderr, err)
	}
	return code
}

func exitCode(ctx context.Context, err error) int {
	var usage *formats.UsageError
	var flags *flagError
	switch {
	case err == nil:
		return exitOK
	case ctx.Err() != nil:
		return exitInterrupted
	case errors.As(err, &usage) || errors.As(err, &flags):
		return exitUsage
	}
	return exitFailure
}

// printError tells an error: each refused place in one block, what was found
// first, then the rule, then the remedy.
func printError(w io.Writer, err error) {
	var many *formats.Errors
	if errors.As(err, &many) {
		for _, one := range many.All {
			printError(w, one)
		}
		fmt.Fprintf(w, "tracekit: %s\n", refused(many))
		return
	}
	var problems config.Diagnostics
	if errors.As(err, &problems) && len(problems) > 1 {
		fmt.Fprintf(w, "tracekit: the configuration has %d problems\n%v\n", len(problems), problems)
		return
	}
	var input *formats.Error
	if !errors.As(err, &input) {
		fmt.Fprintf(w, "tracekit: %v\n", err)
		return
	}
	fmt.Fprintf(w, "tracekit: %s", input.Position())
	if path := input.ShortPath(); path != "" {
		fmt.Fprintf(w, ": %s", path)
	}
	fmt.Fprintf(w, ": %s\n", input.Found)
	for _, line := range []struct{ label, text string }{{"in", input.Object}, {"rule", input.Rule}, {"mend", input.Remedy}} {
		if line.text != "" {
			fmt.Fprintf(w, "  %-5s %s\n", line.label+":", line.text)
		}
	}
}

// refused says how many files are.
func refused(many *formats.Errors) string {
	text := fmt.Sprintf("%s files are refused", grouped(len(many.All)))
	if len(many.All) == 1 {
		text = "1 file is refused"
	}
	if many.Stopped {
		text += ", and there may be more; --max-errors bounds this list"
	}
	return text
}

// flagError is a mistake in the words of the command line.
type flagError struct{ err error }

func (e *flagError) Error() string { return e.err.Error() }
func (e *flagError) Unwrap() error { return e.err }

func newRoot(world World) *cobra.Command {
	root := &cobra.Command{
		Use:           "tracekit",
		Short:         "Read, check, convert and describe traces of LLM serving",
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       world.version(),
		Args:          noArguments,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetIn(world.Stdin)
	root.SetOut(world.Stdout)
	root.SetErr(world.Stderr)
	root.SetVersionTemplate("tracekit {{.Version}}\n")
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error { return &flagError{explainFlag(cmd, err)} })
	root.AddCommand(newConvert(world), newVerify(world), newInspect(world), newGenerate(world), newPredict(world), newSchema(world), newDemo(world), newVersion(world))
	wrapArgs(root)
	return root
}

// explainFlag says what is wrong with a flag in words of its own where those
// of the flag package tell of its insides.
func explainFlag(cmd *cobra.Command, err error) error {
	var invalid *pflag.InvalidValueError
	if errors.As(err, &invalid) {
		switch flag := invalid.GetFlag(); flag.Value.Type() {
		case "int", "int64":
			return fmt.Errorf("--%s: found %q; a whole number is needed", flag.Name, invalid.GetValue())
		case "uint64":
			return fmt.Errorf("--%s: found %q; a whole number, 0 or more, is needed", flag.Name, invalid.GetValue())
		}
	}
	return fmt.Errorf("%w; `%s --help` lists the flags", err, cmd.CommandPath())
}

// noArguments refuses arguments of a command that takes flags only, or whose
// only arguments are its subcommands.
func noArguments(cmd *cobra.Command, args []string) error {
	switch {
	case len(args) == 0:
		return nil
	case cmd.HasSubCommands():
		return fmt.Errorf("the command %q is not known; `%s --help` lists them", cmd.CommandPath()+" "+args[0], cmd.CommandPath())
	}
	return fmt.Errorf("found %q; `%s` takes flags only, which `%s --help` lists", args[0], cmd.CommandPath(), cmd.CommandPath())
}

// jobsFlag adds the flag --jobs, whose help must not depend on the machine.
func jobsFlag(flags *pflag.FlagSet, jobs *int, usage string) {
	flags.IntVar(jobs, "jobs", runtime.GOMAXPROCS(0), usage)
	flags.Lookup("jobs").DefValue = "one for each processor"
}

// wrapArgs makes every mistake in the number or the values of arguments a
// usage error.
func wrapArgs(cmd *cobra.Command) {
	if check := cmd.Args; check != nil {
		cmd.Args = func(cmd *cobra.Command, args []string) error {
			if err := check(cmd, args); err != nil {
				return &flagError{err}
			}
			return nil
		}
	}
	for _, child := range cmd.Commands() {
		wrapArgs(child)
	}
}

// inputFlags are the flags of commands that read a trace.
type inputFlags struct {
	semantics string
	format    string
	basis     string
	repair    []string
	keepGoing bool
	maxErrors int
	jobs      int
	maxBytes  int64
	blockSize uint64
	output    string // table or json
	quiet     bool
}

func (f *inputFlags) register(cmd *cobra.Command, detects bool) {
	flags := cmd.Flags()
	flags.StringVar(&f.semantics, "semantics", semantics.Documented.String(), "whose rules hold where page and program differ: "+strings.Join(semantics.Names(), " or "))
	flags.StringVar(&f.basis, "timestamp-basis", "", "Weka: what nested times count from: auto, absolute or relative")
	flags.StringSliceVar(&f.repair, "repair", nil, "Weka: rules that real recordings may break: "+strings.Join(weka.RepairNames(), ","))
	flags.BoolVar(&f.keepGoing, "keep-going", false, "Weka: list every file that is refused, not only the first")
	flags.IntVar(&f.maxErrors, "max-errors", 100, "with --keep-going: how many to list")
	jobsFlag(flags, &f.jobs, "plays worked on at once; the result does not depend on it")
	flags.StringVar(&f.output, "format", "table", "form of the result: table or json")
	flags.BoolVar(&f.quiet, "quiet", false, "no progress")
	f.blockSize = mooncake.DefaultBlockSize
	if detects {
		flags.StringVar(&f.format, "trace-format", "", "format of the trace, where detection may err")
		flags.Uint64Var(&f.blockSize, "block-size", f.blockSize, "tokens per block of traces that do not tell it")
		flags.Int64Var(&f.maxBytes, "max-bytes", formats.DefaultMaxBytes, "how far compressed or piped input may unfold")
	}
}

// collectOften makes the collector run more often than it does by default:
// where traces stream, nearly all memory is buffers that are used again and
// little of it garbage, so that it costs nothing and saves a third of the peak.
func collectOften() {
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(50)
	}
}

// options turns flags into options; its errors are usage errors.
func (f *inputFlags) options(world World) (opts trace.Options, err error) {
	collectOften()
	fail := func(err error) (trace.Options, error) { return opts, &flagError{err} }
	opts = trace.Options{Jobs: f.jobs, MaxBytes: f.maxBytes, BlockSize: f.blockSize, Stdin: world.Stdin, KeepGoing: f.keepGoing, MaxErrors: f.maxErrors}
	if opts.Semantics, err = semantics.Parse(f.semantics); err != nil {
		return fail(err)
	}
	if opts.Basis, err = weka.ParseBasis(f.basis); err != nil {
		return fail(fmt.Errorf("--timestamp-basis: %w", err))
	}
	if opts.Repairs, err = weka.ParseRepairs(f.repair); err != nil {
		return fail(fmt.Errorf("--repair: %w", err))
	}
	if f.format != "" {
		if opts.Format, err = formats.ParseName(f.format); err != nil {
			return fail(fmt.Errorf("--trace-format: %w", err))
		}
	}
	switch {
	case f.output != "table" && f.output != "json":
		return fail(fmt.Errorf("--format: %q is not known; it takes table or json", f.output))
	case f.jobs < 1:
		return fail(fmt.Errorf("--jobs: found %d; at least one is needed", f.jobs))
	case f.maxErrors < 1:
		return fail(fmt.Errorf("--max-errors: found %d; at least one is needed", f.maxErrors))
	case f.blockSize == 0:
		return fail(errors.New("--block-size: found 0; at least one token is needed"))
	case f.maxBytes < 0:
		return fail(fmt.Errorf("--max-bytes: found %d; a size in bytes is needed", f.maxBytes))
	}
	return opts, nil
}
