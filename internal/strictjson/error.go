package strictjson

import "bytes"

// Error is a violation of JSON or of an expected shape.
type Error struct {
	Offset    int    // bytes from the start of the text
	Path      string // as `requests[3].api_time`; empty at the top
	Found     string // what stands there
	Rule      string // what is allowed
	Truncated bool   // the text ends inside a value
}

// Error tells path, finding and rule in one line.
func (e *Error) Error() string {
	text := e.Found
	if e.Rule != "" {
		text += "; " + e.Rule
	}
	if e.Path != "" {
		text = e.Path + ": " + text
	}
	return text
}

// Position returns the line and column, both from 1, of an offset in text.
// The column counts bytes.
func Position(text []byte, offset int) (line, column int) {
	before := text[:min(offset, len(text))]
	return bytes.Count(before, []byte{'\n'}) + 1, len(before) - bytes.LastIndexByte(before, '\n')
}
