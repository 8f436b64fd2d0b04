package formats

import (
	"errors"
	"strconv"
	"strings"

	"tracekit/internal/strictjson"
	"tracekit/internal/terminal"
)

// Error is bad input, told to the person who has to mend it: where it is,
// what was found there, what is allowed, and what to do.
type Error struct {
	File   string // as the user would name it
	Line   int    // from 1; 0 when there is none to name
	Column int    // from 1, in bytes; 0 when there is none to name
	Object string // what the place belongs to, as `play "p1", request 12`
	Path   string // field, as `requests[12].api_time`
	Found  string // what stands there
	Rule   string // what is allowed
	Remedy string // how to mend it; may be empty
}

// Error tells everything in one line, so that a list of errors is a list of
// lines.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Position())
	for _, part := range []string{e.Object, e.ShortPath(), e.Found} {
		if part != "" {
			b.WriteString(": " + part)
		}
	}
	if e.Rule != "" {
		b.WriteString("; " + e.Rule)
	}
	if e.Remedy != "" {
		b.WriteString(" (to mend it: " + e.Remedy + ")")
	}
	return b.String()
}

// Position is the place as editors understand it: file, line and column, as
// far as there are.
func (e *Error) Position() string {
	text := terminal.Printable(e.File)
	if e.Line > 0 {
		text += ":" + strconv.Itoa(e.Line)
		if e.Column > 0 {
			text += ":" + strconv.Itoa(e.Column)
		}
	}
	return text
}

// ShortPath is the path without the middle of one that is too long to be
// read, as in a text of nothing but brackets.
func (e *Error) ShortPath() string {
	const head, tail = 80, 40
	path := e.Path
	if len(path) > 2*(head+tail) {
		path = strings.ToValidUTF8(path[:head], "") + "…" + strings.ToValidUTF8(path[len(path)-tail:], "")
	}
	return terminal.Printable(path)
}

// WithPosition makes an Error of a strictjson error. Text is what the cursor
// read, which begins at line and column firstLine and firstColumn of file.
func WithPosition(file string, firstLine, firstColumn int, text []byte, err *strictjson.Error) *Error {
	line, column := strictjson.Position(text, err.Offset)
	if line == 1 {
		column += firstColumn - 1
	}
	e := &Error{File: file, Line: firstLine + line - 1, Column: column, Path: err.Path, Found: err.Found, Rule: err.Rule}
	if err.Truncated {
		e.Remedy = "if the file was cut short, fetch or write it again"
	}
	return e
}

// UsageError is a request that makes no sense whatever the input holds, such
// as an output that is the input.
type UsageError struct {
	Problem string
	Remedy  string
}

// Error tells problem and remedy in one line.
func (e *UsageError) Error() string {
	if e.Remedy == "" {
		return e.Problem
	}
	return e.Problem + "; " + e.Remedy
}

// Errors is several errors found in one run, in the order of the input.
type Errors struct {
	All     []error
	Stopped bool // at a limit: there may be more
}

// Error puts each error on a line of its own.
func (e *Errors) Error() string {
	lines := make([]string, 0, len(e.All)+1)
	for _, err := range e.All {
		lines = append(lines, err.Error())
	}
	if e.Stopped {
		lines = append(lines, "and there may be more")
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives the kept errors.
func (e *Errors) Unwrap() []error { return e.All }

// ErrChanged is wrapped by errors about a file that changed while it was
// being read.
var ErrChanged = errors.New("the file changed while it was being read")
