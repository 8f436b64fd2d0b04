package config

import (
	"fmt"
	"strings"

	"tracekit/internal/terminal"
)

// Diagnostics is every problem of one configuration, in the order of the
// checks. As an error it is never empty.
type Diagnostics []*Diagnostic

// maxPrinted is how many problems are told before the rest is only counted.
const maxPrinted = 50

// Error prints each problem in a line of its own, with the line of the source
// and a caret below it.
func (d Diagnostics) Error() string {
	var b strings.Builder
	for i, diagnostic := range d {
		if i > 0 {
			b.WriteByte('\n')
		}
		if i == maxPrinted {
			fmt.Fprintf(&b, "and %d more", len(d)-i)
			break
		}
		b.WriteString(diagnostic.Error())
		if snippet := diagnostic.Snippet(); snippet != "" {
			b.WriteByte('\n')
			b.WriteString(snippet)
		}
	}
	return b.String()
}

// Unwrap gives each problem.
func (d Diagnostics) Unwrap() []error {
	all := make([]error, len(d))
	for i, diagnostic := range d {
		all[i] = diagnostic
	}
	return all
}

// Execution tells that the reference program would accept the configuration
// and fail later, with exit code 1: every problem is of that kind.
func (d Diagnostics) Execution() bool {
	for _, diagnostic := range d {
		if !diagnostic.Execution {
			return false
		}
	}
	return len(d) > 0
}

// err is d as an error, nil when there is none.
func (d Diagnostics) err() error {
	if len(d) == 0 {
		return nil
	}
	return d
}

// Diagnostic is one problem of a configuration.
type Diagnostic struct {
	File    string // as the user named it, or the --set that holds the value
	Line    int    // from 1; 0 when there is none to name
	Column  int    // from 1, in characters; 0 when there is none to name
	Path    string // dotted, as after --set: engine.workers.aggregated.timing; may be empty
	Found   string // what stands there
	Allowed string // what is allowed; may be empty
	Remedy  string // how to mend it; may be empty
	// Execution tells that the reference program accepts the configuration
	// and fails later: exit code 1 instead of 2.
	Execution bool

	at place
}

// newDiagnostic is a problem at a place.
func newDiagnostic(at place, path, found, allowed string) *Diagnostic {
	d := &Diagnostic{Path: path, Found: found, Allowed: allowed, at: at}
	if at.source != nil {
		d.File = at.source.name
		if !at.source.set {
			d.Line, d.Column = at.line, at.column
		}
	}
	return d
}

// with adds a remedy.
func (d *Diagnostic) with(remedy string) *Diagnostic {
	d.Remedy = remedy
	return d
}

// Error tells everything in one line.
func (d *Diagnostic) Error() string {
	var b strings.Builder
	b.WriteString(printable(d.File))
	if d.Line > 0 {
		fmt.Fprintf(&b, ":%d:%d", d.Line, d.Column)
	}
	for _, part := range []string{printable(d.Path), d.Found} {
		if part != "" {
			b.WriteString(": " + part)
		}
	}
	if d.Allowed != "" {
		b.WriteString("; expected " + d.Allowed)
	}
	if d.Remedy != "" {
		b.WriteString(" (to mend it: " + d.Remedy + ")")
	}
	return b.String()
}

// Snippet is the line of the source with a caret below the column, as two
// lines of text, or "" where there is none to show.
func (d *Diagnostic) Snippet() string { return d.at.snippet() }

// printable escapes what must not reach a terminal, and cuts what is too long
// to be read.
func printable(text string) string {
	const most = 200
	if runes := []rune(text); len(runes) > most {
		text = string(runes[:most]) + "…"
	}
	return terminal.Printable(text)
}

// quoted is text between quotation marks, escaped and cut.
func quoted(text string) string { return `"` + printable(text) + `"` }
