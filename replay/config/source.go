package config

import (
	"fmt"
	"strconv"
	"strings"
	"unicode"
)

// source is a text that holds a document: the file, or the value of one --set.
type source struct {
	name string // for people
	text string
	set  bool // a --set, which has no lines worth naming
}

// place is where in a source something stands.
type place struct {
	source *source
	line   int // from 1
	column int // from 1, in characters
}

// snippetWidth is how many characters of a line a snippet shows.
const snippetWidth = 100

// snippet is the line of the place with a caret below its column, or "" where
// there is none to show.
func (p place) snippet() string {
	if p.source == nil || p.source.set || p.line < 1 {
		return ""
	}
	text := p.source.text
	for range p.line - 1 {
		_, rest, found := strings.Cut(text, "\n")
		if !found {
			return ""
		}
		text = rest
	}
	text, _, _ = strings.Cut(text, "\n")
	line := []rune(text)
	caret := min(max(p.column-1, 0), len(line))
	if start := caret - snippetWidth/2; start > 0 && len(line) > snippetWidth {
		line, caret = line[start:], caret-start
	}
	line = line[:min(len(line), snippetWidth)]
	for i, r := range line {
		if !unicode.IsPrint(r) {
			line[i] = ' ' // a tab, too, so that the caret stands below its column
		}
	}
	number := strconv.Itoa(p.line)
	return fmt.Sprintf("  %s | %s\n  %*s | %*s^", number, string(line), len(number), "", caret, "")
}
