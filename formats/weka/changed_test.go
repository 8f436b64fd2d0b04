package weka_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/formats"
	"tracekit/formats/weka"
)

// A file that is not what it was when it was checked is refused.
func TestFilesThatChange(t *testing.T) {
	text := session(aCall, aSubagent)
	changes := map[string]func(path string) error{
		"grows":          func(path string) error { return os.WriteFile(path, []byte(text+text), 0o644) },
		"grows by space": func(path string) error { return os.WriteFile(path, []byte(text+"\n"), 0o644) },
		"shrinks":        func(path string) error { return os.Truncate(path, int64(len(text)/2)) },
		"is emptied":     func(path string) error { return os.Truncate(path, 0) },
		"has other bytes": func(path string) error {
			return os.WriteFile(path, []byte(strings.Replace(text, `"in":4`, `"in":5`, 1)), 0o644)
		},
	}
	for _, name := range []string{"a.json", "a.jsonl"} {
		for what, change := range changes {
			t.Run(name+" "+what, func(t *testing.T) {
				dir := t.TempDir()
				path := write(t, dir, name, text)
				write(t, dir, "z.json", text)
				trace, err := weka.Open(t.Context(), dir, weka.Options{Jobs: 2})
				require.NoError(t, err)
				_, err = trace.Summary(t.Context())
				require.NoError(t, err)

				require.NoError(t, change(path))
				_, err = trace.Summary(t.Context())
				require.ErrorIs(t, err, formats.ErrChanged)
				require.ErrorContains(t, err, path)
				var last error
				for _, err := range trace.Plays(t.Context()) {
					last = err
				}
				require.ErrorIs(t, last, formats.ErrChanged)
				require.ErrorIs(t, trace.LoweringErrors(t.Context()), formats.ErrChanged)
			})
		}
	}

	path := write(t, t.TempDir(), "a.json", text)
	trace, err := weka.Open(t.Context(), path, weka.Options{})
	require.NoError(t, err)
	require.NoError(t, os.Remove(path))
	_, err = trace.Summary(t.Context())
	require.ErrorContains(t, err, "cannot be opened")
}

// The same while the file is read first: here it changes as soon as some
// bytes of it have been read.
func TestFilesThatChangeWhileTheyAreChecked(t *testing.T) {
	documents := strings.Repeat(session(aCall, aSubagent)+"\n", 4000) // more than a window
	for what, change := range map[string]func(path string) error{
		"grows": func(path string) error {
			file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			defer file.Close()
			_, err = file.WriteString("\n{}")
			return err
		},
		"shrinks": func(path string) error { return os.Truncate(path, int64(len(documents)-100)) },
	} {
		for _, keepGoing := range []bool{false, true} {
			path := write(t, t.TempDir(), "a.jsonl", documents)
			changed := false
			_, err := weka.Open(t.Context(), path, weka.Options{Jobs: 2, KeepGoing: keepGoing, MaxErrors: 10, OnBytes: func(int) {
				if !changed {
					changed = true
					require.NoError(t, change(path))
				}
			}})
			require.True(t, changed)
			require.ErrorIs(t, err, formats.ErrChanged, what)
			require.ErrorContains(t, err, filepath.Base(path))
		}
	}
}
