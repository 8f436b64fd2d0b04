package weka

import "bytes"

// documentScan finds where objects end in a stream of JSON text that comes in
// pieces. It only tells quotes and braces apart, by the runtime's vector
// search; whether the text is JSON is for the parser to say.
type documentScan struct {
	depth    int
	fresh    bool // the document's first byte is next
	inString bool
	escaped  bool // the next byte belongs to an escape

	line, column           int // of the next byte, from 1
	startLine, startColumn int // of the document
}

// space returns how many bytes of white space text begins with.
func (s *documentScan) space(text []byte) int {
	n := 0
	for n < len(text) && (text[n] == ' ' || text[n] == '\t' || text[n] == '\n' || text[n] == '\r') {
		n++
	}
	s.advance(text[:n])
	return n
}

// begin notes that a document begins at the next byte.
func (s *documentScan) begin() {
	s.depth, s.fresh, s.inString, s.escaped = 0, true, false, false
	s.startLine, s.startColumn = s.line, s.column
}

// next goes on with the document and returns how many bytes of text belong
// to it. It is complete with the brace that closes it. Text that is no object
// is cut short: enough of it for the parser to refuse.
func (s *documentScan) next(text []byte) (used int, complete bool) {
	const excerpt = 64
	if s.fresh && text[0] != '{' {
		used, complete = min(len(text), excerpt), true
	} else {
		used, complete = s.scan(text)
	}
	s.fresh = false
	s.advance(text[:used])
	return used, complete
}

func (s *documentScan) scan(text []byte) (used int, complete bool) {
	i := 0
	for i < len(text) {
		if s.inString {
			i += s.skipString(text[i:])
			continue
		}
		segment := text[i:]
		quote := bytes.IndexByte(segment, '"')
		if quote >= 0 {
			segment = segment[:quote]
		}
		if end := s.braces(segment); end >= 0 {
			return i + end, true
		}
		i += len(segment)
		if quote >= 0 {
			s.inString = true
			i++
		}
	}
	return len(text), false
}

// skipString returns how many bytes of text, which begins inside a string,
// belong to it.
func (s *documentScan) skipString(text []byte) int {
	for i := 0; i < len(text); i++ {
		switch {
		case s.escaped:
			s.escaped = false
		case text[i] == '\\':
			s.escaped = true
		case text[i] == '"':
			s.inString = false
			return i + 1
		}
	}
	return len(text)
}

// braces follows the depth through text without quotes and returns where the
// document ends, -1 if it does not end here.
func (s *documentScan) braces(text []byte) int {
	const short = 64
	if len(text) > short { // a long list of numbers, most of the time
		opening, closing := bytes.IndexByte(text, '{'), bytes.IndexByte(text, '}')
		if opening < 0 && closing < 0 {
			return -1
		}
	}
	for i, b := range text {
		switch b {
		case '{':
			s.depth++
		case '}':
			if s.depth--; s.depth <= 0 {
				return i + 1
			}
		}
	}
	return -1
}

func (s *documentScan) advance(text []byte) {
	if lines := bytes.Count(text, []byte{'\n'}); lines > 0 {
		s.line += lines
		s.column = len(text) - bytes.LastIndexByte(text, '\n')
	} else {
		s.column += len(text)
	}
}
