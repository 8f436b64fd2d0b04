package config

import (
	"slices"
	"strings"
)

// domainWords make a search domain of a value, which only the recommendation
// of the reference program takes.
var domainWords = []string{"choices", "range", "preset"}

const domainRemedy = "search domains (choices, range, preset) belong to recommendation: give one value"

// unknown reports a field that a mapping does not have, in the words that
// help most.
func (c *checker) unknown(s *setting, settings []setting, f field, path string) {
	name, isText := f.name()
	d := newDiagnostic(f.key.at, joinPath(path, name), "unknown field", "")
	c.report(d)
	known := names(settings, c.stack)
	if path == "" {
		d.Found = "unknown section"
	}
	d.Allowed = strings.Join(known, ", ")
	if s.kind == unionValue {
		d.Allowed = strings.Join(append([]string{"type"}, known...), ", ")
	}
	foreign := find(settings, name)
	switch {
	case !isText:
		d.Found = "the name of a field is " + f.key.describe()
		d.Remedy = "quote it if it is meant as a string"
	case path == "" && (name == "" || strings.Contains(name, ".")):
		d.Found = "the name of the section is empty"
		if name != "" {
			d.Found = "the name of the section holds a dot"
			d.Remedy = "nest the mappings; a dotted path is for --set"
		}
	case path == "" && slices.Contains(recommendationSections, name):
		d.Found = "the section belongs to recommendation"
	case foreign != nil && foreign.kind == foreignValue:
		d.Found = "the field is known to the reference program, but not supported by tracekit"
	case foreign != nil && !foreign.on(c.stack):
		d.Found = "the section is unknown to the " + string(c.stack) + " stack"
		d.Remedy = "it needs --stack " + string(foreign.stack)
	case slices.Contains(domainWords, name):
		d.Remedy = domainRemedy
	default:
		if tag := otherVariant(s, name); tag != "" {
			d.Remedy = "it belongs to type " + tag + ": remove it, or give the whole mapping anew"
		} else if near := nearest(name, known); near != "" {
			d.Remedy = "write " + near
		}
	}
}

// otherVariant is the type of a union that has a setting of that name.
func otherVariant(s *setting, name string) string {
	for _, v := range s.union {
		if find(v.settings, name) != nil {
			return v.tag
		}
	}
	return ""
}
