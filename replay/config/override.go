package config

import (
	"slices"
	"strings"
)

// recommendationSections are the top-level sections of another command.
var recommendationSections = []string{"optimization", "optimizer"}

// override applies one --set PATH=VALUE to the document and returns the new
// root: mappings on the way are copied, since aliases may share them.
func override(root *node, argument string) (*node, []duplicate, *Diagnostic) {
	src := &source{name: "--set " + argument, set: true}
	at := place{src, 1, 1}
	path, text, found := strings.Cut(argument, "=")
	if !found {
		return nil, nil, newDiagnostic(at, path, "there is no =", "PATH=VALUE")
	}
	segments := strings.Split(path, ".")
	for _, segment := range segments {
		switch {
		case path == "":
			return nil, nil, newDiagnostic(at, "", "the path is empty", "PATH=VALUE")
		case segment == "":
			return nil, nil, newDiagnostic(at, path, "a name in the path is empty", "names with a dot between them")
		case strings.Trim(segment, "0123456789") == "":
			return nil, nil, newDiagnostic(at, path, "the path holds the number "+printable(segment), "names; elements of a list cannot be addressed").
				with("set the whole list, as in traffic.source.paths='[a.jsonl]'")
		}
	}
	if slices.Contains(recommendationSections, segments[0]) {
		return nil, nil, newDiagnostic(at, path, segments[0]+" belongs to recommendation", "a field of a prediction")
	}
	src.text = text
	value, duplicates, problem := parseDocument(src)
	if problem != nil {
		problem.Path = path
		return nil, nil, problem
	}
	if value == nil {
		value = resolve("", at)
	}
	root, problem = replace(root, segments, path, 0, value, at)
	return root, duplicates, problem
}

// replace returns m with the value below it, at the segments from depth on,
// replaced. Mappings that are missing on the way are made.
func replace(m *node, segments []string, path string, depth int, value *node, at place) (*node, *Diagnostic) {
	if depth == len(segments) {
		return value, nil
	}
	if m == nil {
		m = &node{kind: mapNode, at: at}
	}
	if m.kind != mapNode {
		return nil, newDiagnostic(at, path, strings.Join(segments[:depth], ".")+" is "+m.describe(), "a mapping on the way to the field").
			with("set the whole of " + strings.Join(segments[:depth], "."))
	}
	copied := *m
	copied.fields = slices.Clone(m.fields)
	name := segments[depth]
	i := slices.IndexFunc(copied.fields, func(f field) bool { key, ok := f.name(); return ok && key == name })
	if i < 0 {
		i = len(copied.fields)
		copied.fields = append(copied.fields, field{key: &node{kind: textNode, at: at, text: name}})
	}
	child, problem := replace(copied.fields[i].value, segments, path, depth+1, value, at)
	if problem != nil {
		return nil, problem
	}
	if depth == len(segments)-1 {
		copied.fields[i].key = &node{kind: textNode, at: at, text: name} // what is wrong with it is wrong in the --set
	}
	copied.fields[i].value = child
	return &copied, nil
}
