// Package atomicfile writes a file so that at its path stands either what was
// there before or the whole of what was written, never a part of it: beside
// the target, synced, then renamed.
package atomicfile

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// ExistsError says that the target is there and may not be replaced.
type ExistsError struct{ Path string }

// Error names the file.
func (e *ExistsError) Error() string { return fmt.Sprintf("%s exists already", e.Path) }

// File is a file on its way to its target. Exactly one of Commit and Discard
// ends it; Discard after Commit does nothing.
type File struct {
	*os.File
	target    string
	overwrite bool
	done      bool
}

// Create begins a file for the target. Without overwrite it fails with an
// [*ExistsError] when the target exists. A target that is replaced keeps its
// permissions; of a symbolic link, what it points to is replaced.
func Create(target string, overwrite bool) (*File, error) {
	info, err := os.Stat(target)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(target); err == nil {
			return nil, fmt.Errorf("%s is a symbolic link to nothing; name the file that is meant", target)
		}
	case err != nil:
		return nil, fmt.Errorf("%s cannot be written: %w", target, cause(err))
	case info.IsDir():
		return nil, fmt.Errorf("%s is a directory, not a file to write", target)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file; write to - and redirect instead", target)
	case !overwrite:
		return nil, &ExistsError{target}
	default:
		if target, err = filepath.EvalSymlinks(target); err != nil {
			return nil, fmt.Errorf("%s cannot be written: %w", target, cause(err))
		}
	}
	file, err := createBeside(target)
	if err != nil {
		return nil, fmt.Errorf("%s cannot be written: %w", target, cause(err))
	}
	if info != nil {
		if err := file.Chmod(info.Mode().Perm()); err != nil {
			file.Close()
			os.Remove(file.Name())
			return nil, fmt.Errorf("%s cannot be written: %w", target, cause(err))
		}
	}
	return &File{File: file, target: target, overwrite: overwrite}, nil
}

// longestBase is how much of a target's name goes into that of the file beside
// it: systems allow names of 255 bytes.
const longestBase = 200

// createBeside makes a new file in the target's folder, with the permissions
// of any new file, which os.CreateTemp would not give it.
func createBeside(target string) (*os.File, error) {
	base := filepath.Base(target)
	if len(base) > longestBase {
		base = strings.ToValidUTF8(base[:longestBase], "")
	}
	for try := 0; ; try++ {
		name := fmt.Sprintf(".%s.%d-%d.partial", base, os.Getpid(), try)
		file, err := os.OpenFile(filepath.Join(filepath.Dir(target), name), os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o666)
		if !errors.Is(err, fs.ErrExist) {
			return file, err
		}
	}
}

// Write appends to the file.
func (f *File) Write(p []byte) (int, error) {
	n, err := f.File.Write(p)
	if err != nil {
		return n, fmt.Errorf("%s cannot be written: %w", f.target, cause(err))
	}
	return n, nil
}

// Commit syncs the file and puts it at its target.
func (f *File) Commit() error {
	if err := f.commit(); err != nil {
		f.Discard()
		return fmt.Errorf("%s cannot be written: %w", f.target, cause(err))
	}
	f.done = true
	return nil
}

func (f *File) commit() error {
	if err := f.Sync(); err != nil {
		return err
	}
	if !f.overwrite {
		// A link, unlike a rename, fails if somebody made the target meanwhile.
		err := os.Link(f.Name(), f.target)
		if errors.Is(err, fs.ErrExist) {
			return &ExistsError{f.target}
		}
		if err == nil {
			if err := os.Remove(f.Name()); err != nil {
				return err
			}
			return f.settle()
		}
	}
	if err := os.Rename(f.Name(), f.target); err != nil {
		return err
	}
	return f.settle()
}

// settle makes the new name itself last.
func (f *File) settle() error {
	if dir, err := os.Open(filepath.Dir(f.target)); err == nil {
		_ = dir.Sync() // not every file system can
		dir.Close()
	}
	return f.Close()
}

// Discard takes the file away, unless it was committed.
func (f *File) Discard() {
	if f.done {
		return
	}
	f.done = true
	f.Close()
	os.Remove(f.Name())
}

// cause returns the system's own error of a file operation.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	var link *os.LinkError
	if errors.As(err, &link) {
		return link.Err
	}
	return err
}
