package mooncake

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"tracekit/formats"
	"tracekit/formats/jsonl"
	"tracekit/internal/semantics"
)

// DefaultBlockSize is the size of the blocks of public traces, in tokens. The
// rows themselves do not tell it.
const DefaultBlockSize = 512

// Options says how a file is read. The zero value is ready.
type Options struct {
	Semantics semantics.Mode
	BlockSize uint64 // tokens per hash id; 0 is [DefaultBlockSize]
	// OnBytes, if not nil, is told about every piece of the file that was read.
	OnBytes func(n int)
}

// File is a mooncake file as sessions. It is not written to once it was read.
type File struct {
	name     string // as the user would name it
	text     []byte
	opts     Options
	sessions []Session
	requests int
}

// Read reads a file and checks the rules of formats.md 2.2 and 2.3: the first
// offence in file order is the error, a *[formats.Error]. Rules that a replay
// asks for are left to [File.CheckStart].
//
// The source belongs to Read, which closes it.
func Read(ctx context.Context, source *formats.Source, opts Options) (*File, error) {
	defer source.Close()
	if opts.BlockSize == 0 {
		opts.BlockSize = DefaultBlockSize
	}
	f := &File{name: source.Name, opts: opts}
	if err := f.readText(ctx, source); err != nil {
		return nil, err
	}
	if err := f.parse(ctx); err != nil {
		return nil, err
	}
	return f, nil
}

func (f *File) readText(ctx context.Context, source *formats.Source) error {
	f.text = make([]byte, source.Size)
	for rest, at := f.text, int64(0); len(rest) > 0; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		part := rest[:min(len(rest), jsonl.BlockSize)]
		if err := jsonl.ReadFull(source, part, at); err != nil {
			return err
		}
		if f.opts.OnBytes != nil {
			f.opts.OnBytes(len(part))
		}
		rest, at = rest[len(part):], at+int64(len(part))
	}
	return source.Unchanged()
}

// shortestRow is the least bytes that a row takes, so that a file of blank
// lines is not taken for one of rows.
const shortestRow = len(`{"output_length":0,"hash_ids":[]}`)

// contextRows is how many rows are parsed between two looks at the context.
const contextRows = 1024

func (f *File) parse(ctx context.Context) error {
	p := newParser(f.opts)
	g := newGathering(min(bytes.Count(f.text, []byte{'\n'}), len(f.text)/shortestRow) + 1)
	var r row
	for line := range f.lines() {
		if len(g.turns)%contextRows == 0 && ctx.Err() != nil {
			return context.Cause(ctx)
		}
		problem := p.parse(line.Text, &r)
		if problem == nil {
			r.Line = line.Line
			problem = p.check(&r)
		}
		if problem == nil {
			problem = g.add(p, &r)
		}
		if problem != nil {
			return problem.In(f.name, line.Line)
		}
	}
	if len(g.turns) == 0 {
		return &formats.Error{File: f.name, Found: "the file has no rows", Rule: "a trace has at least one request",
			Remedy: "see that what should have written it did"}
	}
	f.requests = len(g.turns)
	f.sessions = g.gather()
	return nil
}

// lines yields the lines of the file that are not blank.
func (f *File) lines() func(func(jsonl.Row) bool) {
	return jsonl.Block{Text: f.text, Line: 1}.Rows()
}

// Sessions returns the sessions in the order of their first rows, as they were
// recorded: starts and delays are those of the file. The caller must not
// change them.
func (f *File) Sessions() []Session { return f.sessions }

// Requests returns the number of rows.
func (f *File) Requests() int { return f.requests }

// BlockSize returns how many tokens a hash id stands for.
func (f *File) BlockSize() uint64 { return f.opts.BlockSize }

// broken is the error about a turn whose values are fine by themselves. It
// points at the first of those fields that the row has.
func (f *File) broken(s *Session, turn int, found, rule, remedy string, candidates ...int) error {
	at := s.Turns[turn].Line
	problem := jsonl.Problem{Object: turnName(s, turn), Path: fieldNames[candidates[0]], Found: found, Rule: rule, Remedy: remedy}
	for line := range f.lines() {
		if line.Line == at {
			p := newParser(f.opts)
			p.parse(line.Text, new(row))
			if i := slices.IndexFunc(candidates, p.fields.Has); i >= 0 {
				problem.Path, problem.Offset = fieldNames[candidates[i]], p.fields.At(candidates[i])
			}
			break
		}
	}
	return problem.In(f.name, at)
}

func turnName(s *Session, turn int) string {
	if len(s.Turns) == 1 {
		return fmt.Sprintf("session %q", s.Name)
	}
	return fmt.Sprintf("session %q, turn %d", s.Name, turn+1)
}
