package config

import "strings"

// locate finds the place of a dotted path in a document: of the value, or
// where the path ends early, of the key of the mapping where it ends.
func locate(document *node, start place, path string) place {
	at, n := start, document
	for rest := path; rest != "" && n != nil && n.kind == mapNode; {
		var name string
		name, rest, _ = strings.Cut(rest, ".")
		f, found := n.field(name)
		if !found {
			break
		}
		at, n = f.key.at, f.value
		if rest == "" && n.kind != mapNode {
			at = n.at
		}
	}
	return at
}
