package weka_test

import (
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/zeebo/blake3"

	"tracekit/formats"
	"tracekit/formats/weka"
	"tracekit/graph"
	"tracekit/internal/semantics"
)

const documentedCases = "../../testdata/documented"

// documentedCase is a folder of testdata/documented, see its README.
type documentedCase struct {
	About string `json:"about"`
	Input string `json:"input"`
	Graph struct {
		counts
		Rows        map[string]documentedRow `json:"rows"`
		GraphDigest string                   `json:"graph_digest"`
		SameGraphAs string                   `json:"same_graph_as"`
		DiffersFrom string                   `json:"differs_from"`
	} `json:"graph"`
	Runs []documentedRun `json:"runs"`
}

type documentedRow struct {
	NotBeforeMs       float64          `json:"not_before_ms"`
	RecordedAPITimeMs *float64         `json:"recorded_api_time_ms"`
	Dependencies      []documentedEdge `json:"dependencies"`
}

type documentedEdge struct {
	RequestID string  `json:"request_id"`
	Trigger   string  `json:"trigger"`
	DelayMs   float64 `json:"delay_ms"`
	Relation  string  `json:"relation"`
}

type documentedRun struct {
	Semantics      string     `json:"semantics"`
	TimestampBasis string     `json:"timestamp_basis"`
	Repair         []string   `json:"repair"`
	Rejects        bool       `json:"rejects"`
	Place          string     `json:"place"`
	Path           string     `json:"path"`
	Mentions       []string   `json:"mentions"`
	Basis          string     `json:"nested_timestamp_basis"`
	Mends          weka.Mends `json:"mends"`
}

// options returns the settings of a run.
func (r documentedRun) options(t *testing.T) weka.Options {
	mode, err := semantics.Parse(r.Semantics)
	require.NoError(t, err)
	basis, err := weka.ParseBasis(r.TimestampBasis)
	require.NoError(t, err)
	repairs, err := weka.ParseRepairs(r.Repair)
	require.NoError(t, err)
	return weka.Options{Semantics: mode, Basis: basis, Repairs: repairs, Jobs: 2}
}

func readDocumentedCase(t *testing.T, dir string) (c documentedCase) {
	text, err := os.Open(filepath.Join(dir, "expected.json"))
	require.NoError(t, err)
	defer text.Close()
	strict := json.NewDecoder(text)
	strict.DisallowUnknownFields()
	require.NoError(t, strict.Decode(&c))
	require.NotEmpty(t, c.About)
	require.NotEmpty(t, c.Runs)
	return c
}

func TestDocumentedSemantics(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(documentedCases, "*", "expected.json"))
	require.NoError(t, err)
	require.NotEmpty(t, paths)
	digests := map[string]string{}
	cases := map[string]documentedCase{}
	for _, path := range paths {
		dir := filepath.Dir(path)
		name := filepath.Base(dir)
		c := readDocumentedCase(t, dir)
		cases[name] = c
		for i, run := range c.Runs {
			title := strings.Join(append([]string{name, strconv.Itoa(i), run.Semantics, run.TimestampBasis}, run.Repair...), "/")
			t.Run(title, func(t *testing.T) {
				digest := checkDocumentedRun(t, dir, c, run)
				if digest == "" {
					return
				}
				if digests[name] == "" {
					digests[name] = digest
				}
				require.Equal(t, digests[name], digest, "all accepted runs of a case give one graph")
			})
		}
	}
	for name, c := range cases {
		if other := c.Graph.SameGraphAs; other != "" {
			require.Equal(t, digests[other], digests[name], "%s as %s", name, other)
		}
		if other := c.Graph.DiffersFrom; other != "" {
			require.NotEmpty(t, digests[other])
			require.NotEqual(t, digests[other], digests[name], "%s beside %s", name, other)
		}
	}
}

// checkDocumentedRun returns the graph digest of an accepted run.
func checkDocumentedRun(t *testing.T, dir string, c documentedCase, run documentedRun) string {
	trace, err := weka.Open(t.Context(), filepath.Join(dir, c.Input), run.options(t))
	var summary graph.Summary
	if err == nil {
		summary, err = trace.Summary(t.Context())
	}
	if run.Rejects {
		var problem *formats.Error
		require.ErrorAs(t, err, &problem)
		require.True(t, strings.HasPrefix(err.Error(), filepath.Join(dir, run.Place)+":"), "%s: %v", run.Place, err)
		require.Equal(t, run.Path, problem.Path, "%v", err)
		require.NotEmpty(t, run.Mentions)
		for _, words := range run.Mentions {
			require.Contains(t, err.Error(), words)
		}
		return ""
	}
	require.NoError(t, err)
	want := c.Graph
	require.Equal(t, run.Basis, string(trace.Basis()))
	require.Equal(t, run.Mends, trace.Facts().Mends)
	requireCounts(t, want.counts, trace, summary)
	if want.GraphDigest != "" {
		require.Equal(t, want.GraphDigest, summary.GraphDigest)
	}
	require.Equal(t, want.Rows, documentedRows(t, trace, dir, c.Input))
	return summary.GraphDigest
}

// documentedRows returns the nodes of a trace in the form of the cases.
func documentedRows(t *testing.T, trace *weka.Trace, dir, input string) map[string]documentedRow {
	// With several files, the beginning of each request id tells the file.
	names := map[string]string{}
	if trace.Files() > 1 {
		files, err := os.ReadDir(filepath.Join(dir, input))
		require.NoError(t, err)
		for _, f := range files {
			sum := blake3.Sum256([]byte(f.Name()))
			names["weka:"+hex.EncodeToString(sum[:8])] = f.Name() + " "
		}
	}
	short := func(id string) string {
		ns, source, found := strings.Cut(id, ":request:")
		require.True(t, found)
		return names[ns] + source
	}
	rows := map[string]documentedRow{}
	for node, err := range trace.Nodes(t.Context()) {
		require.NoError(t, err)
		row := documentedRow{NotBeforeMs: node.NotBeforeMs, Dependencies: []documentedEdge{}}
		if node.HasAPITime {
			ms := node.RecordedAPITimeMs
			row.RecordedAPITimeMs = &ms
		}
		for _, d := range node.Dependencies {
			row.Dependencies = append(row.Dependencies, documentedEdge{short(d.Predecessor), d.Trigger.String(), d.DelayMs, d.Relation.String()})
		}
		rows[short(node.RequestID)] = row
	}
	return rows
}
