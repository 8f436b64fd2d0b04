package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// asNobody runs the command as a user without rights of its own, which root
// is not: it may read everything.
func asNobody(t *testing.T, folder string, args ...string) (code int, stderr string) {
	binary, err := exec.LookPath("tracekit")
	require.NoError(t, err)
	cmd := exec.Command(binary, args...)
	var text bytes.Buffer
	cmd.Dir, cmd.Stderr = folder, &text
	if os.Geteuid() == 0 {
		const nobody = 65534
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
		// The way to the binary and to the folder is for root only.
		for _, path := range []string{filepath.Dir(binary), filepath.Dir(filepath.Dir(binary)), folder, filepath.Dir(folder)} {
			require.NoError(t, os.Chmod(path, 0o711))
		}
		require.NoError(t, os.Chmod(folder, 0o777))
	}
	err = cmd.Run()
	if err != nil {
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit)
	}
	return cmd.ProcessState.ExitCode(), text.String()
}

const session = `{"id":"a","block_size":4,"hash_id_scope":"local","models":["m"],"requests":[` +
	`{"t":0,"type":"n","model":"m","in":4,"out":2,"hash_ids":[1],"api_time":1}]}`

// A user has no right to read a file, to list a folder, or to write where the
// output should go.
func TestWithoutRights(t *testing.T) {
	folder := t.TempDir()
	put := func(path string, mode os.FileMode) {
		path = filepath.Join(folder, path)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		require.NoError(t, os.WriteFile(path, []byte(session), 0o644))
		require.NoError(t, os.Chmod(path, mode))
	}
	put("good.json", 0o644)
	put("secret.json", 0)
	put("secret.jsonl", 0)
	put("some/a.json", 0o644)
	put("some/b.json", 0)
	put("some/c.json", 0)
	put("closed/inner/a.json", 0o644)
	inner := filepath.Join(folder, "closed", "inner")
	require.NoError(t, os.Chmod(inner, 0))
	put("mine/notes.txt", 0o644)
	require.NoError(t, os.Chmod(filepath.Join(folder, "mine"), 0o555))
	t.Cleanup(func() { // so that they can be removed
		os.Chmod(inner, 0o755)
		os.Chmod(filepath.Join(folder, "mine"), 0o755)
	})

	for _, c := range []struct{ args, stderr string }{
		{"verify secret.json", "tracekit: secret.json: cannot be opened: permission denied\n"},
		{"verify secret.jsonl", "tracekit: secret.jsonl: cannot be opened: permission denied\n"},
		{"verify some", "tracekit: some/b.json: cannot be opened: permission denied\n"},
		{"verify --keep-going some", "tracekit: some/b.json: cannot be opened: permission denied\n" +
			"tracekit: some/c.json: cannot be opened: permission denied\ntracekit: 2 files are refused\n"},
		{"verify closed", "tracekit: closed/inner: cannot be read: permission denied\n"},
		{"convert weka --input some/b.json --output out.jsonl", "tracekit: some/b.json: cannot be opened: permission denied\n"},
		{"convert weka --input good.json --output mine/out.jsonl", "tracekit: mine/out.jsonl cannot be written: permission denied\n"},
		{"generate weka --plays 1 --output mine/new", "tracekit: mine/new cannot be filled: permission denied\n"},
	} {
		code, stderr := asNobody(t, folder, strings.Fields(c.args)...)
		require.Equal(t, c.stderr, stderr, c.args)
		require.Equal(t, 1, code, c.args)
	}
	code, stderr := asNobody(t, folder, "convert", "weka", "--input", "good.json", "--output", "out.jsonl")
	require.Zero(t, code, stderr)
}
