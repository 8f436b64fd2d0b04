package mooncake

import "tracekit/formats"

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
