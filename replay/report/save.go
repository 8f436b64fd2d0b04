package report

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"tracekit/internal/atomicfile"
)

// The files of a report.
const (
	PredictionFile = "prediction.json"
	RowsFile       = "requests.jsonl"
)

// known lists, as patterns, the other files that the reference program may
// have left in an output folder. Overwriting a report takes them away.
var known = []string{
	"fpm-coverage.json", "recommendation.json", "recommendation.csv", "resource-plan.json",
	"resource-runtime.json", "execution-events.jsonl", "afd-replay-spec.json", "afd-qualification.json",
	filepath.Join("recommendations", "[0-9][0-9][0-9][0-9].yaml"),
}

// CheckDir tells why [Save] would refuse the folder: it is none, or there is
// something in it and overwrite is not set. It touches nothing.
func CheckDir(dir string, overwrite bool) error {
	if info, err := os.Stat(dir); err == nil && !info.IsDir() {
		return fmt.Errorf("%s is not a directory; name one for the results", dir)
	}
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		_, err = missing(dir)
		return err
	case err != nil:
		return fmt.Errorf("%s cannot hold the results: %w", dir, cause(err))
	case len(entries) > 0 && !overwrite:
		return fmt.Errorf("%s is not empty; add --overwrite to replace the results in it", dir)
	}
	return nil
}

// missing lists the folders that have to be made for dir, the innermost first.
func missing(dir string) (folders []string, err error) {
	for path := filepath.Clean(dir); ; path = filepath.Dir(path) {
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			folders = append(folders, path)
		case err != nil:
			return nil, fmt.Errorf("%s cannot hold the results: %w", dir, cause(err))
		case !info.IsDir():
			return nil, fmt.Errorf("%s cannot hold the results: %s is not a directory", dir, path)
		default:
			return folders, nil
		}
	}
}

// Save writes prediction.json and, if rows were captured, requests.jsonl into
// the folder, which is made if it is missing. With overwrite it replaces what
// an earlier prediction left and touches nothing else. If it fails or ctx ends
// before both files are written, what was there before stays as it was.
func Save(ctx context.Context, dir string, r *Report, overwrite bool) (err error) {
	if err := CheckDir(dir, overwrite); err != nil {
		return err
	}
	made, err := missing(dir)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			for _, folder := range made {
				os.Remove(folder) // unless something is in it
			}
		}
	}()
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return fmt.Errorf("%s cannot be made: %w", dir, cause(err))
	}

	prediction, err := write(ctx, filepath.Join(dir, PredictionFile), overwrite, r.WritePrediction)
	if err != nil {
		return err
	}
	defer prediction.Discard()
	if r.options.Capture {
		rows, err := write(ctx, filepath.Join(dir, RowsFile), overwrite, r.WriteRows)
		if err != nil {
			return err
		}
		defer rows.Discard()
		// A new report must never stand beside old rows.
		if err := rows.Commit(); err != nil {
			return err
		}
	} else if err := remove(dir, RowsFile); err != nil {
		return err
	}
	if err := prediction.Commit(); err != nil {
		return err
	}
	return remove(dir, known...)
}

// write writes a file up to the point where it only needs its name.
func write(ctx context.Context, path string, overwrite bool, content func(io.Writer) error) (*atomicfile.File, error) {
	file, err := atomicfile.Create(path, overwrite)
	if err != nil {
		return nil, err
	}
	err = content(interruptible{ctx, file})
	if err == nil {
		if syncErr := file.Sync(); syncErr != nil {
			err = fmt.Errorf("%s cannot be written: %w", path, cause(syncErr))
		}
	}
	if err == nil {
		err = ctx.Err()
	}
	if err != nil {
		file.Discard()
		return nil, err
	}
	return file, nil
}

// remove takes away the files of the folder that match. Folders stay.
func remove(dir string, patterns ...string) error {
	for _, pattern := range patterns {
		paths, err := fs.Glob(os.DirFS(dir), filepath.ToSlash(pattern))
		if err != nil {
			return err
		}
		for _, path := range paths {
			path = filepath.Join(dir, filepath.FromSlash(path))
			if info, err := os.Lstat(path); err != nil || info.IsDir() {
				continue
			}
			if err := os.Remove(path); err != nil {
				return fmt.Errorf("%s, left by an earlier run, cannot be removed: %w", path, cause(err))
			}
		}
	}
	return nil
}

// interruptible is a stream that fails once its context has ended.
type interruptible struct {
	ctx context.Context
	w   io.Writer
}

func (i interruptible) Write(p []byte) (int, error) {
	if err := i.ctx.Err(); err != nil {
		return 0, err
	}
	return i.w.Write(p)
}

// cause returns the system's own error of a file operation.
func cause(err error) error {
	var path *fs.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
