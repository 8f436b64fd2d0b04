package report

import "io"

// Report is the outcome of one replay. It is not changed by being written.
type Report struct {
	Summary Summary

	options Options
	facts   Facts
	records []*Record // in the order of rows
}

// Report ends the collection. The collector must not be used after it.
func (c *Collector) Report(facts Facts) *Report {
	return &Report{c.summary(&facts), c.options, facts, c.archive.sorted()}
}

// WritePrediction writes prediction.json: the whole report, indented.
func (r *Report) WritePrediction(w io.Writer) error {
	document, err := r.document()
	if err != nil {
		return err
	}
	return writeDocument(w, document, true)
}

// WriteSummaryJSON writes one line of JSON for stdout: the summary alone, or,
// on the engine stack, the whole report.
func (r *Report) WriteSummaryJSON(w io.Writer) error {
	line := r.summary()
	if !r.options.Dynamo {
		var err error
		if line, err = r.document(); err != nil {
			return err
		}
	}
	return writeDocument(w, line, false)
}

func writeDocument(w io.Writer, document object, indented bool) error {
	text := newJSONWriter(w, indented)
	text.value(document)
	text.endLine()
	return text.finish()
}

// WriteRows writes requests.jsonl: one row per line, none without capture.
func (r *Report) WriteRows(w io.Writer) error {
	all := rows{r.records, &r.options}
	text := newJSONWriter(w, false)
	for _, record := range r.records {
		all.row(text, record)
		text.endLine()
	}
	return text.finish()
}
