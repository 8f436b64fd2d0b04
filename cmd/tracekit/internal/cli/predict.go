package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"tracekit/internal/semantics"
	"tracekit/replay"
	"tracekit/replay/catalog"
	"tracekit/replay/config"
	"tracekit/replay/report"
)

type predictFlags struct {
	config    string
	stack     string
	semantics string
	sets      []string
	dir       string
	overwrite bool
	output    string
	capture   bool
	quiet     bool
}

func newPredict(world World) *cobra.Command {
	var f predictFlags
	cmd := &cobra.Command{
		Use:   "predict -c FILE",
		Short: "Replay a workload on a simulated deployment: latency, throughput, cost",
		Long: "Replay the workload of a configuration on the deployment that it describes, in virtual\n" +
			"time, and report latency, throughput, goodput and GPU hours.\n\n" +
			"Exit code 0: the report is written. 1: the replay failed, or no request completed, which the\n" +
			"report tells too. 2: the command line or the configuration is wrong. 130: interrupted.",
		Example: "  tracekit predict -c prediction.yaml\n" +
			"  tracekit predict -c prediction.yaml --set traffic.load.concurrency=64 --output-dir out/64",
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error { return f.run(cmd, world) },
	}
	flags := cmd.Flags()
	flags.StringVarP(&f.config, "config", "c", "", "the configuration, a YAML file")
	flags.StringVar(&f.stack, "stack", string(config.StackEngine), "which of the two published stacks: engine or dynamo")
	flags.StringVar(&f.semantics, "semantics", semantics.Documented.String(), "whose rules hold where page and program differ: documented or aisimulate-0.13")
	flags.StringArrayVar(&f.sets, "set", nil, "override a setting: PATH=VALUE, the value in YAML; may be repeated")
	flags.StringVar(&f.dir, "output-dir", "./aisimulate-output", "the folder for the results")
	flags.BoolVar(&f.overwrite, "overwrite", false, "replace the results in a folder that is not empty")
	flags.StringVar(&f.output, "format", "table", "what standard output gets: table or json")
	flags.BoolVar(&f.capture, "capture-per-request", false, "also write a row for each request, to requests.jsonl")
	flags.BoolVar(&f.quiet, "quiet", false, "no progress")
	return cmd
}

func (f *predictFlags) run(cmd *cobra.Command, world World) error {
	mode, err := semantics.Parse(f.semantics)
	if err != nil {
		return &flagError{err}
	}
	switch {
	case f.config == "":
		return &flagError{errors.New("--config is missing; name the configuration, as in `tracekit predict -c prediction.yaml`")}
	case !slices.Contains(config.Stacks(), config.Stack(f.stack)):
		return &flagError{fmt.Errorf("--stack: %q is not known; it takes engine or dynamo", f.stack)}
	case f.output != "table" && f.output != "json":
		return &flagError{fmt.Errorf("--format: %q is not known; it takes table or json", f.output)}
	}
	p, err := config.Load(f.config, config.Options{Semantics: mode, Stack: config.Stack(f.stack), Sets: f.sets})
	if err != nil {
		return configurationError(err)
	}
	for _, warning := range p.Warnings {
		fmt.Fprintf(world.Stderr, "tracekit: warning: %v\n", warning)
	}
	if err := config.Unsupported(p); err != nil {
		return configurationError(err)
	}
	if err := report.CheckDir(f.dir, f.overwrite); err != nil {
		return &flagError{err}
	}
	bar := newProgress(world, f.quiet)
	defer bar.end()
	begin := time.Now()
	result, err := replay.Run(cmd.Context(), p, replay.Options{
		Capture: f.capture, Hub: catalog.HubCache(os.Getenv), Notes: notes{bar},
		OnProgress: bar.replay(requestCount(&p.Traffic)),
	})
	if err != nil {
		return settingError(p, err)
	}
	bar.say("writing the results")
	if err := report.Save(cmd.Context(), f.dir, result, f.overwrite); err != nil {
		return err
	}
	bar.end()
	path := filepath.Join(f.dir, report.PredictionFile)
	if f.output == "json" {
		err = result.WriteSummaryJSON(world.Stdout)
	} else {
		err = result.WriteTable(world.Stdout, path)
	}
	if err != nil {
		return err
	}
	if result.Summary.NoneCompleted {
		fmt.Fprintf(world.Stderr, "tracekit: ERROR: the prediction is invalid: %s\n  The report is %s; %s how each request ended.\n",
			result.Summary.Diagnostic(), path, f.tellsEnds())
		return errTold
	}
	if world.Terminal && !f.quiet {
		fmt.Fprintf(world.Stderr, "replayed in %.2f s\n", time.Since(begin).Seconds())
	}
	return nil
}

// tellsEnds says where to read how each request ended.
func (f *predictFlags) tellsEnds() string {
	if f.capture {
		return filepath.Join(f.dir, report.RowsFile) + " tells"
	}
	return "--capture-per-request also writes " + report.RowsFile + ", which tells"
}

// requestCount is how many requests the traffic has, 0 if only its trace
// knows.
func requestCount(t *config.Traffic) int {
	switch {
	case t.Source.Synthetic != nil:
		return t.Stop.Requests
	case t.Source.Session != nil:
		return t.Stop.Sessions * t.Source.Session.Turns
	}
	return 0
}

// configurationError gives an error of the configuration its exit code.
func configurationError(err error) error {
	var problems config.Diagnostics
	if errors.As(err, &problems) && problems.Execution() {
		return err
	}
	return &flagError{err}
}

// settingError points at the setting that facts rule out. It is an error of
// the configuration unless the reference program finds it too late for that.
func settingError(p *config.Prediction, err error) error {
	var setting *replay.SettingError
	if !errors.As(err, &setting) {
		return err
	}
	found, remedy := setting.Err.Error(), ""
	var fact *catalog.Error
	if errors.As(err, &fact) {
		found, remedy = fact.Found, fact.Remedy
		if fact.Rule != "" {
			found += "; " + fact.Rule
		}
	}
	problem := config.Diagnostics{p.Problem(setting.Path, found, "", remedy)}
	if setting.Late {
		return problem
	}
	return &flagError{problem}
}
