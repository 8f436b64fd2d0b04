// Package terminal makes text fit to be shown on a terminal: the names in
// traces and configurations, and those of files, may hold anything.
package terminal

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Printable returns the text, with escapes as Go writes them if there is
// anything in it that must not reach a terminal.
func Printable(text string) string {
	if utf8.ValidString(text) && !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return text
	}
	quoted := strconv.Quote(text)
	return quoted[1 : len(quoted)-1]
}
