package config_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/internal/semantics"
	"tracekit/replay/config"
)

const goldenCases = "../../testdata/golden/config"

// notHere is the cases whose decision falls outside this package, and why.
var notHere = map[string]string{
	"no-missing-trace-file": "the configuration is valid; that the trace is missing is found when it is read",
}

type expectation struct {
	Rejects  bool     `json:"rejects"`
	ExitCode int      `json:"exit_code"`
	Args     []string `json:"args"`
	Path     string   `json:"path"`
	Mentions []string `json:"mentions"`
	Why      string   `json:"why"`
}

func TestGoldenDecisions(t *testing.T) {
	cases, err := filepath.Glob(goldenCases + "/*/config.yaml")
	require.NoError(t, err)
	require.Len(t, cases, 64)
	for _, path := range cases {
		name := filepath.Base(filepath.Dir(path))
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join(filepath.Dir(path), "expected.json"))
			require.NoError(t, err)
			var want expectation
			require.NoError(t, json.Unmarshal(text, &want))
			_, err = config.Load(path, config.Options{Semantics: semantics.AISimulate013, Stack: config.StackDynamo, Sets: setsOf(t, want.Args)})
			if !want.Rejects || notHere[name] != "" {
				require.NoError(t, err, want.Why)
				return
			}
			problems := problemsOf(t, err)
			require.Equal(t, want.ExitCode == 1, problems.Execution())
			message := strings.ToLower(err.Error())
			for _, word := range append(want.Mentions, want.Path) {
				require.Contains(t, message, strings.ToLower(word), want.Why)
			}
		})
	}
}

func setsOf(t *testing.T, args []string) []string {
	var sets []string
	for i := 0; i < len(args); i += 2 {
		require.Equal(t, "--set", args[i])
		sets = append(sets, args[i+1])
	}
	return sets
}

// problemsOf returns the problems that an error of the package tells.
func problemsOf(t *testing.T, err error) config.Diagnostics {
	t.Helper()
	var problems config.Diagnostics
	require.ErrorAs(t, err, &problems)
	require.NotEmpty(t, problems)
	return problems
}
