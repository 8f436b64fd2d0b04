// Package realcorpus finds the recorded corpus that long tests run on: the
// 710 sessions of the kv-cache-tester project, as a folder or as an archive.
package realcorpus

import (
	"archive/tar"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
)

// Variable names the environment variable that says where the corpus is.
const Variable = "TRACEKIT_WEKA_CORPUS"

// Folder returns the corpus at path as a folder. A .tar.zst archive is
// unpacked into dir.
func Folder(path, dir string) (string, error) {
	info, err := os.Stat(path)
	if err != nil || info.IsDir() {
		return path, err
	}
	packed, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer packed.Close()
	plain, err := zstd.NewReader(packed, zstd.WithDecoderMaxWindow(1<<27))
	if err != nil {
		return "", err
	}
	defer plain.Close()
	for files := tar.NewReader(plain); ; {
		header, err := files.Next()
		if errors.Is(err, io.EOF) {
			return dir, nil
		}
		if err != nil {
			return "", err
		}
		if header.Typeflag != tar.TypeReg {
			continue
		}
		text, err := io.ReadAll(files)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, filepath.Base(header.Name)), text, 0o600); err != nil {
			return "", err
		}
	}
}
