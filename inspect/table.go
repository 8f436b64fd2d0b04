package inspect

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"tracekit/graph"
	"tracekit/internal/terminal"
)

// WriteTable writes the report as aligned text for people. Times are in
// seconds there.
func (r Report) WriteTable(w io.Writer) error {
	var t table
	r.writeCounts(&t)
	r.writeEdges(&t)
	r.writeDistributions(&t)
	r.writeWindows(&t)
	r.writeBlocks(&t)
	if r.Weka != nil {
		r.Weka.write(&t)
	}
	_, err := io.WriteString(w, t.text.String())
	return err
}

func (r Report) writeCounts(t *table) {
	t.row("plays", integer(r.Plays))
	t.row("requests", integer(r.Requests))
	t.row("sessions", integer(r.Sessions))
	t.row("roots", integer(r.Roots))
	t.row("zero outputs", integer(r.ZeroOutputs))
	t.row("time span", seconds(r.SpanMs)+" s")
	t.end()

	t.row("model", "requests")
	for _, m := range r.Models {
		t.row(printable(m.Model), integer(m.Requests))
	}
	t.end()
}

func (r Report) writeEdges(t *table) {
	t.row("edges", graph.Dispatch.String(), graph.Completion.String())
	for _, relation := range []graph.Relation{graph.Sequence, graph.Spawn, graph.Join, graph.ReplayBarrier} {
		counts := r.Edges[relation]
		t.row(relation.String(), integer(counts[graph.Dispatch]), integer(counts[graph.Completion]))
	}
	t.end()
}

func (r Report) writeDistributions(t *table) {
	t.row("", "count", "min", "p10", "p25", "p50", "p75", "p90", "p99", "max", "mean")
	distribution(t, "requests per play", r.RequestsPerPlay, integer)
	distribution(t, "sessions per play", r.SessionsPerPlay, integer)
	distribution(t, "depth of a play", r.Depth, integer)
	distribution(t, "fan-out", r.FanOut, integer)
	distribution(t, "input, tokens", r.InputTokens, integer)
	distribution(t, "output, tokens", r.OutputTokens, integer)
	distribution(t, "span of a play, s", r.PlaySpanMs, seconds)
	distribution(t, "gap in a play, s", r.GapInPlayMs, seconds)
	if r.GapInTraceMs != nil {
		distribution(t, "gap in the trace, s", *r.GapInTraceMs, seconds)
	}
	t.end()
}

func (r Report) writeWindows(t *table) {
	t.row("context window, tokens", "requests above", "share")
	for _, c := range r.ContextWindows {
		t.row(integer(c.Tokens), integer(c.Requests), percent(c.Share))
	}
	t.end()
}

func (r Report) writeBlocks(t *table) {
	if r.BlockSize > 0 {
		t.row("block size, tokens", integer(r.BlockSize))
	}
	t.row("blocks of all prompts", integer(r.Blocks.References))
	t.row("distinct blocks", integer(r.Blocks.Distinct))
	t.row("ideal hit rate", percent(r.Blocks.IdealHitRate))
	t.end()

	t.row("cache, blocks", "tokens", "hits", "hit rate")
	for _, p := range r.Blocks.Curve {
		tokens := "-"
		if p.Tokens > 0 {
			tokens = integer(p.Tokens)
		}
		t.row(integer(p.Blocks), tokens, integer(p.Hits), percent(p.HitRate))
	}
	t.end()
}

func (f *WekaFacts) write(t *table) {
	d := f.IDDialect
	t.row("Weka documents", "")
	t.row("id dialect", dialectName(d))
	t.row("  floor", integer(d.Floor))
	t.row("  ceil", integer(d.Ceil))
	t.row("  exact", integer(d.Exact))
	t.row("  other", integer(d.Other))
	t.row("nested timestamps", string(f.NestedTimestampBasis))
	t.row("subagents", integer(f.Subagents))
	t.row("nested requests", integer(f.NestedRequests))
	t.row("without api_time", integer(f.MissingAPITime))
	t.row("zero outputs", integer(f.RawZeroOutputs))
	t.end()
}

func distribution[T number](t *table, name string, d Distribution[T], value func(T) string) {
	cells := []string{name, integer(d.Count)}
	if d.Count == 0 {
		t.row(append(cells, "-", "-", "-", "-", "-", "-", "-", "-", "-")...)
		return
	}
	for _, v := range []T{d.Min, d.P10, d.P25, d.P50, d.P75, d.P90, d.P99, d.Max} {
		cells = append(cells, value(v))
	}
	mean := grouped(strconv.FormatFloat(d.Mean, 'f', 1, 64))
	if _, isTime := any(d.Min).(float64); isTime {
		mean = seconds(d.Mean)
	}
	t.row(append(cells, mean)...)
}

// table collects blocks of rows, each aligned by itself: the first column to
// the left, the others to the right.
type table struct {
	text strings.Builder
	rows [][]string
}

func (t *table) row(cells ...string) { t.rows = append(t.rows, cells) }

// end writes the rows since the last end, with an empty line between blocks.
func (t *table) end() {
	var widths []int
	for _, cells := range t.rows {
		for i, cell := range cells {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	if t.text.Len() > 0 {
		t.text.WriteByte('\n')
	}
	for _, cells := range t.rows {
		line := fmt.Sprintf("%-*s", widths[0], cells[0])
		for i, cell := range cells[1:] {
			line += fmt.Sprintf("  %*s", widths[i+1], cell)
		}
		t.text.WriteString(strings.TrimRight(line, " ") + "\n")
	}
	t.rows = t.rows[:0]
}

// integer writes an integer with commas between thousands.
func integer[T int | uint64](n T) string { return grouped(fmt.Sprint(n)) }

// seconds writes milliseconds as seconds, to the millisecond.
func seconds(ms float64) string {
	text := strconv.FormatFloat(ms/1000, 'f', 3, 64)
	return grouped(strings.TrimSuffix(strings.TrimRight(text, "0"), "."))
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 1, 64) + " %" }

// grouped puts commas between the thousands of a number that is not negative.
func grouped(number string) string {
	whole, fraction, _ := strings.Cut(number, ".")
	var out string
	for len(whole) > 3 {
		out = "," + whole[len(whole)-3:] + out
		whole = whole[:len(whole)-3]
	}
	out = whole + out
	if fraction != "" {
		out += "." + fraction
	}
	return out
}

// printable quotes a name that a terminal would not show as it is.
func printable(name string) string {
	if name == "" || terminal.Printable(name) != name {
		return strconv.Quote(name)
	}
	return name
}
