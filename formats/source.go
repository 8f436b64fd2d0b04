package formats

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"

	kgzip "github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// DefaultMaxBytes bounds how far compressed or piped input may unfold.
const DefaultMaxBytes = 16 << 30

// Source is one input as seekable plain bytes, whatever it came as.
type Source struct {
	Name string // as the user would name it
	Size int64  // bytes, after decompression
	file *os.File
	stat fs.FileInfo // of a file that is read in place; nil for a spool
}

// Open opens a regular file, or standard input for "-". Gzip and zstd are
// recognised by their first bytes. Compressed and piped input is unfolded
// once into a spool file without a name, which the system frees when the
// Source is closed or the process ends; more than maxBytes of it is an error.
//
// Open returns when the context ends, even while it waits for a pipe or a
// terminal that nobody writes to.
func Open(ctx context.Context, path string, stdin io.Reader, maxBytes int64) (*Source, error) {
	if path == "-" {
		return spool(ctx, "standard input", stdin, maxBytes)
	}
	file, err := await(ctx, func() (*os.File, error) { return os.Open(path) })
	if err != nil && ctx.Err() != nil {
		return nil, err
	}
	if err != nil {
		return nil, openError(path, err)
	}
	stat, err := file.Stat()
	if err != nil {
		file.Close()
		return nil, openError(path, err)
	}
	if stat.IsDir() {
		file.Close()
		return nil, &Error{File: path, Found: "this is a directory", Rule: "a single file is expected here"}
	}
	var magic [4]byte
	n, err := file.ReadAt(magic[:], 0)
	if stat.Mode().IsRegular() && (err == nil || errors.Is(err, io.EOF)) && compression(magic[:n]) == "" {
		return &Source{Name: path, Size: stat.Size(), file: file, stat: stat}, nil
	}
	defer file.Close()
	return spool(ctx, path, file, maxBytes)
}

// await returns what do returns, or the cause of the context's end if that is
// earlier: do, which the system may keep waiting for ever, is left behind then.
func await[T any](ctx context.Context, do func() (T, error)) (T, error) {
	type result struct {
		value T
		err   error
	}
	done := make(chan result, 1)
	go func() {
		value, err := do()
		done <- result{value, err}
	}()
	select {
	case r := <-done:
		return r.value, r.err
	case <-ctx.Done():
		var none T
		return none, context.Cause(ctx)
	}
}

func openError(path string, err error) error {
	return &Error{File: path, Found: "cannot be opened: " + cause(err)}
}

func readError(name string, err error) error {
	return &Error{File: name, Found: "cannot be read: " + cause(err)}
}

// cause returns the system's words for an error about a file.
func cause(err error) string {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	return err.Error()
}

// compression names the packing that text begins with, "" for none.
func compression(text []byte) string {
	switch {
	case bytes.HasPrefix(text, []byte{0x1f, 0x8b}):
		return "gzip"
	case bytes.HasPrefix(text, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return "zstd"
	}
	return ""
}

// spool unfolds a stream into a nameless file.
func spool(ctx context.Context, name string, r io.Reader, maxBytes int64) (*Source, error) {
	file, err := NamelessFile()
	if err != nil {
		return nil, err
	}
	size, err := await(ctx, func() (int64, error) { return unfold(ctx, file, name, r, maxBytes) })
	if err != nil {
		file.Close()
		return nil, err
	}
	return &Source{Name: name, Size: size, file: file}, nil
}

// unfold copies a stream, unpacked if need be, and returns its size.
func unfold(ctx context.Context, to *os.File, name string, r io.Reader, maxBytes int64) (size int64, err error) {
	from := &contextReader{ctx: ctx, r: r}
	buffered := bufio.NewReaderSize(from, 1<<18)
	magic, err := buffered.Peek(4)
	if err != nil && !errors.Is(err, io.EOF) {
		return 0, readError(name, err)
	}
	plain := io.Reader(buffered)
	packing := compression(magic)
	switch packing {
	case "gzip":
		unpacked, err := kgzip.NewReader(buffered)
		if err != nil {
			return 0, unpackError(name, packing, err)
		}
		plain = unpacked
	case "zstd":
		unpacked, err := zstd.NewReader(buffered, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
		if err != nil {
			return 0, unpackError(name, packing, err)
		}
		defer unpacked.Close()
		plain = unpacked
	}
	limit := maxBytes
	if limit < math.MaxInt64 {
		limit++ // one byte more tells that there are too many
	}
	size, err = io.Copy(spoolWriter{to}, io.LimitReader(plain, limit))
	var full *spoolError
	switch {
	case err == nil && size > maxBytes:
		err = &Error{File: name, Found: fmt.Sprintf("holds more than %d bytes", maxBytes), Rule: "this is the limit for compressed and piped input",
			Remedy: "raise it with --max-bytes if the input can be trusted"}
	case err == nil:
	case ctx.Err() != nil:
		err = context.Cause(ctx)
	case errors.As(err, &full):
		err = full
	case from.err != nil:
		err = readError(name, from.err)
	case packing != "":
		err = unpackError(name, packing, err)
	default:
		err = readError(name, err)
	}
	return size, err
}

// spoolWriter marks errors of writing among those of reading.
type spoolWriter struct{ file *os.File }

func (w spoolWriter) Write(p []byte) (int, error) {
	n, err := w.file.Write(p)
	if err != nil {
		return n, &spoolError{err}
	}
	return n, nil
}

type spoolError struct{ err error }

func (e *spoolError) Unwrap() error { return e.err }

func (e *spoolError) Error() string {
	return fmt.Sprintf("the spool file in %s cannot be written: %s; set TMPDIR to a folder with more room, or name a plain file", os.TempDir(), cause(e.err))
}

func unpackError(name, packing string, err error) error {
	found := "the " + packing + " data is damaged: " + err.Error()
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		found = "the " + packing + " data ends too early"
	} else if errors.Is(err, gzip.ErrChecksum) || errors.Is(err, kgzip.ErrChecksum) || errors.Is(err, zstd.ErrCRCMismatch) {
		found = "the " + packing + " data fails its checksum"
	}
	return &Error{File: name, Found: found, Remedy: "fetch or pack the file again"}
}

// NamelessFile makes a temporary file that is gone from its folder at once,
// so that nothing can be left behind.
func NamelessFile() (*os.File, error) {
	file, err := os.CreateTemp("", "tracekit-spool-*")
	if err != nil {
		return nil, fmt.Errorf("a spool file cannot be made in %s: %s; set TMPDIR to a folder that can be written", os.TempDir(), cause(err))
	}
	if err := os.Remove(file.Name()); err != nil {
		file.Close()
		return nil, fmt.Errorf("the spool file cannot be unlinked: %w", err)
	}
	return file, nil
}

// ReadAt reads plain bytes at an offset.
func (s *Source) ReadAt(p []byte, offset int64) (int, error) { return s.file.ReadAt(p, offset) }

// Unchanged returns an error when the file has another size or time than when
// it was opened.
func (s *Source) Unchanged() error {
	if s.stat == nil {
		return nil
	}
	now, err := s.file.Stat()
	if err != nil {
		return openError(s.Name, err)
	}
	if now.Size() != s.stat.Size() || !now.ModTime().Equal(s.stat.ModTime()) {
		return ChangedError(s.Name)
	}
	return nil
}

// ChangedError is the error for a file that changed while it was being read.
func ChangedError(name string) error {
	return fmt.Errorf("%s: %w; copy it to a quiet place first", name, ErrChanged)
}

// FromFile makes a Source of an open file, which it then owns. Name is for
// errors.
func FromFile(name string, file *os.File) (*Source, error) {
	stat, err := file.Stat()
	if err != nil {
		return nil, openError(name, err)
	}
	return &Source{Name: name, Size: stat.Size(), file: file}, nil
}

// Close closes the file.
func (s *Source) Close() error { return s.file.Close() }

// contextReader reads until the context ends, and keeps the error that it
// met, which a reader behind it may take for one of its own.
type contextReader struct {
	ctx context.Context
	r   io.Reader
	err error // other than io.EOF
}

func (c *contextReader) Read(p []byte) (int, error) {
	if c.ctx.Err() != nil {
		return 0, context.Cause(c.ctx)
	}
	n, err := c.r.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		c.err = err
	}
	return n, err
}

// Spooled tells whether the input came compressed or through a pipe.
func (s *Source) Spooled() bool { return s.stat == nil }
