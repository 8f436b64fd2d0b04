package formats

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"tracekit/internal/strictjson"
)

// Name is the name of a trace format, as the command line and the prediction
// YAML use it.
type Name string

// The formats that people exchange.
const (
	Weka                  Name = "weka"
	AgenticMooncake       Name = "agentic_mooncake"
	Mooncake              Name = "mooncake"
	MooncakeDelta         Name = "mooncake-delta"
	AppliedComputeAgentic Name = "applied_compute_agentic"
	Dynamo                Name = "dynamo"
)

// Names lists all formats.
func Names() []Name {
	return []Name{Weka, AgenticMooncake, Mooncake, MooncakeDelta, AppliedComputeAgentic, Dynamo}
}

// ParseName returns the format of that name.
func ParseName(name string) (Name, error) {
	if slices.Contains(Names(), Name(name)) {
		return Name(name), nil
	}
	all := make([]string, 0, len(Names()))
	for _, n := range Names() {
		all = append(all, string(n))
	}
	return "", &UsageError{Problem: fmt.Sprintf("the trace format %q is not known", name), Remedy: "there are " + strings.Join(all, ", ")}
}

// Detect tells the format of a file from its first bytes, which may be cut
// anywhere: from the fields of the first JSON object in it. It returns "" when
// they tell nothing.
func Detect(head []byte) Name {
	var c strictjson.Cursor
	c.Reset(head)
	if c.AtEnd() || !c.IsObject() {
		return ""
	}
	has := map[string]bool{}
	var schema string
	c.Object()
	for c.Field() {
		key := string(c.Key())
		has[key] = true
		if key == "schema" && c.IsString() {
			schema = string(c.String())
		} else {
			c.Skip(false)
		}
	}
	switch {
	case schema == "dynamo.agentic_mooncake":
		return AgenticMooncake
	case strings.HasPrefix(schema, "dynamo.request.trace"), has["event"] && !has["hash_ids"]:
		return Dynamo
	case has["hash_id_scope"], has["requests"]:
		return Weka
	case has["play_id"], has["request_id"] && has["dependencies"]:
		return AgenticMooncake // its header is missing; its reader says so
	case has["hash_ids"] && bytes.Contains(head, []byte(`"wait_for"`)):
		return AgenticMooncake // rows of its first version, of which not all have edges
	case has["hash_ids"]:
		return Mooncake
	case has["num_turns"], has["input_prompt_length"]:
		return AppliedComputeAgentic
	}
	return ""
}
