package weka

import (
	"errors"
	"io"
	"os"

	"github.com/cespare/xxhash/v2"

	"tracekit/formats"
)

func (t *Trace) place(fact playFact, text []byte) place {
	return place{
		file: t.files[fact.file].path, name: t.documentName(int(fact.file), int(fact.index)),
		text: text, line: int(fact.line), column: int(fact.column),
	}
}

// text reads a document again.
func (t *Trace) text(fact playFact) (text []byte, release func(), err error) {
	path := t.files[fact.file].path
	file, err := os.Open(path)
	if err != nil {
		return nil, nil, &formats.Error{File: path, Found: "cannot be opened: " + cause(err)}
	}
	defer file.Close()
	stat, err := file.Stat()
	if err != nil {
		return nil, nil, &formats.Error{File: path, Found: "cannot be read: " + cause(err)}
	}
	if stat.Size() != t.files[fact.file].size {
		return nil, nil, formats.ChangedError(path)
	}
	text, release = buffer(int(fact.size))
	_, err = file.ReadAt(text, fact.offset)
	switch {
	case err != nil && !errors.Is(err, io.EOF):
		release()
		return nil, nil, &formats.Error{File: path, Found: "cannot be read: " + cause(err)}
	case err != nil || xxhash.Sum64(text) != fact.hash:
		release()
		return nil, nil, formats.ChangedError(path)
	}
	return text, release, nil
}
