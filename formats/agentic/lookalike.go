package agentic

import (
	"fmt"

	"tracekit/internal/strictjson"
)

// notHeader returns what to say about a first line that is not a header of
// this format, nil if it is one, whatever else may be wrong with it.
func notHeader(text []byte) *problem {
	const rule = `an agentic_mooncake file begins with a header whose schema is "` + Schema + `"`
	keys, schema, err := outline(text)
	if schema == Schema {
		return nil
	}
	has := func(names ...string) bool {
		for _, name := range names {
			if !keys[name] {
				return false
			}
		}
		return true
	}
	p := &problem{object: "header", rule: rule}
	switch {
	case has("schema", "event_type") || has("event"):
		p.found, p.remedy = "this looks like a dynamo request trace", "convert it with 'tracekit convert dynamo', or name its format with --trace-format dynamo"
	case has("schema") && schema != "":
		p.found = fmt.Sprintf("the schema is %q", schema)
	case has("request_id", "play_id"):
		p.found, p.remedy = "this is a row: the header is missing", "put the header line back on top of the file"
	case has("request_id", "hash_ids"):
		p.found, p.remedy = "this looks like a headerless legacy agentic row", "export the trace again as version 2"
	case has("requests"):
		p.found, p.remedy = "this looks like a Weka trace", "convert it with 'tracekit convert weka', or name its format with --trace-format weka"
	case has("num_turns"):
		p.found, p.remedy = "this looks like an applied_compute_agentic trace", "convert it with 'tracekit convert applied-compute --to agentic_mooncake'"
	case has("hash_ids"):
		p.found, p.remedy = "this looks like a mooncake trace", "name it with --trace-format mooncake, or format: mooncake in a prediction"
	case err != nil:
		p.offset, p.path, p.found, p.rule = err.Offset, err.Path, err.Found, err.Rule+"; "+rule
		if err.Truncated {
			p.remedy = "write each JSON object on one line"
		}
	default:
		p.found = "this object has no schema"
	}
	return p
}

// outline returns the names of the fields of an object and its schema, as far
// as they can be read.
func outline(text []byte) (keys map[string]bool, schema string, err *strictjson.Error) {
	var c strictjson.Cursor
	c.Reset(text)
	keys = map[string]bool{}
	for c.Object(); c.Field(); {
		name := string(c.Key())
		if at := c.Offset(); name == "schema" && at < len(text) && text[at] == '"' {
			schema = string(c.String())
		} else {
			c.Skip(false)
		}
		keys[name] = true
	}
	return keys, schema, c.Err()
}
