package atomicfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/internal/atomicfile"
)

// names lists a folder.
func names(t *testing.T, folder string) []string {
	entries, err := os.ReadDir(folder)
	require.NoError(t, err)
	all := []string{}
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	return all
}

func write(t *testing.T, path, text string) {
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
}

func requireText(t *testing.T, want, path string) {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, want, string(text))
}

// create begins a file and writes to it.
func create(t *testing.T, path string, overwrite bool, text string) *atomicfile.File {
	file, err := atomicfile.Create(path, overwrite)
	require.NoError(t, err)
	_, err = file.Write([]byte(text))
	require.NoError(t, err)
	return file
}

func TestCommit(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out")
	for _, overwrite := range []bool{false, true} {
		file := create(t, path, overwrite, "whole")
		require.NotContains(t, names(t, folder), "out", "it has its name too early")
		require.NoError(t, file.Commit())
		file.Discard() // does nothing any more
		require.Equal(t, []string{"out"}, names(t, folder))
		requireText(t, "whole", path)
		require.NoError(t, os.Remove(path))
	}
}

func TestDiscard(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out")
	file := create(t, path, false, "part")
	file.Discard()
	file.Discard()
	require.Empty(t, names(t, folder))
	_, err := file.Write([]byte("more"))
	require.ErrorContains(t, err, path+" cannot be written")

	write(t, path, "old")
	create(t, path, true, "part").Discard()
	require.Equal(t, []string{"out"}, names(t, folder))
	requireText(t, "old", path)
}

func TestOverwrite(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out")
	write(t, path, "old")

	_, err := atomicfile.Create(path, false)
	var exists *atomicfile.ExistsError
	require.ErrorAs(t, err, &exists)
	require.Equal(t, path, exists.Path)
	require.Equal(t, []string{"out"}, names(t, folder))

	file := create(t, path, true, "new")
	requireText(t, "old", path)
	require.NoError(t, file.Commit())
	require.Equal(t, []string{"out"}, names(t, folder))
	requireText(t, "new", path)
}

// Somebody makes the target while the file is being written.
func TestTargetAppears(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out")
	file := create(t, path, false, "mine")
	write(t, path, "theirs")
	var exists *atomicfile.ExistsError
	require.ErrorAs(t, file.Commit(), &exists)
	require.Equal(t, []string{"out"}, names(t, folder))
	requireText(t, "theirs", path)

	// Even as a link that leads nowhere.
	require.NoError(t, os.Remove(path))
	file = create(t, path, false, "mine")
	require.NoError(t, os.Symlink("nowhere", path))
	require.ErrorAs(t, file.Commit(), &exists)
	require.Equal(t, []string{"out"}, names(t, folder))

	// Who asked for it replaces what has appeared.
	require.NoError(t, os.Remove(path))
	file = create(t, path, true, "mine")
	write(t, path, "theirs")
	require.NoError(t, file.Commit())
	requireText(t, "mine", path)
}

// The target becomes a folder, or its folder goes away, before the end.
func TestFailedCommit(t *testing.T) {
	for _, overwrite := range []bool{false, true} {
		folder := t.TempDir()
		path := filepath.Join(folder, "out")
		file := create(t, path, overwrite, "whole")
		require.NoError(t, os.Mkdir(path, 0o777))
		err := file.Commit()
		require.ErrorContains(t, err, path)
		file.Discard()
		require.Equal(t, []string{"out"}, names(t, folder))
		require.Empty(t, names(t, path))

		sub := filepath.Join(folder, "sub")
		require.NoError(t, os.Mkdir(sub, 0o777))
		file = create(t, filepath.Join(sub, "out"), overwrite, "whole")
		require.NoError(t, os.RemoveAll(sub))
		require.ErrorContains(t, file.Commit(), "out cannot be written: no such file or directory")
		require.Equal(t, []string{"out"}, names(t, folder))
	}
}

func TestSymbolicLinks(t *testing.T) {
	folder := t.TempDir()
	far, link := filepath.Join(folder, "far"), filepath.Join(folder, "link")
	require.NoError(t, os.Mkdir(far, 0o777))
	write(t, filepath.Join(far, "out"), "old")
	require.NoError(t, os.Symlink(filepath.Join("far", "out"), link))

	_, err := atomicfile.Create(link, false)
	var exists *atomicfile.ExistsError
	require.ErrorAs(t, err, &exists)

	require.NoError(t, create(t, link, true, "new").Commit())
	requireText(t, "new", filepath.Join(far, "out"))
	target, err := os.Readlink(link)
	require.NoError(t, err)
	require.Equal(t, filepath.Join("far", "out"), target)
	require.Equal(t, []string{"far", "link"}, names(t, folder))
	require.Equal(t, []string{"out"}, names(t, far))

	loop := filepath.Join(folder, "loop")
	require.NoError(t, os.Symlink("loop", loop))
	_, err = atomicfile.Create(loop, true)
	require.ErrorContains(t, err, loop+" cannot be written: too many levels of symbolic links")
}

// A link that leads nowhere is neither written through nor replaced.
func TestSymbolicLinkToNothing(t *testing.T) {
	folder := t.TempDir()
	link := filepath.Join(folder, "link")
	require.NoError(t, os.Symlink("new", link))
	for _, overwrite := range []bool{false, true} {
		_, err := atomicfile.Create(link, overwrite)
		require.ErrorContains(t, err, link+" is a symbolic link to nothing")
	}
	target, err := os.Readlink(link)
	require.NoError(t, err)
	require.Equal(t, "new", target)
	require.Equal(t, []string{"link"}, names(t, folder))
}

func TestRefusedTargets(t *testing.T) {
	folder := t.TempDir()
	file := filepath.Join(folder, "file")
	write(t, file, "old")
	for path, want := range map[string]string{
		folder:                              "is a directory, not a file to write",
		os.DevNull:                          "is not a regular file",
		filepath.Join(file, "out"):          "cannot be written: not a directory",
		filepath.Join(folder, "sub", "out"): "cannot be written: no such file or directory",
		filepath.Join(folder, strings.Repeat("x", 300)): "cannot be written: file name too long",
	} {
		for _, overwrite := range []bool{false, true} {
			_, err := atomicfile.Create(path, overwrite)
			require.ErrorContains(t, err, path+" "+want)
		}
	}
	require.Equal(t, []string{"file"}, names(t, folder))
}

// A name that leaves no room for that of the file beside it is a good name.
func TestLongName(t *testing.T) {
	path := filepath.Join(t.TempDir(), strings.Repeat("x", 250))
	require.NoError(t, create(t, path, false, "whole").Commit())
	requireText(t, "whole", path)
}

// A new file has the permissions of any new file; one that is replaced has
// those of the old one.
func TestModes(t *testing.T) {
	folder := t.TempDir()
	mode := func(path string) os.FileMode {
		info, err := os.Stat(path)
		require.NoError(t, err)
		return info.Mode()
	}
	usual, path := filepath.Join(folder, "usual"), filepath.Join(folder, "out")
	write(t, usual, "")
	require.NoError(t, create(t, path, false, "").Commit())
	require.Equal(t, mode(usual), mode(path))

	require.NoError(t, os.Chmod(path, 0o640))
	require.NoError(t, create(t, path, true, "").Commit())
	require.Equal(t, os.FileMode(0o640), mode(path))
}

// Two write the same target at once: neither sees the other's part, and
// without overwrite the first to finish wins.
func TestTwoAtOnce(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "out")
	first, second := create(t, path, false, "first"), create(t, path, false, "second")
	require.NotEqual(t, first.Name(), second.Name())
	require.NoError(t, second.Commit())
	require.Error(t, first.Commit())
	require.Equal(t, []string{"out"}, names(t, folder))
	requireText(t, "second", path)
}
