package config

import (
	"unicode/utf8"

	"tracekit/internal/spelling"
)

// nearest returns the candidate that a misspelt word most likely stands for,
// or "" if none is close.
func nearest(word string, candidates []string) string {
	const longest = 64 // longer words are no slip of the pen
	if len(word) > longest {
		return ""
	}
	best, least := "", 1+utf8.RuneCountInString(word)/4
	for _, candidate := range candidates {
		if d := spelling.Distance(word, candidate); d <= least && (best == "" || d < least) {
			best, least = candidate, d
		}
	}
	return best
}
