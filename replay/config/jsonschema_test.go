package config

import (
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
)

// fits tells whether a value is valid by the keywords that Schema uses.
func fits(t *testing.T, schema object, value any) bool {
	t.Helper()
	ok := true
	for keyword, rule := range schema {
		switch keyword {
		case "$schema", "title", "description", "default":
		case "type":
			ok = ok && hasType(value, rule)
		case "const":
			ok = ok && reflect.DeepEqual(value, rule)
		case "enum":
			found := false
			for _, word := range asList(t, rule) {
				found = found || reflect.DeepEqual(value, word)
			}
			ok = ok && found
		case "anyOf", "oneOf":
			matches := 0
			for _, alternative := range asList(t, rule) {
				if fits(t, asObject(t, alternative), value) {
					matches++
				}
			}
			ok = ok && matches > 0 && (keyword == "anyOf" || matches == 1)
		case "minimum", "exclusiveMinimum", "maximum":
			if number, is := value.(float64); is {
				bound, _ := rule.(float64)
				ok = ok && map[string]bool{"minimum": number >= bound, "exclusiveMinimum": number > bound, "maximum": number <= bound}[keyword]
			}
		case "minLength":
			ok = ok && value != ""
		case "pattern":
			pattern, _ := rule.(string)
			text, is := value.(string)
			ok = ok && (!is || regexp.MustCompile(pattern).MatchString(text))
		case "minItems":
			list, is := value.([]any)
			ok = ok && (!is || len(list) > 0)
		case "items":
			list, _ := value.([]any)
			for _, item := range list {
				ok = ok && fits(t, asObject(t, rule), item)
			}
		case "required":
			fields, _ := value.(object)
			for _, name := range asList(t, rule) {
				_, found := fields[name.(string)]
				ok = ok && found
			}
		case "properties", "additionalProperties": // together, below
		default:
			require.Fail(t, "unknown keyword "+keyword)
		}
	}
	if properties, is := schema["properties"].(object); is {
		fields, _ := value.(object)
		for name, field := range fields {
			property, known := properties[name].(object)
			ok = ok && known && fits(t, property, field)
		}
	}
	return ok
}

func hasType(value, want any) bool {
	switch value := value.(type) {
	case nil:
		return want == "null"
	case bool:
		return want == "boolean"
	case float64:
		return want == "number" || want == "integer" && value == math.Trunc(value)
	case string:
		return want == "string"
	case []any:
		return want == "array"
	}
	return want == "object"
}

func asObject(t *testing.T, value any) object {
	o, ok := value.(object)
	require.True(t, ok)
	return o
}

func asList(t *testing.T, value any) []any {
	l, ok := value.([]any)
	require.True(t, ok)
	return l
}

func readSchema(t *testing.T) object {
	var schema object
	require.NoError(t, json.Unmarshal(Schema(), &schema))
	return schema
}

// valueOf is a YAML text as JSON has it.
func valueOf(t *testing.T, text string) any {
	n, _, problem := parseDocument(&source{text: text})
	require.Nil(t, problem)
	return n.jsonValue()
}

func TestSchemaAcceptsTheExample(t *testing.T) {
	text, err := os.ReadFile("testdata/example.yaml")
	require.NoError(t, err)
	require.True(t, fits(t, readSchema(t), valueOf(t, string(text))))
	_, err = Parse("example.yaml", text, Options{})
	require.NoError(t, err)
}

// What Load accepts of the golden cases, the schema accepts.
func TestSchemaAcceptsWhatLoads(t *testing.T) {
	cases, err := filepath.Glob("../../testdata/golden/config/*/config.yaml")
	require.NoError(t, err)
	require.NotEmpty(t, cases)
	schema := readSchema(t)
	for _, path := range cases {
		if _, err := Load(path, Options{Stack: StackDynamo, Semantics: 1}); err != nil {
			continue
		}
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.True(t, fits(t, schema, valueOf(t, string(text))), path)
	}
}

// Setting by setting, the check and its JSON Schema take the same values.
func TestSchemaAgreesWithCheck(t *testing.T) {
	candidates := []string{"0", "1", "2", "5", "101", "-1", "0.5", "1.5", "yes", "null", "max", "auto", "vllm", "trace", "x", `""`, `"4"`, `"2.5"`, "[]", "[a]", "[3]",
		"{}", "{foo: 1}", "{type: fixed}", "{type: trace}", "{type: synthetic}", "{type: trace, paths: [a]}", "{turns: 2}", "{turns: 1}"}
	visitSettings(&documentSchema, "", func(s *setting, path string) {
		printed, err := json.Marshal(s.jsonSchema())
		require.NoError(t, err)
		var schema object
		require.NoError(t, json.Unmarshal(printed, &schema))
		for _, text := range candidates {
			n, _, problem := parseDocument(&source{text: text})
			require.Nil(t, problem)
			c := &checker{stack: StackDynamo}
			c.value(s, field{key: &node{}, value: n}, path)
			require.Equal(t, len(c.problems) == 0, fits(t, schema, n.jsonValue()), "%s: %s: %v", path, text, c.problems)
		}
	})
}

// Every default of the schema is a value that the setting takes, and every
// setting is told to people.
func TestSchemaIsWhole(t *testing.T) {
	visitSettings(&documentSchema, "", func(s *setting, path string) {
		require.NotEmpty(t, s.doc, path)
		require.False(t, s.required && s.preset != nil, path)
		presets := []any{s.preset}
		for _, preset := range s.byBackend {
			presets = append(presets, preset)
		}
		for _, preset := range presets {
			if preset == nil {
				continue
			}
			text := fmt.Sprint(preset)
			n, _, problem := parseDocument(&source{text: text})
			require.Nil(t, problem)
			c := &checker{stack: StackDynamo}
			c.value(s, field{key: &node{}, value: n}, path)
			require.Empty(t, c.problems, "%s: %s", path, text)
		}
		seen := map[string]bool{}
		for _, below := range s.settings {
			require.False(t, seen[below.name], "%s.%s stands twice", path, below.name)
			seen[below.name] = true
		}
	})
}

// visitSettings calls visit for every setting below s but those that are
// refused or ignored whatever they hold.
func visitSettings(s *setting, path string, visit func(*setting, string)) {
	groups := [][]setting{s.settings}
	for _, v := range s.union {
		groups = append(groups, v.settings)
	}
	for _, group := range groups {
		for i := range group {
			if below := &group[i]; below.kind != foreignValue && below.kind != ignoredValue {
				visit(below, joinPath(path, below.name))
				visitSettings(below, joinPath(path, below.name), visit)
			}
		}
	}
}
