//go:build realcorpus

package weka_test

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/formats/weka"
	"tracekit/internal/realcorpus"
	"tracekit/internal/semantics"
)

// realFile is what the reference program says of one file of the published
// corpus of 710 recorded sessions.
type realFile struct {
	name                      string
	accepted                  bool
	requests, zeroOutputs     int
	graphDigest, sourceDigest string
}

func readRealIdentities(t *testing.T) (files []realFile) {
	f, err := os.Open("../../testdata/traces/weka-kv-cache-tester.identity.tsv")
	require.NoError(t, err)
	defer f.Close()
	lines := bufio.NewScanner(f)
	lines.Scan() // column names
	for lines.Scan() {
		cells := strings.Split(lines.Text(), "\t")
		file := realFile{name: cells[0], accepted: cells[1] == "yes"}
		if file.accepted {
			file.requests, err = strconv.Atoi(cells[2])
			require.NoError(t, err)
			file.zeroOutputs, err = strconv.Atoi(cells[3])
			require.NoError(t, err)
			file.graphDigest, file.sourceDigest = cells[4], cells[5]
		}
		files = append(files, file)
	}
	require.NoError(t, lines.Err())
	require.Len(t, files, 710)
	return files
}

// realCorpus returns the folder of the corpus, unpacked if need be.
func realCorpus(t *testing.T) string {
	path := os.Getenv(realcorpus.Variable)
	if path == "" {
		t.Skip(realcorpus.Variable + " names no folder or .tar.zst of the 710 recorded sessions")
	}
	folder, err := realcorpus.Folder(path, t.TempDir())
	require.NoError(t, err)
	return folder
}

func TestRealCorpusFileByFile(t *testing.T) {
	dir := realCorpus(t)
	for _, want := range readRealIdentities(t) {
		trace, err := weka.Open(t.Context(), filepath.Join(dir, want.name), weka.Options{Semantics: semantics.AISimulate013})
		if !want.accepted {
			require.ErrorContains(t, err, "is not declared", want.name)
			continue
		}
		require.NoError(t, err, want.name)
		summary, err := trace.Summary(t.Context())
		require.NoError(t, err, want.name)
		require.Equal(t, want.graphDigest, summary.GraphDigest, want.name)
		require.Equal(t, want.sourceDigest, summary.Source.Digest, want.name)
		require.Equal(t, want.requests, summary.Requests, want.name)
		require.Equal(t, want.zeroOutputs, summary.ZeroOutputs, want.name)
	}
}

func TestRealCorpusAsOne(t *testing.T) {
	dir := realCorpus(t)
	accepted := t.TempDir()
	for _, file := range readRealIdentities(t) {
		if file.accepted {
			require.NoError(t, os.Link(filepath.Join(dir, file.name), filepath.Join(accepted, file.name)))
		}
	}
	for _, jobs := range []int{1, 2, 5} {
		trace, err := weka.Open(t.Context(), accepted, weka.Options{Semantics: semantics.AISimulate013, Jobs: jobs})
		require.NoError(t, err)
		summary, err := trace.Summary(t.Context())
		require.NoError(t, err)
		require.Equal(t, "ac52ce4c7ff826c8be58c4e0dcbead285603d87f9a3aff97c9cc647024f18a66", summary.GraphDigest)
		require.Equal(t, "3674d0ff7a832ac0ac80e19998b97482e108e2e500d0faa2d6efe56c2ab9d8ae", summary.Source.Digest)
		require.Equal(t, 693, summary.Plays)
		require.Equal(t, 45_559, summary.Requests)
		require.Equal(t, 27, summary.ZeroOutputs)
		require.Equal(t, weka.BasisNotApplicable, trace.Basis())
	}
}

// The counts that the statistics of the corpus give, with the rules of the
// corpus mended.
func TestRealCorpusFacts(t *testing.T) {
	trace, err := weka.Open(t.Context(), realCorpus(t), weka.Options{
		Repairs:   weka.Repairs{MissingAPITime: true, UndeclaredModels: true, NestedClock: true},
		Semantics: semantics.AISimulate013, Jobs: 2,
	})
	require.NoError(t, err)
	facts := trace.Facts()
	require.Equal(t, 710, facts.Plays)
	require.Equal(t, 48_658, facts.OuterRequests)
	require.Equal(t, 676, facts.NestedRequests)
	require.Equal(t, 63, facts.Subagents)
	require.Equal(t, 4_312, facts.MissingAPITime)
	require.Equal(t, weka.BasisRelative, trace.Basis())
}
