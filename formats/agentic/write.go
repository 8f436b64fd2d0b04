package agentic

import (
	"strconv"

	"tracekit/graph"
	"tracekit/internal/strictjson"
)

// AppendRow appends a node as a line: keys in the order of weka.md 12 with
// the further ones of lowering.md, those without a value left out, edges in
// the order of their producer. A reader gets the same node back, if its times
// are finite.
func AppendRow(dst []byte, n *graph.Node) []byte {
	dst = append(dst, `{"request_id":`...)
	dst = strictjson.AppendString(dst, n.RequestID)
	dst = append(dst, `,"play_id":`...)
	dst = strictjson.AppendString(dst, n.PlayID)
	if n.HasOrdinal {
		dst = append(dst, `,"source_play_ordinal":`...)
		dst = strconv.AppendUint(dst, n.Ordinal, 10)
	}
	dst = append(dst, `,"session_id":`...)
	dst = strictjson.AppendString(dst, n.SessionID)
	dst = append(dst, `,"model":`...)
	dst = strictjson.AppendString(dst, n.Model)
	dst = append(dst, `,"input_length":`...)
	dst = strconv.AppendUint(dst, n.InputLength, 10)
	dst = append(dst, `,"output_length":`...)
	dst = strconv.AppendUint(dst, n.MaxOutputTokens, 10)
	if n.OutputTokenIDs != nil {
		dst = append(dst, `,"output_token_ids":[`...)
		dst = append(dst, n.OutputTokenIDs.Text...)
		dst = append(dst, ']')
	}
	dst = append(dst, `,"hash_ids":[`...)
	dst = n.HashIDs.AppendText(dst)
	dst = append(dst, `],"not_before_ms":`...)
	dst = strictjson.AppendReal(dst, n.NotBeforeMs)
	if n.HasAPITime {
		dst = append(dst, `,"recorded_api_time_ms":`...)
		dst = strictjson.AppendReal(dst, n.RecordedAPITimeMs)
	}
	if n.Priority != 0 {
		dst = append(dst, `,"priority":`...)
		dst = strconv.AppendInt(dst, int64(n.Priority), 10)
	}
	if n.StrictPriority != 0 {
		dst = append(dst, `,"strict_priority":`...)
		dst = strconv.AppendUint(dst, uint64(n.StrictPriority), 10)
	}
	if n.PolicyClass != nil {
		dst = append(dst, `,"policy_class":`...)
		dst = strictjson.AppendString(dst, *n.PolicyClass)
	}
	for i, d := range n.Dependencies {
		if i == 0 {
			dst = append(dst, `,"dependencies":[`...)
		} else {
			dst = append(dst, ',')
		}
		dst = graph.AppendDependency(dst, d)
	}
	if len(n.Dependencies) > 0 {
		dst = append(dst, ']')
	}
	return append(dst, "}\n"...)
}
