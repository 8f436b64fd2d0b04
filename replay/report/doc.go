// Package report turns what happens in a replay into figures and rows: the
// summary of a prediction, one row per request, and the files and the table
// that show them.
//
// A [Collector] is told of events while the replay runs: requests that arrive
// and end, gaps between tokens, prompt tokens that were computed, workers that
// come and go. At the end it gives a [Report], which writes itself as
// prediction.json, requests.jsonl, a line of JSON or a table; [Save] puts the
// files into a folder, whole or not at all.
//
// The report is a function of what was told, not of the order in which it was
// told: counts are integers, sums of samples are exact, and rows have a total
// order. So a replay that takes many steps at once gives the same bytes as one
// that takes them one by one, and no clock but the virtual one is read.
//
// All times are milliseconds of virtual time since the start of the replay.
package report
