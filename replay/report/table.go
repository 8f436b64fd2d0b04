package report

import (
	"io"
	"strconv"
	"strings"
	"unicode/utf8"
)

// WriteTable writes the summary for people. The path, unless empty, is named
// as where prediction.json stands.
func (r *Report) WriteTable(w io.Writer, path string) error {
	s := &r.Summary
	figure := func(x float64) string {
		if s.NoneCompleted {
			return "N/A"
		}
		return grouped(x)
	}
	table := [][]string{{"Metric", "avg", "min", "max", "p99", "p90", "p75", "std"}}
	distribution := func(name string, d *Distribution) {
		row := []string{name}
		for _, x := range []float64{d.Mean, d.Min, d.Max, d.P99, d.P90, d.P75, d.Std} {
			row = append(row, figure(x))
		}
		table = append(table, row)
	}
	single := func(name, value string) {
		table = append(table, []string{name, value, "N/A", "N/A", "N/A", "N/A", "N/A", "N/A"})
	}
	distribution("Time to First Token (ms)", &s.TTFT)
	distribution("Time to Second Token (ms)", &s.TTST)
	distribution("Request Latency (ms)", &s.E2E)
	distribution("Inter Token Latency (ms)", &s.ITL)
	distribution("Output Token Throughput Per User (tokens/sec/user)", &s.UserThroughput)
	single("Output Token Throughput (tokens/sec)", figure(s.OutputThroughput))
	single("Request Throughput (requests/sec)", figure(s.RequestThroughput))
	single("Request Count (requests)", grouped(float64(s.Completed)))

	var text strings.Builder
	text.WriteString("Prediction\n")
	box(&text, table)
	text.WriteString("Prefix cache reused ratio: " + grouped(s.ReusedRatio) + "\n")
	text.WriteString("First-admission prefix cache reused ratio: " + grouped(s.FirstReusedRatio) + "\n")
	if path != "" {
		text.WriteString("Report: " + path + "\n")
	}
	_, err := io.WriteString(w, text.String())
	return err
}

// box draws a table whose first row is its head and whose first column is
// text, the others numbers.
func box(text *strings.Builder, table [][]string) {
	widths := make([]int, len(table[0]))
	for _, row := range table {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	rule := func(left, middle, right string) {
		for i, width := range widths {
			if i == 0 {
				text.WriteString(left)
			} else {
				text.WriteString(middle)
			}
			text.WriteString(strings.Repeat("─", width+2))
		}
		text.WriteString(right + "\n")
	}
	rule("┌", "┬", "┐")
	for n, row := range table {
		for i, cell := range row {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(cell))
			if i == 0 {
				text.WriteString("│ " + cell + pad)
			} else {
				text.WriteString(" │ " + pad + cell)
			}
		}
		text.WriteString(" │\n")
		if n == 0 {
			rule("├", "┼", "┤")
		}
	}
	rule("└", "┴", "┘")
}

// grouped writes a number with two decimals and commas between thousands.
func grouped(x float64) string {
	text := strconv.FormatFloat(x, 'f', 2, 64)
	start := strings.IndexFunc(text, func(r rune) bool { return r >= '0' && r <= '9' })
	for i := len(text) - len(".00") - 3; i > start; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	return text
}
