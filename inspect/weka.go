package inspect

import "tracekit/formats/weka"

// WekaFacts are facts about the documents of a Weka corpus that its graph does
// not show.
type WekaFacts struct {
	IDDialect            weka.Dialects `json:"id_dialect"`
	NestedTimestampBasis weka.Basis    `json:"nested_timestamp_basis"`
	Subagents            int           `json:"subagents"`        // markers, with and without requests
	NestedRequests       int           `json:"nested_requests"`  // requests inside of subagents
	MissingAPITime       int           `json:"missing_api_time"` // requests without api_time, nested ones included
	RawZeroOutputs       int           `json:"raw_zero_outputs"` // requests whose `out` is 0, nested ones included
}

// WekaFactsOf returns the facts about a corpus, for [Report.Weka].
func WekaFactsOf(t *weka.Trace) *WekaFacts {
	facts := t.Facts()
	return &WekaFacts{
		IDDialect: facts.Dialects, NestedTimestampBasis: t.Basis(),
		Subagents: facts.Subagents, NestedRequests: facts.NestedRequests,
		MissingAPITime: facts.MissingAPITime, RawZeroOutputs: facts.ZeroOutputs,
	}
}

// dialectName returns the one dialect of all requests. Prompts that end with a
// block look the same in all dialects: it is exact when there are no others.
func dialectName(d weka.Dialects) string {
	switch {
	case d == weka.Dialects{}:
		return "-"
	case d.Other > 0 || d.Floor > 0 && d.Ceil > 0:
		return "mixed"
	case d.Floor > 0:
		return "floor"
	case d.Ceil > 0:
		return "ceil"
	}
	return "exact"
}
