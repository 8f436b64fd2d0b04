package config

import (
	"fmt"
	"slices"
	"strings"

	"tracekit/internal/semantics"
)

// checker checks a document against the schema and then by the rules that
// join several settings. It goes on after a problem.
type checker struct {
	mode     semantics.Mode
	stack    Stack
	problems Diagnostics
	warnings Diagnostics
}

func (c *checker) report(d *Diagnostic) { c.problems = append(c.problems, d) }

// reject reports a setting of a section: at its value, or at the section where
// it is missing.
func (c *checker) reject(s *section, name, found, allowed string) {
	c.rejectWith(s, name, found, allowed, "")
}

// rejectWith is reject with a remedy.
func (c *checker) rejectWith(s *section, name, found, allowed, remedy string) {
	c.report(newDiagnostic(s.place(name), s.join(name), found, allowed).with(remedy))
}

// rejectLate is reject for what the reference program finds when it runs.
func (c *checker) rejectLate(s *section, name, found, allowed string) {
	d := newDiagnostic(s.place(name), s.join(name), found, allowed)
	d.Execution = true
	c.report(d)
}

// onlyDocumented is the remedy of what the program accepts.
func onlyDocumented() string {
	return "only the documented rules refuse this; " + semantics.ProgramHint() + " accepts it"
}

// mapping checks the fields of a mapping, which is nil for an absent one that
// is taken as {}. It returns a section with all settings, given or by default.
func (c *checker) mapping(s *setting, settings []setting, n *node, at place, path string) *section {
	out := &section{path: path, at: at, values: make(map[string]*value, len(settings))}
	given := make(map[string]field)
	if n != nil {
		for _, f := range n.fields {
			name, isText := f.name()
			if known := find(settings, name); isText && known != nil && known.on(c.stack) && known.kind != foreignValue {
				given[name] = f
			} else {
				c.unknown(s, settings, f, path)
			}
		}
	}
	inert := s.inert != nil && (n == nil || s.inert(n))
	for i := range settings {
		known := &settings[i]
		if f, ok := given[known.name]; ok && !inert {
			out.values[known.name] = c.value(known, f, joinPath(path, known.name))
		} else if known.kind != foreignValue {
			out.values[known.name] = c.absent(known, at, joinPath(path, known.name))
		}
	}
	return out
}

// absent is the value of a setting that was not given.
func (c *checker) absent(s *setting, at place, path string) *value {
	v := &value{at: at, preset: true}
	switch {
	case !s.on(c.stack):
	case s.required:
		v.bad = true
		c.report(newDiagnostic(at, path, "missing", s.allowed()))
	case s.kind == mappingValue && s.preset != nil:
		text, _ := s.preset.(string)
		n, _, _ := parseDocument(&source{name: "the default of " + path, text: text})
		v.set = c.mapping(s, s.settings, n, at, path)
	case s.kind == mappingValue && s.implied:
		v.set = c.mapping(s, s.settings, nil, at, path)
	case s.preset != nil:
		v.set = presetValue(s.preset)
	}
	return v
}

// presetValue is a default of the schema as a value of a section.
func presetValue(preset any) any {
	whole, ok := preset.(int)
	switch {
	case !ok:
		return preset
	case whole < 0:
		return integer{negative: true, magnitude: uint64(-whole)}
	}
	return integer{magnitude: uint64(whole)}
}

// value checks what was given for a setting.
func (c *checker) value(s *setting, f field, path string) *value {
	n := f.value
	v := &value{at: n.at, present: true}
	if n.kind == mapNode && (s.kind == mappingValue || s.kind == unionValue) {
		v.at = f.key.at
	}
	switch {
	case s.kind == ignoredValue:
		c.warnings = append(c.warnings, newDiagnostic(f.key.at, path, "the section has no effect: it is about the reference program's own process", ""))
	case n.kind == nullNode && s.null:
	case s.kind == mappingValue && n.kind == mapNode:
		v.set = c.mapping(s, s.settings, n, f.key.at, path)
	case s.kind == unionValue && n.kind == mapNode:
		if below := c.union(s, n, f.key.at, path); below != nil {
			v.set = below
		}
		v.bad = v.set == nil
	case s.kind == textsValue && n.kind == listNode && len(n.items) > 0:
		v.set, v.bad = c.texts(s, n, path)
	default:
		var problem *Diagnostic
		v.set, problem = c.scalar(s, n, path)
		if problem != nil {
			v.set, v.bad = nil, true
			c.report(problem)
		}
	}
	return v
}

// texts checks a list of nonempty strings.
func (c *checker) texts(s *setting, n *node, path string) (list []string, bad bool) {
	for i, item := range n.items {
		if item.kind != textNode || item.text == "" {
			c.report(newDiagnostic(item.at, fmt.Sprintf("%s[%d]", path, i), item.describe(), s.allowed()))
			bad = true
		}
		list = append(list, item.text)
	}
	return list, bad
}

// union checks a mapping by the variant that its type names.
func (c *checker) union(s *setting, n *node, at place, path string) *section {
	tag, given := n.field("type")
	if !given {
		c.report(newDiagnostic(at, joinPath(path, "type"), "missing", "one of "+strings.Join(s.tags(), ", ")))
		return nil
	}
	i := slices.IndexFunc(s.union, func(v variant) bool { return tag.value.kind == textNode && v.tag == tag.value.text })
	if i < 0 {
		d := newDiagnostic(tag.value.at, joinPath(path, "type"), tag.value.describe(), "one of "+strings.Join(s.tags(), ", "))
		if near := nearest(tag.value.text, s.tags()); near != "" {
			d.Remedy = "write " + near
		}
		c.report(d)
		return nil
	}
	rest := *n
	rest.fields = slices.DeleteFunc(slices.Clone(n.fields), func(f field) bool { name, ok := f.name(); return ok && name == "type" })
	below := c.mapping(s, s.union[i].settings, &rest, at, path)
	below.tag = s.union[i].tag
	return below
}
