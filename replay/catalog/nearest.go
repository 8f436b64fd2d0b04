package catalog

import (
	"cmp"
	"slices"
	"strings"

	"tracekit/internal/spelling"
)

// mostSuggestions is how many names a message suggests.
const mostSuggestions = 3

// nearest returns the names that are most like one, the nearest first: those
// that take the fewest edits, case aside, and no more than half of it.
func nearest(name string, among []string) []string {
	type candidate struct {
		name  string
		edits int
	}
	var all []candidate
	for _, other := range among {
		if edits := spelling.Distance(strings.ToLower(name), strings.ToLower(other)); 2*edits <= max(len(name), len(other)) {
			all = append(all, candidate{other, edits})
		}
	}
	slices.SortStableFunc(all, func(a, b candidate) int {
		return cmp.Or(cmp.Compare(a.edits, b.edits), strings.Compare(a.name, b.name))
	})
	names := make([]string, 0, mostSuggestions)
	for _, c := range all[:min(len(all), mostSuggestions)] {
		names = append(names, c.name)
	}
	return names
}

// didYouMean makes a remedy of names, none of no names.
func didYouMean(names []string) string {
	if len(names) == 0 {
		return ""
	}
	if len(names) == 1 {
		return "choose the nearest name, " + names[0]
	}
	return "choose one of the nearest names, " + oneOf(names)
}

// oneOf lists names as alternatives.
func oneOf(names []string) string {
	last := len(names) - 1
	return strings.Join(names[:last], ", ") + " or " + names[last]
}
