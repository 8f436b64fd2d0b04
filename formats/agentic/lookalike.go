package agentic

import (
	"fmt"

	"tracekit/formats/jsonl"
	"tracekit/internal/strictjson"
)

// notHeader returns what to say about a first line that is not a header of
// this format, nil if it is one, whatever else may be wrong with it.
func notHeader(text []byte) *jsonl.Problem {
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
	p := &jsonl.Problem{Object: "header", Rule: rule}
	switch {
	case has("schema", "event_type") || has("event"):
		p.Found, p.Remedy = "this looks like a dynamo request trace", "convert it with 'tracekit convert dynamo', or name its format with --trace-format dynamo"
	case has("schema") && schema != "":
		p.Found = fmt.Sprintf("the schema is %q", schema)
	case has("request_id", "play_id"):
		p.Found, p.Remedy = "this is a row: the header is missing", "put the header line back on top of the file"
	case has("request_id", "hash_ids"):
		p.Found, p.Remedy = "this looks like a headerless legacy agentic row", "export the trace again as version 2"
	case has("requests"):
		p.Found, p.Remedy = "this looks like a Weka trace", "convert it with 'tracekit convert weka', or name its format with --trace-format weka"
	case has("num_turns"):
		p.Found, p.Remedy = "this looks like an applied_compute_agentic trace", "convert it with 'tracekit convert applied-compute --to agentic_mooncake'"
	case has("hash_ids"):
		p.Found, p.Remedy = "this looks like a mooncake trace", "name it with --trace-format mooncake, or format: mooncake in a prediction"
	case err != nil:
		p.Offset, p.Path, p.Found, p.Rule = err.Offset, err.Path, err.Found, err.Rule+"; "+rule
		if err.Truncated {
			p.Remedy = "write each JSON object on one line"
		}
	default:
		p.Found = "this object has no schema"
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
