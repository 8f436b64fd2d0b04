package config

import (
	"encoding/json"
	"fmt"
	"strings"
)

// Schema is the JSON Schema, draft 2020-12, of a configuration file, for
// editors that complete and check it. It comes from the settings that [Load]
// checks; the rules that join several settings are not in it.
func Schema() []byte {
	top := documentSchema.jsonSchema()
	top["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	top["title"] = "tracekit prediction"
	text, err := json.MarshalIndent(top, "", "  ")
	if err != nil {
		panic(fmt.Sprintf("config: the schema cannot be printed: %v", err)) // it holds strings and numbers only
	}
	return append(text, '\n')
}

// object is a JSON object; its keys are printed in order.
type object = map[string]any

func (s *setting) jsonSchema() object {
	out := s.jsonType()
	if s.null {
		out = object{"anyOf": []any{out, object{"type": "null"}}}
	}
	if text := s.jsonDoc(); text != "" {
		out["description"] = text
	}
	switch preset := s.preset.(type) {
	case nil:
	case string:
		out["default"] = preset
		if s.kind == mappingValue {
			n, _, _ := parseDocument(&source{text: preset})
			out["default"] = n.jsonValue()
		}
	default:
		out["default"] = preset
	}
	return out
}

// jsonDoc is the text that an editor shows.
func (s *setting) jsonDoc() string {
	text := s.doc
	if s.unit != "" {
		text += " In " + s.unit + "."
	}
	if s.byBackend != nil {
		text += fmt.Sprintf(" Default: vllm %v, sglang %v, trtllm %v.", s.byBackend[VLLM], s.byBackend[SGLang], s.byBackend[TRTLLM])
	}
	return strings.TrimSpace(text)
}

// jsonType is what the setting takes, but for null.
func (s *setting) jsonType() object {
	switch s.kind {
	case wholeValue:
		number := s.jsonRange("integer")
		switch {
		case s.words != nil:
			return object{"anyOf": []any{number, object{"enum": s.words}}}
		case s.lenient:
			return object{"anyOf": []any{number, object{"type": "string", "pattern": wholeText.String()}}}
		}
		return number
	case realValue:
		number := s.jsonRange("number")
		if s.lenient {
			return object{"anyOf": []any{number, object{"type": "boolean"}, object{"type": "string", "pattern": realText.String()}}}
		}
		return number
	case boolValue:
		if s.lenient {
			return object{"anyOf": []any{object{"type": "boolean"}, object{"enum": []any{0, 1}},
				object{"type": "string", "pattern": lenientBool.String()}}}
		}
		return object{"type": "boolean"}
	case textValue:
		return object{"type": "string", "minLength": 1}
	case choiceValue:
		return object{"enum": s.words}
	case textsValue:
		return object{"type": "array", "minItems": 1, "items": object{"type": "string", "minLength": 1}}
	case mappingValue:
		return jsonMapping(s.settings)
	case unionValue:
		variants := make([]any, len(s.union))
		for i, v := range s.union {
			variant := jsonMapping(v.settings)
			properties, _ := variant["properties"].(object)
			properties["type"] = object{"const": v.tag}
			required, _ := variant["required"].([]string)
			variant["required"] = append([]string{"type"}, required...)
			variant["description"] = v.doc
			variants[i] = variant
		}
		return object{"oneOf": variants}
	}
	return object{} // anything
}

func (s *setting) jsonRange(kind string) object {
	out := object{"type": kind}
	if s.low != nil {
		keyword := "minimum"
		if s.low.open {
			keyword = "exclusiveMinimum"
		}
		out[keyword] = s.low.value
	}
	if s.high != nil {
		out["maximum"] = s.high.value
	}
	return out
}

func jsonMapping(settings []setting) object {
	properties, required := object{}, []string(nil)
	for i := range settings {
		s := &settings[i]
		if s.kind == foreignValue {
			continue
		}
		properties[s.name] = s.jsonSchema()
		if s.required {
			required = append(required, s.name)
		}
	}
	out := object{"type": "object", "properties": properties, "additionalProperties": false}
	if required != nil {
		out["required"] = required
	}
	return out
}

// jsonValue is a value of a document as JSON has it.
func (n *node) jsonValue() any {
	switch n.kind {
	case nullNode:
		return nil
	case boolNode:
		return n.truth
	case intNode, floatNode:
		return n.real
	case listNode:
		list := make([]any, len(n.items))
		for i, item := range n.items {
			list[i] = item.jsonValue()
		}
		return list
	case mapNode:
		mapping := object{}
		for _, f := range n.fields {
			mapping[f.key.text] = f.value.jsonValue()
		}
		return mapping
	}
	return n.text
}
