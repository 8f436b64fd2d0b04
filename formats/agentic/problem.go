package agentic

import (
	"fmt"

	"tracekit/formats/jsonl"
	"tracekit/internal/strictjson"
)

// rowProblem makes a problem of what a cursor has met in a row. The request
// id is empty when it was not read before.
func rowProblem(text []byte, err *strictjson.Error, requestID string) *jsonl.Problem {
	if _, schema, _ := outline(text); requestID == "" && schema == Schema {
		return &jsonl.Problem{Found: "this is a second header", Rule: "a file has one header, before its rows",
			Remedy: "traces cannot be joined by appending files; keep the rows of one"}
	}
	return jsonl.CursorProblem(requestName(requestID), err)
}

func requestName(id string) string {
	if id == "" {
		return ""
	}
	return fmt.Sprintf("request %q", id)
}
