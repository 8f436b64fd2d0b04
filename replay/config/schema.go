package config

import (
	"fmt"
	"strconv"
	"strings"
)

// valueKind is what a setting takes.
type valueKind int

const (
	wholeValue   valueKind = iota // an integer
	realValue                     // an integer or a float, finite
	boolValue                     // a boolean
	textValue                     // a nonempty string
	choiceValue                   // one of the words
	textsValue                    // a list of nonempty strings, at least one
	mappingValue                  // a mapping with the settings
	unionValue                    // a mapping whose "type" chooses the settings
	foreignValue                  // known to the reference program, but not supported
	ignoredValue                  // anything; it has no effect
)

// setting is one field of the configuration. The whole schema is a tree of
// settings: validation, defaults and the JSON Schema all come from it.
type setting struct {
	name string
	kind valueKind
	doc  string
	unit string // of a number, as after "in": "tokens"

	required bool
	null     bool // takes null
	lenient  bool // takes text and numbers that can be read as the kind
	low      *bound
	high     *bound
	words    []string // of a choice; of an integer: what may stand in its place
	unsigned bool     // of an integer: up to 2^64-1, not 2^63-1

	// preset is the default: nil for none, else an int, a float64, a bool, a
	// string, or for a mapping a YAML text. A mapping with implied set is
	// taken as {} when it is absent.
	preset    any
	byBackend map[Backend]any // the default where it depends on engine.backend
	implied   bool

	settings []setting        // of a mapping
	union    []variant        // of a union
	stack    Stack            // the only stack that knows it; any when empty
	inert    func(*node) bool // of a mapping: its values are not looked at
}

// variant is the settings of a union under one type.
type variant struct {
	tag      string
	doc      string
	settings []setting
}

// bound is an end of a range.
type bound struct {
	value float64
	open  bool // the end itself is not in the range
}

func above(v float64) *bound { return &bound{v, true} }
func from(v float64) *bound  { return &bound{v, false} }
func upTo(v float64) *bound  { return &bound{v, false} }

// documentSchema is the whole configuration.
var documentSchema = setting{kind: mappingValue, doc: "A workload and a deployment, for tracekit predict.", settings: []setting{
	trafficSchema,
	engineSchema,
	evaluationSchema,
	routerSchema,
	plannerSchema,
	{name: "execution", kind: ignoredValue, doc: "Limits of the reference program's own process. Accepted and ignored."},
}}

var evaluationSchema = setting{name: "evaluation", kind: mappingValue, implied: true, doc: "What counts as good.", settings: []setting{
	{name: "sla", kind: mappingValue, null: true, doc: "Bounds that a good request keeps. ttft_ms and itl_ms, or e2e_ms alone.", settings: []setting{
		{name: "ttft_ms", kind: realValue, null: true, low: above(0), unit: "ms", doc: "Time to first token."},
		{name: "itl_ms", kind: realValue, null: true, low: above(0), unit: "ms", doc: "Inter-token latency."},
		{name: "e2e_ms", kind: realValue, null: true, low: above(0), unit: "ms", doc: "End-to-end latency; excludes the other two."},
	}},
}}

// allowed tells a person what the setting takes.
func (s *setting) allowed() string {
	var text string
	switch s.kind {
	case wholeValue:
		text = "an integer" + s.rangeText()
		for _, word := range s.words {
			text += " or " + word
		}
	case realValue:
		text = "a number" + s.rangeText()
	case boolValue:
		text = "true or false"
	case textValue:
		text = "a nonempty string"
	case choiceValue:
		text = s.words[0]
		if last := len(s.words) - 1; last > 0 {
			text = strings.Join(s.words[:last], ", ") + " or " + s.words[last]
		}
	case textsValue:
		text = "a list of nonempty strings, at least one"
	case unionValue:
		text = "a mapping with type " + strings.Join(s.tags(), ", ")
	default:
		text = "a mapping"
	}
	if s.unit != "" {
		text += ", in " + s.unit
	}
	if s.null {
		text += ", or null"
	}
	return text
}

func (s *setting) rangeText() string {
	number := func(v float64) string {
		if v == float64(int64(v)) {
			return strconv.FormatInt(int64(v), 10)
		}
		return fmt.Sprint(v)
	}
	var text string
	if s.low != nil {
		text = " >= " + number(s.low.value)
		if s.low.open {
			text = " > " + number(s.low.value)
		}
	}
	if s.high != nil {
		if s.low != nil {
			text += " and"
		}
		text += " <= " + number(s.high.value)
	}
	return text
}

// tags lists the types of a union.
func (s *setting) tags() []string {
	tags := make([]string, len(s.union))
	for i, v := range s.union {
		tags[i] = v.tag
	}
	return tags
}

// names lists the settings that can be suggested to a person.
func names(settings []setting, stack Stack) []string {
	var all []string
	for _, s := range settings {
		if s.kind != foreignValue && s.kind != ignoredValue && s.on(stack) {
			all = append(all, s.name)
		}
	}
	return all
}

// on tells whether the stack knows the setting.
func (s *setting) on(stack Stack) bool { return s.stack == "" || s.stack == stack }

// find returns the setting of that name.
func find(settings []setting, name string) *setting {
	for i := range settings {
		if settings[i].name == name {
			return &settings[i]
		}
	}
	return nil
}

// foreign lists settings that the reference program knows beyond its page.
func foreign(names ...string) []setting {
	all := make([]setting, len(names))
	for i, name := range names {
		all[i] = setting{name: name, kind: foreignValue}
	}
	return all
}
