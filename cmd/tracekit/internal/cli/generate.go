package cli

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"tracekit/corpus"
	"tracekit/formats"
)

func newGenerate(world World) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "generate",
		Short: "Generate a realistic synthetic corpus",
		Args:  noArguments,
		RunE:  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newGenerateWeka(world))
	return cmd
}

type generateFlags struct {
	plays, jobs     int
	seed            uint64
	profile, target string
	overwrite       bool
	output          string
}

func newGenerateWeka(world World) *cobra.Command {
	var profiles []string
	for _, p := range corpus.WekaProfiles() {
		profiles = append(profiles, string(p))
	}
	var f generateFlags
	cmd := &cobra.Command{
		Use:   "weka --plays N --seed S --output DIR",
		Short: "Generate a Weka corpus with the statistics of recorded ones",
		Long: "Generate a Weka corpus, one file for each play. A play depends on seed, profile and\n" +
			"its number only.\n\n" +
			"  raw     as recorded: some plays break the documented rules, as real ones do\n" +
			"  agentx  as published: long contexts, several models, overlapping subagents\n" +
			"  plain   small and uniform, for performance figures",
		Example: "  tracekit generate weka --plays 100 --seed 7 --profile raw --output traces/",
		Args:    noArguments,
		RunE:    func(cmd *cobra.Command, _ []string) error { return f.run(cmd, world, profiles) },
	}
	flags := cmd.Flags()
	flags.IntVar(&f.plays, "plays", 0, "number of plays")
	flags.Uint64Var(&f.seed, "seed", 0, "another seed gives other plays")
	flags.StringVar(&f.profile, "profile", string(corpus.ProfileRaw), strings.Join(profiles, ", "))
	flags.StringVar(&f.target, "output", "", "the directory to fill; it is made if it does not exist")
	flags.BoolVar(&f.overwrite, "overwrite", false, "fill a directory that is not empty, replacing files of the same names")
	jobsFlag(flags, &f.jobs, "plays made at once; the result does not depend on it")
	flags.StringVar(&f.output, "format", "table", "form of the result: table or json")
	return cmd
}

func (f *generateFlags) run(cmd *cobra.Command, world World, profiles []string) error {
	switch {
	case f.target == "":
		return &flagError{errors.New("--output is missing: it names the directory to fill")}
	case f.plays < 1:
		return &flagError{fmt.Errorf("--plays: found %d; at least one is needed", f.plays)}
	case f.jobs < 1:
		return &flagError{fmt.Errorf("--jobs: found %d; at least one is needed", f.jobs)}
	case !slices.Contains(profiles, f.profile):
		return &flagError{fmt.Errorf("--profile: %q is not known; there are %s", f.profile, strings.Join(profiles, ", "))}
	case f.output != "table" && f.output != "json":
		return &flagError{fmt.Errorf("--format: %q is not known; it takes table or json", f.output)}
	}
	made, err := f.makeDir()
	if err != nil {
		return err
	}
	begin := time.Now()
	stats, err := corpus.GenerateWeka(cmd.Context(), f.target, corpus.WekaOptions{
		Plays: f.plays, Seed: f.seed, Profile: corpus.WekaProfile(f.profile), Jobs: f.jobs,
	})
	if err != nil {
		if made { // nothing in it was there before
			os.RemoveAll(f.target)
		}
		return err
	}
	if f.output == "json" {
		return writeJSON(world.Stdout, struct {
			Profile  string `json:"profile"`
			Seed     uint64 `json:"seed"`
			Plays    int    `json:"plays"`
			Requests int    `json:"requests"`
			Bytes    int64  `json:"bytes"`
		}{f.profile, f.seed, stats.Plays, stats.Requests, stats.Bytes})
	}
	r := newRows(world.Stdout)
	r.row("generated", "%s plays, profile %s, seed %d, in %s", grouped(stats.Plays), f.profile, f.seed, f.target)
	r.row("requests", "%s", grouped(stats.Requests))
	r.row("size", "%s", size(stats.Bytes))
	r.row("time", "%.2f s", time.Since(begin).Seconds())
	return r.flush()
}

// makeDir makes the target, or sees that it may be filled.
func (f *generateFlags) makeDir() (made bool, err error) {
	entries, err := os.ReadDir(f.target)
	if errors.Is(err, fs.ErrNotExist) {
		made, err = true, os.MkdirAll(f.target, 0o777)
	}
	var cause *fs.PathError
	switch {
	case errors.As(err, &cause):
		return false, fmt.Errorf("%s cannot be filled: %w", f.target, cause.Err)
	case err != nil:
		return false, err
	case len(entries) > 0 && !f.overwrite:
		return false, &formats.UsageError{Problem: f.target + " exists already and is not empty", Remedy: "name another directory, or pass --overwrite to replace files of the same names"}
	}
	return made, nil
}
