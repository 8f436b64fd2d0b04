package config

import (
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// scalar turns a value into what the setting holds, or says why it cannot.
func (c *checker) scalar(s *setting, n *node, path string) (any, *Diagnostic) {
	wrong := newDiagnostic(n.at, path, n.describe(), s.allowed())
	if n.kind == mapNode && s.kind != mappingValue && s.kind != unionValue &&
		slices.ContainsFunc(n.fields, func(f field) bool { name, ok := f.name(); return ok && slices.Contains(domainWords, name) }) {
		return nil, wrong.with(domainRemedy)
	}
	switch s.kind {
	case wholeValue:
		return c.whole(s, n, wrong)
	case realValue:
		return c.real(s, n, wrong)
	case boolValue:
		if truth, ok := readBool(n, s.lenient); ok {
			return truth, nil
		}
	case textValue:
		if n.kind == textNode && n.text != "" {
			return n.text, nil
		}
		if n.kind != textNode && n.kind < listNode && n.text != "" {
			wrong.Remedy = "quote it to make it a string"
		}
	case choiceValue:
		if n.kind == textNode && slices.Contains(s.words, n.text) {
			return n.text, nil
		}
		switch near := nearest(strings.ToLower(n.text), s.words); {
		case n.kind == textNode && near != "":
			wrong.Remedy = "write " + near
		case n.kind == boolNode && slices.Contains(s.words, n.text):
			wrong.Remedy = "quote it to make it a string"
		}
	case textsValue:
		if n.kind == textNode {
			wrong.Remedy = "put it in brackets: [" + printable(n.text) + "]"
		}
		if n.kind == listNode {
			wrong.Found = "an empty list"
		}
	}
	return nil, wrong
}

// whole reads an integer, or a word that may stand in its place.
func (c *checker) whole(s *setting, n *node, wrong *Diagnostic) (any, *Diagnostic) {
	if n.kind == textNode && slices.Contains(s.words, n.text) {
		return n.text, nil
	}
	whole := n.whole
	switch {
	case n.kind == intNode:
	case s.lenient && n.kind == floatNode && n.real == math.Trunc(n.real) && math.Abs(n.real) < 1<<63:
		whole = integer{negative: n.real < 0, magnitude: uint64(math.Abs(n.real))}
	case s.lenient && n.kind == textNode && wholeText.MatchString(strings.TrimSpace(n.text)):
		whole = readWhole(strings.TrimSpace(n.text))
	default:
		if n.kind == textNode && decimalForm.MatchString(n.text) {
			wrong.Remedy = "write it without quotes"
		} else if n.kind == floatNode && n.real == math.Trunc(n.real) && math.Abs(n.real) < 1<<53 {
			wrong.Remedy = "write " + strconv.FormatFloat(n.real, 'f', 0, 64)
		} else if near := nearest(n.text, s.words); n.kind == textNode && near != "" {
			wrong.Remedy = "write " + near
		}
		return nil, wrong
	}
	// No integer of the schema has a lower bound below zero.
	tooLow := s.low != nil && (whole.negative || !whole.wide && whole.magnitude < uint64(s.low.value))
	tooHigh := s.high != nil && !whole.negative && (whole.wide || whole.magnitude > uint64(s.high.value))
	if tooLow || tooHigh {
		return nil, wrong
	}
	if _, fits := whole.int64(); !fits && (whole.wide || !s.unsigned) {
		wrong.Found += ", which does not fit 64 bits"
		wrong.Execution = !c.mode.WideNumbersRefused()
		return nil, wrong
	}
	return whole, nil
}

// readWhole reads an optional sign and decimal digits.
func readWhole(text string) integer {
	var n node
	sign := 1.0
	if text[0] == '-' {
		sign = -1
	}
	n.setInteger(sign, strings.TrimLeft(text, "+-"), 10)
	return n.whole
}

var (
	wholeText   = regexp.MustCompile(`^[-+]?[0-9]+$`)
	realText    = regexp.MustCompile(`^[-+]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][-+]?[0-9]+)?$`)
	lenientBool = regexp.MustCompile(`^([Tt][Rr][Uu][Ee]|[Ff][Aa][Ll][Ss][Ee]|[Yy][Ee][Ss]|[Nn][Oo]|[Oo][Nn]|[Oo][Ff][Ff]|[TtFfYyNn10])$`)
	trueText    = regexp.MustCompile(`^(?i)(true|yes|on|t|y|1)$`)
	infText     = regexp.MustCompile(`^(?i)[-+]?inf(inity)?$`)
)

// real reads a number.
func (c *checker) real(s *setting, n *node, wrong *Diagnostic) (any, *Diagnostic) {
	real := n.real
	text := strings.TrimSpace(n.text)
	switch {
	case n.kind == intNode || n.kind == floatNode:
	case s.lenient && n.kind == boolNode:
		if n.truth {
			real = 1
		}
	case s.lenient && n.kind == textNode && realText.MatchString(text):
		real = parseFloat(text)
	case s.lenient && n.kind == textNode && infText.MatchString(text):
		real = math.Inf(1)
		if text[0] == '-' {
			real = math.Inf(-1)
		}
	default:
		if n.kind == textNode && realText.MatchString(n.text) {
			wrong.Remedy = "write it without quotes"
		}
		return nil, wrong
	}
	switch {
	case math.IsNaN(real),
		s.low != nil && (real < s.low.value || s.low.open && real == s.low.value),
		s.high != nil && real > s.high.value:
		return nil, wrong
	case math.IsInf(real, 0):
		wrong.Found += ", which is infinite"
		wrong.Execution = s.lenient && !c.mode.WideNumbersRefused()
		return nil, wrong
	}
	return real, nil
}

// readBool reads a boolean; a lenient one also from 0, 1 and words.
func readBool(n *node, lenient bool) (truth, ok bool) {
	switch {
	case n.kind == boolNode:
		return n.truth, true
	case !lenient:
		return false, false
	case n.kind == intNode || n.kind == floatNode:
		return n.real == 1, n.real == 0 || n.real == 1
	case n.kind == textNode:
		if lenientBool.MatchString(n.text) {
			return trueText.MatchString(n.text), true
		}
	}
	return false, false
}
