package weka_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/formats/weka"
	"tracekit/internal/semantics"
)

const goldenWeka = "../../testdata/golden/weka"

// expectation is what a golden case says (weka.md 19).
type expectation struct {
	Input          string `json:"input"`
	TimestampBasis string `json:"timestamp_basis"`
	Rejects        bool   `json:"rejects"`
	Why            string `json:"why"`
	Output         string `json:"output"`
	Source         struct{ Format, Digest string }
	GraphDigest    string          `json:"graph_digest"`
	BlockSize      uint64          `json:"block_size"`
	Files          int             `json:"files"`
	Plays          int             `json:"plays"`
	Requests       int             `json:"requests"`
	Sessions       int             `json:"sessions"`
	Roots          int             `json:"roots"`
	ZeroOutputs    int             `json:"raw_zero_outputs"`
	Basis          string          `json:"nested_timestamp_basis"`
	Models         []string        `json:"models"`
	Edges          json.RawMessage `json:"edges"`
	Setup          []struct {
		Symlink string `json:"symlink"`
		Target  string `json:"target"`
		Mkdir   string `json:"mkdir"`
	} `json:"setup"`
}

func readExpectation(t *testing.T, dir string) (e expectation) {
	text, err := os.ReadFile(filepath.Join(dir, "expected.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &e))
	return e
}

// prepare returns the case's folder, a changed copy of it where it asks for
// steps before the run.
func prepare(t *testing.T, dir string, e expectation) string {
	if len(e.Setup) == 0 {
		return dir
	}
	copied := t.TempDir()
	require.NoError(t, os.CopyFS(copied, os.DirFS(dir)))
	for _, step := range e.Setup {
		if step.Mkdir != "" {
			require.NoError(t, os.MkdirAll(filepath.Join(copied, step.Mkdir), 0o755))
		}
		if step.Symlink != "" {
			require.NoError(t, os.Symlink(step.Target, filepath.Join(copied, step.Symlink)))
		}
	}
	return copied
}

func TestGolden(t *testing.T) {
	cases, err := filepath.Glob(filepath.Join(goldenWeka, "*", "expected.json"))
	require.NoError(t, err)
	require.Len(t, cases, 98)
	for _, path := range cases {
		dir := filepath.Dir(path)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			want := readExpectation(t, dir)
			dir := prepare(t, dir, want)
			for _, jobs := range []int{1, 3} {
				trace, err := weka.Open(t.Context(), filepath.Join(dir, want.Input), weka.Options{
					Semantics: semantics.AISimulate013, Basis: weka.Basis(want.TimestampBasis), Jobs: jobs,
				})
				var got any
				if err == nil {
					summary, lowerErr := trace.Summary(t.Context())
					err = lowerErr
					if err == nil {
						require.Equal(t, want.GraphDigest, summary.GraphDigest)
						require.Equal(t, want.Source.Digest, summary.Source.Digest)
						require.Equal(t, want.Plays, summary.Plays)
						require.Equal(t, want.Requests, summary.Requests)
						require.Equal(t, want.Sessions, summary.Sessions)
						require.Equal(t, want.Roots, summary.Roots)
						require.Equal(t, want.ZeroOutputs, summary.ZeroOutputs)
						require.Equal(t, want.Models, summary.Models)
						require.Equal(t, want.BlockSize, summary.BlockSize)
						require.Equal(t, want.Files, trace.Files())
						require.Equal(t, want.Basis, string(trace.Basis()))
						edges, err := json.Marshal(summary.Edges)
						require.NoError(t, err)
						require.JSONEq(t, string(want.Edges), string(edges))
					}
					got = summary
				}
				if want.Rejects {
					require.Errorf(t, err, "%s: %v", want.Why, got)
					t.Log(err)
				} else {
					require.NoError(t, err)
				}
			}
		})
	}
}
