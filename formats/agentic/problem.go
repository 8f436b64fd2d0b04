package agentic

import (
	"fmt"

	"tracekit/formats"
	"tracekit/internal/strictjson"
)

// problem is what is wrong with one line, before its place in the file is
// known.
type problem struct {
	offset                            int // in the line, in bytes
	object, path, found, rule, remedy string
}

// in makes the error of a problem of that line of a file.
func (p *problem) in(file string, line int) error {
	return &formats.Error{File: file, Line: line, Column: p.offset + 1, Object: p.object, Path: p.path, Found: p.found, Rule: p.rule, Remedy: p.remedy}
}

// rowProblem makes a problem of what a cursor has met in a row. The request
// id is empty when it was not read before.
func rowProblem(text []byte, err *strictjson.Error, requestID string) *problem {
	if _, schema, _ := outline(text); requestID == "" && schema == Schema {
		return &problem{found: "this is a second header", rule: "a file has one header, before its rows",
			remedy: "traces cannot be joined by appending files; keep the rows of one"}
	}
	return cursorProblem(requestName(requestID), err)
}

// cursorProblem makes a problem of what a cursor has met in an object.
func cursorProblem(object string, err *strictjson.Error) *problem {
	p := &problem{offset: err.Offset, object: object, path: err.Path, found: err.Found, rule: err.Rule}
	if err.Truncated {
		p.remedy = "if the file was cut short, fetch or write it again"
	}
	return p
}

func requestName(id string) string {
	if id == "" {
		return ""
	}
	return fmt.Sprintf("request %q", id)
}
