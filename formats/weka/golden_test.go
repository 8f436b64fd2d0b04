package weka_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/formats/weka"
	"tracekit/graph"
	"tracekit/internal/semantics"
)

const goldenWeka = "../../testdata/golden/weka"

// counts is what a case says of the graph besides its digest.
type counts struct {
	Files       int             `json:"files"`
	Plays       int             `json:"plays"`
	Requests    int             `json:"requests"`
	Sessions    int             `json:"sessions"`
	Roots       int             `json:"roots"`
	ZeroOutputs int             `json:"raw_zero_outputs"`
	Models      []string        `json:"models"`
	Edges       json.RawMessage `json:"edges"`
}

func requireCounts(t *testing.T, want counts, trace *weka.Trace, got graph.Summary) {
	require.Equal(t, want.Files, trace.Files())
	require.Equal(t, want.Plays, got.Plays)
	require.Equal(t, want.Requests, got.Requests)
	require.Equal(t, want.Sessions, got.Sessions)
	require.Equal(t, want.Roots, got.Roots)
	require.Equal(t, want.ZeroOutputs, got.ZeroOutputs)
	require.Equal(t, want.Models, got.Models)
	edges, err := json.Marshal(got.Edges)
	require.NoError(t, err)
	require.JSONEq(t, string(want.Edges), string(edges))
}

// expectation is what a golden case says (weka.md 19).
type expectation struct {
	Input          string `json:"input"`
	TimestampBasis string `json:"timestamp_basis"`
	Rejects        bool   `json:"rejects"`
	Why            string `json:"why"`
	Output         string `json:"output"`
	Source         struct{ Format, Digest string }
	GraphDigest    string `json:"graph_digest"`
	BlockSize      uint64 `json:"block_size"`
	Basis          string `json:"nested_timestamp_basis"`
	counts
	Setup []struct {
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
						require.Equal(t, want.BlockSize, summary.BlockSize)
						require.Equal(t, want.Basis, string(trace.Basis()))
						requireCounts(t, want.counts, trace, summary)
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
