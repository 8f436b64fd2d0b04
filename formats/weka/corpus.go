package weka

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"tracekit/formats"
)

// sourceFile is one file of a corpus (weka.md 1).
type sourceFile struct {
	path string // to open it, and to name it in errors
	name string // source name: relative to the corpus, with slashes
	size int64  // when it was read first
}

// lines tells whether the file may hold several documents.
func (f sourceFile) lines() bool { return ending(f.name) == "jsonl" }

const namesRule = "a Weka corpus is a .json or .jsonl file, or a directory of such files"

// list returns the files of the corpus at path, sorted by source name.
func list(path string) ([]sourceFile, error) {
	// A trailing slash must reach the system: it follows a symbolic link.
	info, err := os.Lstat(path)
	if err != nil {
		return nil, &formats.Error{File: path, Found: "cannot be opened: " + cause(err), Rule: namesRule}
	}
	switch mode := info.Mode(); {
	case mode&fs.ModeSymlink != 0:
		return nil, symlinkError(path)
	case mode.IsRegular():
		if !taken(info.Name()) {
			return nil, &formats.Error{File: path, Found: "the name does not end in .json or .jsonl", Rule: namesRule,
				Remedy: "unpack the file if it is compressed, or rename it"}
		}
		file := sourceFile{path: path, name: info.Name(), size: info.Size()}
		return []sourceFile{file}, checkName(file)
	case !mode.IsDir():
		return nil, &formats.Error{File: path, Found: "this is neither a file nor a directory", Rule: namesRule}
	}
	files, err := walk(path)
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, &formats.Error{File: path, Found: "no file in this directory ends in .json or .jsonl", Rule: namesRule}
	}
	return files, nil
}

func walk(root string) ([]sourceFile, error) {
	var files []sourceFile
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return &formats.Error{File: path, Found: "cannot be read: " + cause(err)}
		case entry.Type()&fs.ModeSymlink != 0 && path != root:
			return symlinkError(path)
		case !entry.Type().IsRegular() || !taken(entry.Name()):
			return nil
		}
		relative, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		file := sourceFile{path: path, name: filepath.ToSlash(relative)}
		if info, err := entry.Info(); err == nil {
			file.size = info.Size()
		}
		files = append(files, file)
		return checkName(file)
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(files, func(a, b sourceFile) int { return strings.Compare(a.name, b.name) })
	return files, nil
}

// taken tells whether a file of that name belongs to a corpus.
func taken(name string) bool {
	end := ending(name)
	return end == "json" || end == "jsonl"
}

// ending returns the text after the last dot of a file name, in lower case.
// A dot that is the first character begins no ending.
func ending(name string) string {
	name = name[strings.LastIndexByte(name, '/')+1:]
	dot := strings.LastIndexByte(name, '.')
	if dot <= 0 {
		return ""
	}
	return strings.ToLower(name[dot+1:])
}

func checkName(file sourceFile) error {
	if !utf8.ValidString(file.name) {
		return &formats.Error{File: strings.ToValidUTF8(file.path, "?"), Found: "the file name is not valid UTF-8",
			Rule: "source names are part of the digest and must be UTF-8", Remedy: "rename the file"}
	}
	return nil
}

func symlinkError(path string) error {
	return &formats.Error{File: path, Found: "this is a symbolic link", Rule: "a Weka corpus holds no symbolic links, so that its digest depends on nothing outside of it",
		Remedy: "copy the target in its place, or name the target itself"}
}

// cause returns the system's words for an error about a path.
func cause(err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		return pathErr.Err.Error()
	}
	return err.Error()
}
