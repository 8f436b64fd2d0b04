package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/cmd/tracekit/internal/cli"
	"tracekit/internal/semantics"
)

// documentedPrediction is a folder testdata/documented/predict-*, see the
// README there.
type documentedPrediction struct {
	About string                   `json:"about"`
	Input string                   `json:"input"`
	Runs  []documentedPredictedRun `json:"runs"`
}

type documentedPredictedRun struct {
	Semantics string         `json:"semantics"`
	Stacks    []string       `json:"stacks"`
	Args      []string       `json:"args"`
	ExitCode  int            `json:"exit_code"`
	Mentions  []string       `json:"mentions"`
	Summary   map[string]any `json:"summary"`
	Requests  []any          `json:"requests"`
}

// TestDocumentedPredictions runs the cases in which the settings of
// --semantics part, under both of them.
func TestDocumentedPredictions(t *testing.T) {
	paths, err := filepath.Glob("../../testdata/documented/predict-*/runs.json")
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	for _, path := range paths {
		var c documentedPrediction
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		strict := json.NewDecoder(bytes.NewReader(text))
		strict.DisallowUnknownFields()
		require.NoError(t, strict.Decode(&c), path)
		require.NotEmpty(t, c.About)
		modes := map[string]bool{}
		for _, run := range c.Runs {
			modes[run.Semantics] = true
			for _, stack := range run.Stacks {
				name := strings.Join(append([]string{filepath.Base(filepath.Dir(path)), run.Semantics, stack}, run.Args...), " ")
				t.Run(name, func(t *testing.T) {
					t.Chdir(filepath.Join(filepath.Dir(path), c.Input))
					run.check(t, stack)
				})
			}
		}
		for _, mode := range semantics.Names() {
			require.True(t, modes[mode], "%s is not run under %s", path, mode)
		}
	}
}

// check runs the command on the configuration of the working folder. An exit
// code other than 0 comes without results, unless the case has some.
func (run *documentedPredictedRun) check(t *testing.T, stack string) {
	out := filepath.Join(t.TempDir(), "out")
	args := append([]string{"predict", "-c", "config.yaml", "--stack", stack, "--semantics", run.Semantics, "--output-dir", out, "--capture-per-request"}, run.Args...)
	var stdout, stderr bytes.Buffer
	code := cli.Main(args, cli.World{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr})
	require.Equal(t, run.ExitCode, code, stderr.String())
	for _, words := range run.Mentions {
		require.Contains(t, stderr.String(), words)
	}
	if run.Summary == nil {
		require.NotZero(t, code)
		require.Empty(t, stdout.String())
		require.NoDirExists(t, out)
		return
	}
	if len(run.Mentions) == 0 {
		require.Empty(t, stderr.String())
	}
	var summary map[string]any
	readJSON(t, filepath.Join(out, "prediction.json"), &summary)
	if stack == "dynamo" {
		summary = asMap(summary["summary"])
	}
	for key, value := range run.Summary {
		requireClose(t, value, summary[key], key)
	}
	if run.Requests != nil {
		compareRows(t, map[string]any{"requests": run.Requests}, out, false)
	}
}
