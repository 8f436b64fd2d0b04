package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"

	"tracekit/formats/weka"
	"tracekit/graph"
)

// identityFacts is what `verify` prints of a trace, under stable keys.
type identityFacts struct {
	Format      string           `json:"format,omitempty"`
	Source      graph.Source     `json:"source"`
	GraphDigest string           `json:"graph_digest"`
	BlockSize   uint64           `json:"block_size"`
	Plays       int              `json:"plays"`
	Requests    int              `json:"requests"`
	Sessions    int              `json:"sessions"`
	Roots       int              `json:"roots"`
	Models      []string         `json:"models"`
	Edges       graph.EdgeCounts `json:"edges"`
}

func identityOf(format string, s graph.Summary) identityFacts {
	return identityFacts{
		Format: format, Source: s.Source, GraphDigest: s.GraphDigest, BlockSize: s.BlockSize,
		Plays: s.Plays, Requests: s.Requests, Sessions: s.Sessions, Roots: s.Roots, Models: s.Models, Edges: s.Edges,
	}
}

// convertFacts is what `convert weka` prints.
type convertFacts struct {
	identityFacts
	Files       int        `json:"files"`
	ZeroOutputs int        `json:"raw_zero_outputs"`
	Basis       string     `json:"nested_timestamp_basis"`
	Mends       weka.Mends `json:"mends"`
	Verified    bool       `json:"verified"`
}

// writeJSON writes one indented object.
func writeJSON(w io.Writer, value any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(value)
}

// rows is a table of a label and a text in each line.
type rows struct {
	w   *tabwriter.Writer
	err error
}

func newRows(w io.Writer) *rows { return &rows{w: tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)} }

func (r *rows) row(label, format string, args ...any) {
	if _, err := fmt.Fprintf(r.w, "%s\t%s\n", label, fmt.Sprintf(format, args...)); err != nil && r.err == nil {
		r.err = err
	}
}

// blank puts an empty line.
func (r *rows) blank() {
	if _, err := fmt.Fprintln(r.w); err != nil && r.err == nil {
		r.err = err
	}
}

func (r *rows) flush() error {
	if err := r.w.Flush(); err != nil {
		return err
	}
	return r.err
}

func (r *rows) identity(f identityFacts) {
	if f.Format != "" {
		r.row("format", "%s", f.Format)
	}
	r.row("source", "%s %s", f.Source.Format, f.Source.Digest)
	r.row("graph digest", "%s", f.GraphDigest)
	r.row("block size", "%d tokens", f.BlockSize)
	r.row("plays", "%s", grouped(f.Plays))
	r.row("requests", "%s in %s sessions, %s of them roots", grouped(f.Requests), grouped(f.Sessions), grouped(f.Roots))
	r.row("models", "%s", strings.Join(f.Models, ", "))
	r.row("edges", "%s", edgeText(f.Edges))
}

// edgeText lists the kinds of edges that there are.
func edgeText(c graph.EdgeCounts) string {
	var parts []string
	for relation := range c {
		for trigger, n := range c[relation] {
			if n > 0 {
				parts = append(parts, fmt.Sprintf("%s %s/%s", grouped(n), graph.Relation(relation), graph.Trigger(trigger)))
			}
		}
	}
	if parts == nil {
		return "none"
	}
	return strings.Join(parts, ", ")
}

func writeConvertTable(w io.Writer, f convertFacts, target string, read, written int64, took time.Duration) error {
	if target == "-" {
		target = "standard output"
	}
	r := newRows(w)
	r.row("converted", "%s files, %s, to %s, %s", grouped(f.Files), size(read), target, size(written))
	r.identity(f.identityFacts)
	r.row("zero outputs", "%s", grouped(f.ZeroOutputs))
	r.row("nested timestamps", "%s", strings.ReplaceAll(f.Basis, "_", " "))
	for _, mend := range []struct {
		name  string
		count int
	}{
		{weka.RepairMissingAPITime, f.Mends.MissingAPITime},
		{weka.RepairUndeclaredModels, f.Mends.UndeclaredModels},
		{weka.RepairNestedClock, f.Mends.NestedClock},
	} {
		if mend.count > 0 {
			r.row("mended", "%s requests: %s", grouped(mend.count), mend.name)
		}
	}
	r.row("verified", "what was written reads back as the same graph")
	r.row("time", "%.2f s, %s/s read", took.Seconds(), size(int64(float64(read)/max(took.Seconds(), 1e-9))))
	return r.flush()
}

// grouped writes a count with a comma between thousands.
func grouped(n int) string {
	text := fmt.Sprint(n)
	for i := len(text) - 3; i > 0 && text[i-1] != '-'; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}

// size writes a number of bytes in decimal units.
func size(bytes int64) string {
	switch {
	case bytes >= 1e9:
		return fmt.Sprintf("%.2f GB", float64(bytes)/1e9)
	case bytes >= 1e6:
		return fmt.Sprintf("%.1f MB", float64(bytes)/1e6)
	case bytes >= 1e3:
		return fmt.Sprintf("%.1f kB", float64(bytes)/1e3)
	}
	return fmt.Sprintf("%d B", bytes)
}
