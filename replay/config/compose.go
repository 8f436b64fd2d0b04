package config

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"
)

// duplicate is a key that stands twice in one mapping.
type duplicate struct {
	name   string
	first  place
	second place
}

// composer makes nodes of what the parser found: it resolves scalars, aliases,
// tags and merge keys. It stops at the first problem.
type composer struct {
	source     *source
	anchors    map[string]*node // shared by all their aliases: nothing is unfolded
	merged     int              // fields that merge keys have copied
	duplicates []duplicate
	problem    *Diagnostic
}

// fail keeps the first problem, and returns a node that nobody will see.
func (c *composer) fail(at place, found, allowed string) *node {
	if c.problem == nil {
		c.problem = newDiagnostic(at, "", found, allowed)
	}
	return &node{at: at}
}

func (c *composer) compose(n ast.Node, depth int) *node {
	at := place{c.source, 1, 1}
	if n != nil {
		at = tokenPlace(c.source, n.GetToken())
	}
	if c.problem != nil || n == nil {
		return &node{at: at}
	}
	if depth > maxDepth {
		c.problem = depthProblem(at)
		return &node{at: at}
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return c.mapping(n.Values, at, n.IsFlowStyle, depth)
	case *ast.MappingValueNode:
		return c.mapping([]*ast.MappingValueNode{n}, at, n.IsFlowStyle, depth)
	case *ast.SequenceNode:
		list := &node{kind: listNode, at: at}
		for _, item := range n.Values {
			list.items = append(list.items, c.compose(item, depth+1))
		}
		return list
	case *ast.AnchorNode:
		value := c.compose(n.Value, depth+1)
		c.anchors[anchorName(n.Name)] = value
		return value
	case *ast.AliasNode:
		if value, ok := c.anchors[anchorName(n.Value)]; ok {
			return value
		}
		return c.fail(at, "the alias *"+printable(anchorName(n.Value))+" has no anchor before it", "an anchor that is complete by here")
	case *ast.TagNode:
		return c.tagged(n, at, depth)
	case *ast.MappingKeyNode:
		return c.compose(n.Value, depth+1)
	case *ast.LiteralNode:
		return &node{kind: textNode, at: at, text: n.Value.Value}
	case *ast.StringNode:
		return c.scalar(n.Token, n.Value, at)
	case ast.ScalarNode:
		return c.scalar(n.GetToken(), n.GetToken().Value, at)
	}
	return c.fail(at, "this is no value", "a scalar, a list or a mapping")
}

func anchorName(n ast.Node) string {
	if n == nil || n.GetToken() == nil {
		return ""
	}
	return n.GetToken().Value
}

// scalar resolves a plain scalar; a quoted one is a string.
func (c *composer) scalar(t *token.Token, text string, at place) *node {
	switch t.Type {
	case token.SingleQuoteType, token.DoubleQuoteType:
		return &node{kind: textNode, at: at, text: text}
	case token.ImplicitNullType:
		return resolve("", at)
	}
	// The parser takes these for text where YAML does not.
	if text != "" && strings.ContainsAny(text[:1], ",[]{}%@`") {
		return c.fail(at, "malformed YAML: a plain value begins with "+text[:1], "quotes around it")
	}
	return resolve(text, at)
}

// tagged composes a value with an explicit tag, of which the standard ones
// are known.
func (c *composer) tagged(n *ast.TagNode, at place, depth int) *node {
	tag := n.Start.Value
	var value *node
	if n.Value == nil {
		value = resolve("", at)
	} else {
		value = c.compose(n.Value, depth+1)
	}
	if c.problem != nil {
		return value
	}
	isScalar := value.kind != listNode && value.kind != mapNode
	resolved := *value
	if isScalar {
		resolved = *resolve(value.text, value.at)
	}
	matches := false
	switch tag {
	case "!", "!!str":
		resolved, matches = node{kind: textNode, at: value.at, text: value.text}, isScalar
	case "!!null":
		matches = resolved.kind == nullNode
	case "!!bool":
		matches = resolved.kind == boolNode
	case "!!int":
		matches = resolved.kind == intNode
	case "!!float":
		matches = resolved.kind == floatNode || resolved.kind == intNode
		if matches {
			resolved.kind = floatNode
		}
	case "!!timestamp":
		matches = resolved.kind == dateNode
	case "!!seq":
		matches = value.kind == listNode
	case "!!map":
		matches = value.kind == mapNode
	default:
		return c.fail(at, "the tag "+printable(tag)+" is not known", "no tag, or one of !!str, !!int, !!float, !!bool, !!null, !!seq, !!map")
	}
	if !matches {
		return c.fail(at, value.describe()+" does not fit the tag "+tag, "")
	}
	return &resolved
}

// mapping composes a mapping. Fields of merge keys come first and give way to
// the mapping's own; of two merge keys the later one wins, within the list of
// one the earlier.
func (c *composer) mapping(values []*ast.MappingValueNode, at place, flow bool, depth int) *node {
	m := &node{kind: mapNode, at: at}
	if !flow && len(values) > 0 {
		m.at = tokenPlace(c.source, values[0].Key.GetToken())
	}
	type slot struct {
		index int
		own   bool
	}
	slots := make(map[string]slot, len(values))
	set := func(f field, own bool) {
		id := fmt.Sprint(f.key.kind, " ", f.key.text)
		old, exists := slots[id]
		if !exists {
			slots[id] = slot{len(m.fields), own}
			m.fields = append(m.fields, f)
			return
		}
		if own && old.own {
			c.duplicates = append(c.duplicates, duplicate{f.key.text, m.fields[old.index].key.at, f.key.at})
		}
		m.fields[old.index] = f
		slots[id] = slot{old.index, own || old.own}
	}
	var own []field
	for _, value := range values {
		if _, ok := value.Key.(*ast.MergeKeyNode); ok {
			for _, f := range c.mergedFields(c.compose(value.Value, depth+1)) {
				set(f, false)
			}
			continue
		}
		own = append(own, field{c.compose(value.Key, depth+1), c.compose(value.Value, depth+1)})
	}
	for _, f := range own {
		if f.key.kind == listNode || f.key.kind == mapNode {
			c.fail(f.key.at, f.key.describe()+" is no name of a field", "a string")
		}
		set(f, true)
	}
	return m
}

// mergedFields is what a merge key brings in, the fields that win last.
func (c *composer) mergedFields(value *node) []field {
	mappings := []*node{value}
	if value.kind == listNode {
		mappings = value.items
	}
	var fields []field
	for i := len(mappings) - 1; i >= 0 && c.problem == nil; i-- {
		if mappings[i].kind != mapNode {
			c.fail(mappings[i].at, mappings[i].describe()+" cannot be merged", "a mapping or a list of mappings after <<")
			return nil
		}
		c.merged += len(mappings[i].fields)
		if c.merged > maxMerged {
			c.fail(value.at, "merge keys copy too many fields", fmt.Sprintf("at most %d in one document", maxMerged))
			return nil
		}
		fields = append(fields, mappings[i].fields...)
	}
	return fields
}
