package report_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/replay/report"
)

// files lists all below a folder; folders end in a slash.
func files(t *testing.T, folder string) []string {
	t.Helper()
	all := []string{}
	require.NoError(t, filepath.WalkDir(folder, func(path string, entry os.DirEntry, err error) error {
		if path == folder || err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		if entry.IsDir() {
			name += "/"
		}
		all = append(all, filepath.ToSlash(name))
		return err
	}))
	return all
}

func put(t *testing.T, folder string, names ...string) {
	t.Helper()
	for _, name := range names {
		path := filepath.Join(folder, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		require.NoError(t, os.WriteFile(path, []byte("old"), 0o666))
	}
}

func requireFile(t *testing.T, want string, path ...string) {
	t.Helper()
	got, err := os.ReadFile(filepath.Join(path...))
	require.NoError(t, err)
	require.Equal(t, want, string(got))
}

func TestSave(t *testing.T) {
	ctx := context.Background()
	plain, captured := onStack(true, false), onStack(true, true)
	dir := filepath.Join(t.TempDir(), "a", "b")

	require.NoError(t, report.CheckDir(dir, false))
	require.NoDirExists(t, filepath.Dir(dir), "looking at it has made it")
	require.NoError(t, report.Save(ctx, dir, captured, false))
	require.Equal(t, []string{"prediction.json", "requests.jsonl"}, files(t, dir))
	requireFile(t, text(t, captured.WritePrediction), dir, report.PredictionFile)
	requireFile(t, text(t, captured.WriteRows), dir, report.RowsFile)

	for _, err := range []error{report.CheckDir(dir, false), report.Save(ctx, dir, plain, false)} {
		require.EqualError(t, err, dir+" is not empty; add --overwrite to replace the results in it")
	}
	requireFile(t, text(t, captured.WritePrediction), dir, report.PredictionFile)

	// Without capture the rows of the earlier run go.
	require.NoError(t, report.CheckDir(dir, true))
	require.NoError(t, report.Save(ctx, dir, plain, true))
	require.Equal(t, []string{"prediction.json"}, files(t, dir))
	requireFile(t, text(t, plain.WritePrediction), dir, report.PredictionFile)
}

func TestSaveIntoAnEmptyFolder(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, report.CheckDir(dir, false))
	require.NoError(t, report.Save(context.Background(), dir, onStack(false, false), false))
	require.Equal(t, []string{"prediction.json"}, files(t, dir))
}

func TestOverwriteTouchesKnownFilesOnly(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "prediction.json", "requests.jsonl", "fpm-coverage.json", "recommendation.json", "recommendation.csv", "resource-plan.json",
		"resource-runtime.json", "execution-events.jsonl", "afd-replay-spec.json", "afd-qualification.json", "recommendations/0001.yaml",
		"recommendations/00001.yaml", "recommendations/0001.yml", "notes.txt", "sub/prediction.json")
	require.NoError(t, report.Save(context.Background(), dir, onStack(true, false), true))
	require.Equal(t, []string{"notes.txt", "prediction.json", "recommendations/", "recommendations/00001.yaml",
		"recommendations/0001.yml", "sub/", "sub/prediction.json"}, files(t, dir))
}

func TestUnusableFolders(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "file")
	file := filepath.Join(dir, "file")
	for path, want := range map[string]string{
		file:                              "is not a directory",
		filepath.Join(file, "sub"):        "not a directory",
		filepath.Join(file, "sub", "sub"): "not a directory",
	} {
		for _, overwrite := range []bool{false, true} {
			require.ErrorContains(t, report.CheckDir(path, overwrite), path)
			require.ErrorContains(t, report.CheckDir(path, overwrite), want)
			require.ErrorContains(t, report.Save(context.Background(), path, onStack(true, true), overwrite), want)
		}
	}
	requireFile(t, "old", file)
}

// A run that fails leaves neither parts nor folders, and what was there stays.
func TestFailedSave(t *testing.T) {
	broken := report.New(onePool()).Report(report.Facts{Planner: []byte("{")})
	interrupted, cancel := context.WithCancel(context.Background())
	cancel()
	for name, save := range map[string]func(dir string) error{
		"interrupted": func(dir string) error {
			err := report.Save(interrupted, dir, onStack(true, true), true)
			require.ErrorIs(t, err, context.Canceled)
			return err
		},
		"unwritable": func(dir string) error { return report.Save(context.Background(), dir, broken, true) },
	} {
		t.Run(name, func(t *testing.T) {
			parent := t.TempDir()
			require.Error(t, save(filepath.Join(parent, "a", "b")))
			require.Empty(t, files(t, parent))

			put(t, parent, "prediction.json", "requests.jsonl", "recommendation.csv")
			require.Error(t, save(parent))
			require.Equal(t, []string{"prediction.json", "recommendation.csv", "requests.jsonl"}, files(t, parent))
			requireFile(t, "old", parent, "prediction.json")
			requireFile(t, "old", parent, "requests.jsonl")
		})
	}
}

// The second file cannot be written: the first is not put in its place.
func TestSecondFileFails(t *testing.T) {
	dir := t.TempDir()
	put(t, dir, "prediction.json", "requests.jsonl/in-the-way")
	err := report.Save(context.Background(), dir, onStack(true, true), true)
	require.ErrorContains(t, err, "requests.jsonl is a directory")
	require.Equal(t, []string{"prediction.json", "requests.jsonl/", "requests.jsonl/in-the-way"}, files(t, dir))
	requireFile(t, "old", dir, "prediction.json")
}

// The context ends while rows are being written.
func TestInterruptedMeanwhile(t *testing.T) {
	dir := t.TempDir()
	ctx := &ending{Context: context.Background(), left: 20}
	err := report.Save(ctx, dir, replayMany(20_000, true), false)
	require.ErrorIs(t, err, errEnded)
	require.Zero(t, ctx.left)
	require.Empty(t, files(t, dir))
}

var errEnded = errors.New("ended")

// ending is a context that ends after it was asked some times.
type ending struct {
	context.Context
	left int
}

func (e *ending) Err() error {
	if e.left == 0 {
		return errEnded
	}
	e.left--
	return nil
}

func TestRowsThroughSave(t *testing.T) {
	dir := t.TempDir()
	r := replayMany(3000, true)
	require.NoError(t, report.Save(context.Background(), dir, r, false))
	requireFile(t, text(t, r.WriteRows), dir, report.RowsFile)
	require.Equal(t, 3000, strings.Count(text(t, r.WriteRows), "\n"))
}
