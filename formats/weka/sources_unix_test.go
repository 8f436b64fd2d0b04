//go:build unix

package weka_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/formats"
	"tracekit/formats/weka"
)

// What is refused before any byte is read: weka.md 1.
func TestSourcesRefused(t *testing.T) {
	dir := t.TempDir()
	good := write(t, dir, "good/a.json", session(aCall))
	write(t, dir, "a.txt", session(aCall))
	write(t, dir, "json", session(aCall))
	write(t, dir, ".json", session(aCall))
	write(t, dir, "a.json.gz", session(aCall))
	write(t, dir, "a.j\u017fon", session(aCall)) // a long s is no ASCII letter
	write(t, dir, "empty/a.txt", session(aCall))
	write(t, dir, "blank/a.json", "")
	write(t, dir, "spaces/a.jsonl", " \n\n\t")
	write(t, dir, "broken/\xff.json", session(aCall))
	write(t, dir, "broken2/\xff/a.json", session(aCall))
	require.NoError(t, os.Symlink(good, filepath.Join(dir, "link.json")))
	require.NoError(t, os.Symlink("good", filepath.Join(dir, "link")))
	write(t, dir, "linked/a.json", session(aCall))
	require.NoError(t, os.Symlink("nowhere", filepath.Join(dir, "linked", "z.txt")))
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "pipe.json"), 0o600))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "none"), 0o755))
	for name, found := range map[string]string{
		"missing": "no such file", "missing.json": "no such file", "a.txt": "does not end in", "json": "does not end in", ".json": "does not end in", "a.json.gz": "does not end in",
		"a.j\u017fon": "does not end in", "empty": "no file in this directory", "none": "no file in this directory", "blank": "there is no document", "blank/a.json": "there is no document",
		"spaces": "there is no document", "broken": "not valid UTF-8", "broken2": "not valid UTF-8", "broken/\xff.json": "not valid UTF-8",
		"link.json": "symbolic link", "link": "symbolic link", "linked": "symbolic link", "pipe.json": "neither a file nor a directory",
	} {
		_, err := weka.Open(t.Context(), filepath.Join(dir, name), weka.Options{})
		var problem *formats.Error
		require.ErrorAs(t, err, &problem, name)
		require.Contains(t, err.Error(), found, name)
		require.NotEmpty(t, problem.Rule, name)
	}
	// These are no reason to refuse: a pipe among the files, a link that is followed on purpose, links above.
	require.NoError(t, syscall.Mkfifo(filepath.Join(dir, "good", "pipe.json"), 0o600))
	write(t, dir, "good/x.json/.b.JSON", session(aCall))
	for _, name := range []string{"good", "link/", "link/a.json", "good/../good", "./good"} {
		trace, err := weka.Open(t.Context(), dir+"/"+name, weka.Options{})
		require.NoError(t, err, name)
		require.NotZero(t, trace.Files())
	}
}
