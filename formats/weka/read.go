package weka

import (
	"context"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"sync"

	"github.com/zeebo/blake3"

	"tracekit/formats"
)

// rawDocument is the text of one document on its way to be parsed.
type rawDocument struct {
	file    int // index of its file
	index   int // in its file
	ordinal int // in the corpus
	offset  int64
	text    []byte
	line    int // of its beginning in the file, from 1
	column  int
	release func() // gives the text's memory back

	failure error // set alone: the file cannot be read any further
}

// name returns the document's name (weka.md 2).
func (t *Trace) documentName(file, index int) string {
	f := t.files[file]
	if !f.lines() {
		return f.name
	}
	return fmt.Sprintf("%s#%06d", f.name, index)
}

// buffers are documents' texts in waiting.
var buffers sync.Pool

// buffer returns memory of exactly n bytes and how to give it back.
func buffer(n int) ([]byte, func()) {
	b, _ := buffers.Get().(*[]byte)
	if b == nil || cap(*b) < n {
		fresh := make([]byte, n)
		b = &fresh
	}
	return (*b)[:n], func() { buffers.Put(b) }
}

// extend appends to text, of which no more than so many further bytes can
// come: the last time it grows it takes no more memory than it needs.
func extend(text, more []byte, further int64) []byte {
	if need := len(text) + len(more); need > cap(text) {
		text = grow(text, min(int64(2*need), int64(need)+further))
	}
	return append(text, more...)
}

// grow returns text with room for so many bytes in all.
func grow(text []byte, room int64) []byte {
	grown := make([]byte, len(text), room)
	copy(grown, text)
	return grown
}

// corpusHash is the raw digest of a corpus (weka.md 13).
type corpusHash struct{ hash *blake3.Hasher }

func newCorpusHash() corpusHash {
	h := corpusHash{blake3.New()}
	h.write([]byte("aisimulate-weka-corpus-v1\x00"))
	return h
}

// file begins a file of that source name and size in bytes.
func (h corpusHash) file(name string, size int64) {
	h.write(binary.LittleEndian.AppendUint64(nil, uint64(len(name))))
	h.write([]byte(name))
	h.write(binary.LittleEndian.AppendUint64(nil, uint64(size)))
}

// write adds bytes; the hasher's Write is documented never to fail.
func (h corpusHash) write(p []byte) { _, _ = h.hash.Write(p) }

// sourceDigest is the digest of a corpus read with that basis.
func (h corpusHash) sourceDigest(basis Basis) string {
	raw := hex.EncodeToString(h.hash.Sum(nil))
	final := blake3.New()
	text := []byte("aisimulate-weka-corpus-semantics-v2\x00")
	text = binary.LittleEndian.AppendUint64(text, uint64(len(raw)))
	text = append(text, raw...)
	text = binary.LittleEndian.AppendUint64(text, uint64(len(basis)))
	text = append(text, basis...)
	_, _ = final.Write(text)
	return hex.EncodeToString(final.Sum(nil))
}

// documents reads all files in order, feeds their bytes to the raw digest,
// and yields every document.
func (t *Trace) documents(ctx context.Context, digest corpusHash) iter.Seq2[rawDocument, error] {
	return func(yield func(rawDocument, error) bool) {
		ordinal := 0
		for i := range t.files {
			if err := ctx.Err(); err != nil {
				yield(rawDocument{}, context.Cause(ctx))
				return
			}
			more := true
			err := t.fileDocuments(ctx, i, digest, func(d rawDocument) bool {
				d.file, d.ordinal = i, ordinal
				ordinal++
				more = yield(d, nil)
				return more
			})
			if !more {
				return
			}
			// It takes its place behind the documents before it: what is wrong
			// with one of them is told first.
			if err != nil && !yield(rawDocument{file: i, failure: err}, nil) {
				return
			}
		}
	}
}

// fileDocuments reads one file.
func (t *Trace) fileDocuments(ctx context.Context, i int, digest corpusHash, yield func(rawDocument) bool) error {
	f := t.files[i]
	file, err := os.Open(f.path)
	if err != nil {
		return &formats.Error{File: f.path, Found: "cannot be opened: " + cause(err)}
	}
	defer file.Close()
	stat, err := file.Stat()
	if err != nil {
		return &formats.Error{File: f.path, Found: "cannot be read: " + cause(err)}
	}
	t.files[i].size = stat.Size()
	digest.file(f.name, stat.Size())
	source := &hashedFile{ctx: ctx, file: file, path: f.path, size: stat.Size(), digest: digest, onBytes: t.opts.OnBytes}
	if f.lines() {
		err = splitDocuments(source, window, patience, yield)
	} else {
		err = wholeDocument(source, patience, yield)
	}
	if err != nil {
		return err
	}
	return source.unchanged()
}

// hashedFile reads a file from end to end and feeds the digest on the way.
type hashedFile struct {
	ctx     context.Context
	file    *os.File
	path    string
	size    int64 // when it was opened
	read    int64
	digest  corpusHash
	onBytes func(int)
	// abandoned tells that the rest is left unread on purpose: what came
	// before it is no document.
	abandoned bool
}

// Read reads on, never beyond the size that the file had when it was opened.
func (h *hashedFile) Read(p []byte) (int, error) {
	if h.ctx.Err() != nil {
		return 0, context.Cause(h.ctx)
	}
	if h.read == h.size {
		return 0, io.EOF
	}
	n, err := h.file.Read(p[:min(int64(len(p)), h.size-h.read)])
	h.read += int64(n)
	h.digest.write(p[:n])
	if h.onBytes != nil {
		h.onBytes(n)
	}
	switch {
	case err == io.EOF && n == 0:
		return 0, formats.ChangedError(h.path) // it became shorter
	case err != nil && err != io.EOF:
		return n, &formats.Error{File: h.path, Found: "cannot be read: " + cause(err)}
	}
	return n, nil
}

// unchanged returns an error when the file's size is not what was read.
func (h *hashedFile) unchanged() error {
	if h.abandoned {
		return nil
	}
	stat, err := h.file.Stat()
	if err != nil {
		return &formats.Error{File: h.path, Found: "cannot be read: " + cause(err)}
	}
	if stat.Size() != h.size || h.read != h.size {
		return formats.ChangedError(h.path)
	}
	return nil
}

// wholeDocument yields a .json file, which is one document. Of a file that
// cannot be one no more is read than it takes to see it.
func wholeDocument(h *hashedFile, patience int, yield func(rawDocument) bool) error {
	text, release := buffer(int(min(h.size, int64(patience))))
	for at := 0; ; {
		if _, err := io.ReadFull(h, text[at:]); err != nil && err != io.EOF {
			release()
			return err
		}
		if h.read == h.size {
			break
		}
		if h.abandoned = broken(text); h.abandoned {
			break
		}
		at = len(text)
		room := min(int64(2*at), h.size)
		text = grow(text, room)[:room]
		release = func() { buffers.Put(&text) }
	}
	yield(rawDocument{text: text, line: 1, column: 1, release: release})
	return nil
}

// broken tells whether the beginning of a document is wrong already.
func broken(text []byte) bool {
	var p parser // a new one each time: it would keep the text of the last
	_, err := p.parse(text, false)
	return err != nil && !err.Truncated
}

// window is how much of a .jsonl file is looked at at once.
const window = 1 << 18

// patience is how much of a document is read before what there is of it is
// parsed, to see that it goes on because it is long and not because a brace
// is missing. It doubles with each look.
const patience = 16 << 20

// splitDocuments yields the documents of a .jsonl file: objects one after
// another, whatever white space is between them. What does not look like an
// object is yielded too, for the parser to refuse, and is the last. A document
// that fits the window is copied once; a longer one grows in memory.
func splitDocuments(h *hashedFile, window, patience int, yield func(rawDocument) bool) error {
	var (
		in     = make([]byte, window)
		long   []byte // of a document that began in an earlier window
		bound  = patience
		scan   = documentScan{line: 1, column: 1}
		index  int
		offset int64 // of the window in the file
	)
	for {
		n, err := io.ReadFull(h, in)
		if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
			return err
		}
		last := err != nil
		text := in[:n]
		for len(text) > 0 || last && len(long) > 0 {
			if len(long) == 0 {
				skipped := scan.space(text)
				text, offset = text[skipped:], offset+int64(skipped)
				if len(text) == 0 {
					break
				}
				scan.begin()
			}
			used, complete := scan.next(text)
			if !complete && !last {
				long = extend(long, text, h.size-h.read)
				offset += int64(len(text))
				if len(long) < bound {
					break
				}
				if !broken(long) {
					bound = 2 * len(long)
					break
				}
				text, used, h.abandoned = nil, 0, true // broken: the parser shall say how
			}
			begin := offset - int64(len(long))
			var whole []byte
			var release func()
			if len(long) == 0 {
				whole, release = buffer(used)
				copy(whole, text)
			} else {
				whole = extend(long, text[:used], 0)
				release = func() { buffers.Put(&whole) }
			}
			h.abandoned = h.abandoned || whole[0] != '{'
			doc := rawDocument{index: index, text: whole, offset: begin, line: scan.startLine, column: scan.startColumn, release: release}
			text, offset = text[used:], offset+int64(used)
			long, bound = nil, patience
			index++
			if !yield(doc) || h.abandoned {
				return nil
			}
		}
		if last {
			break
		}
	}
	if index == 0 {
		return emptyFileError(h.path)
	}
	return nil
}

func emptyFileError(path string) error {
	return &formats.Error{File: path, Found: "there is no document in this file", Rule: "each file of a corpus holds at least one JSON object", Remedy: "remove the file from the corpus"}
}
