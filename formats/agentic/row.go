package agentic

import (
	"fmt"
	"math"
	"strings"

	"tracekit/formats/jsonl"
	"tracekit/graph"
	"tracekit/internal/strictjson"
)

// The fields of a row (formats.md 4.2). Those before required belong to its
// shape. The lengths and hash ids are required too, but their absence takes
// its turn among the checks of 4.3.
const (
	fieldRequestID = iota
	fieldPlayID
	fieldSessionID
	fieldModel
	fieldNotBefore
	required
	fieldInputLength = iota - 1
	fieldOutputLength
	fieldHashIDs
	fieldOrdinal
	fieldOutputTokenIDs
	fieldAPITime
	fieldPriority
	fieldStrictPriority
	fieldPolicyClass
	fieldDependencies
	fields
)

var fieldNames = [fields]string{
	"request_id", "play_id", "session_id", "model", "not_before_ms",
	"input_length", "output_length", "hash_ids", "source_play_ordinal", "output_token_ids",
	"recorded_api_time_ms", "priority", "strict_priority", "policy_class", "dependencies",
}

// parser reads rows into nodes. It serves one goroutine and allocates nothing
// for a row of the usual kind.
//
// The strings and hash ids of a node are views of the row's text and live as
// long as that. With copyStrings, strings are copied, so that one that is kept
// does not keep the text.
type parser struct {
	blockSize   uint64
	copyStrings bool

	cursor   strictjson.Cursor
	fields   jsonl.Fields
	edge     *jsonl.Problem         // first edge that breaks a rule
	recent   [fieldModel + 1]string // copies that the next row may share
	previous graph.Integers         // hash ids of the row before, in the same text
	edgeAt   []int                  // where the predecessor of each edge begins
}

func newParser(blockSize uint64, twoStep bool) *parser {
	p := &parser{blockSize: blockSize}
	p.fields = jsonl.NewFields(&p.cursor, fieldNames[:])
	p.cursor.TwoStep = twoStep
	return p
}

// parse reads the shape of a row: JSON, types, required fields. Edges are
// appended to those given, of which the node gets its own part.
func (p *parser) parse(text []byte, n *graph.Node, edges []graph.Dependency) ([]graph.Dependency, *jsonl.Problem) {
	c := &p.cursor
	c.Reset(text)
	*n = graph.Node{}
	p.fields.Reset()
	p.edge, p.edgeAt = nil, p.edgeAt[:0]
	firstEdge := len(edges)
	for c.Object(); c.Field(); {
		switch string(c.Key()) {
		case "request_id":
			p.fields.Required(fieldRequestID)
			n.RequestID = p.text()
		case "play_id":
			p.fields.Required(fieldPlayID)
			n.PlayID = p.repeated(fieldPlayID)
		case "session_id":
			p.fields.Required(fieldSessionID)
			n.SessionID = p.repeated(fieldSessionID)
		case "model":
			p.fields.Required(fieldModel)
			n.Model = p.repeated(fieldModel)
		case "input_length", "input_tokens":
			if p.fields.Optional(fieldInputLength) {
				n.InputLength = c.Uint(math.MaxUint64)
			}
		case "output_length", "output_tokens":
			if p.fields.Optional(fieldOutputLength) {
				n.MaxOutputTokens = c.Uint(math.MaxUint64)
			}
		case "hash_ids":
			if p.fields.Optional(fieldHashIDs) {
				n.HashIDs.Head = c.Integers(p.previous)
			}
		case "not_before_ms":
			p.fields.Required(fieldNotBefore)
			n.NotBeforeMs = c.Real()
		case "source_play_ordinal":
			if n.HasOrdinal = p.fields.Optional(fieldOrdinal); n.HasOrdinal {
				n.Ordinal = c.Uint(math.MaxUint64)
			}
		case "output_token_ids":
			if p.fields.Optional(fieldOutputTokenIDs) {
				n.OutputTokenIDs = p.fields.TokenIDs(fieldOutputTokenIDs)
			}
		case "recorded_api_time_ms":
			if n.HasAPITime = p.fields.Optional(fieldAPITime); n.HasAPITime {
				n.RecordedAPITimeMs = c.Real()
			}
		case "priority":
			if p.fields.Optional(fieldPriority) {
				n.Priority = int32(c.Int(math.MinInt32, math.MaxInt32))
			}
		case "strict_priority":
			if p.fields.Optional(fieldStrictPriority) {
				n.StrictPriority = uint32(c.Uint(math.MaxUint32))
			}
		case "policy_class":
			if p.fields.Optional(fieldPolicyClass) {
				class := p.text()
				n.PolicyClass = &class
			}
		case "dependencies":
			p.fields.Required(fieldDependencies)
			for c.Array(); c.Element(); {
				edges = append(edges, p.dependency())
			}
		default:
			c.Skip(false)
		}
	}
	failOnMissing(c, p.fields.Seen(), fieldNames[:required])
	p.fields.End()
	if err := c.Err(); err != nil {
		return edges, rowProblem(text, err, n.RequestID)
	}
	p.previous = n.HashIDs.Head
	if p.copyStrings {
		p.recent = [...]string{n.RequestID, n.PlayID, n.SessionID, n.Model}
	}
	n.Dependencies = edges[firstEdge:len(edges):len(edges)]
	return edges, nil
}

// text reads a string.
func (p *parser) text() string {
	if p.copyStrings {
		return string(p.cursor.String())
	}
	return p.fields.View()
}

// repeated reads a string that is probably the same as in the row before.
func (p *parser) repeated(field int) string {
	if !p.copyStrings {
		return p.text()
	}
	text := p.cursor.String()
	if string(text) == p.recent[field] {
		return p.recent[field]
	}
	return string(text)
}

// predecessor reads the id of a request that is probably the row before.
func (p *parser) predecessor() string {
	p.edgeAt = append(p.edgeAt, p.cursor.Offset())
	return p.repeated(fieldRequestID)
}

// dependency reads one edge and remembers the first that breaks a rule.
func (p *parser) dependency() (d graph.Dependency) {
	const (
		requestID = iota
		trigger
		delay
		relation
		all
	)
	names := [all]string{"request_id", "trigger", "delay_ms", "relation"}
	c := &p.cursor
	index := c.Index()
	var seen uint64
	var at [all]int
	once := func(field int) {
		c.Once(&seen, field)
		at[field] = c.Offset()
	}
	for c.Object(); c.Field(); {
		switch string(c.Key()) {
		case "request_id":
			once(requestID)
			d.Predecessor = p.predecessor()
		case "trigger":
			once(trigger)
			name, known := c.String(), false
			if d.Trigger, known = graph.ParseTrigger(name); !known {
				c.FailAt(at[trigger], fmt.Sprintf("found %q", name), `"dispatch" or "completion" is expected`)
			}
		case "delay_ms":
			once(delay)
			d.DelayMs = c.Real()
		case "relation":
			once(relation)
			name, known := c.String(), false
			if d.Relation, known = graph.ParseRelation(name); !known {
				c.FailAt(at[relation], fmt.Sprintf("found %q", name), `"sequence", "spawn", "join" or "replay_barrier" is expected`)
			}
		default:
			c.Skip(false)
		}
	}
	failOnMissing(c, seen, names[:])
	if c.Err() != nil || p.edge != nil {
		return d
	}
	broken := func(field int, found, rule string) {
		p.edge = &jsonl.Problem{Offset: at[field], Path: fmt.Sprintf("dependencies[%d].%s", index, names[field]), Found: found, Rule: rule}
	}
	switch {
	case strings.TrimSpace(d.Predecessor) == "":
		broken(requestID, "the request id is blank", "an edge names another request of the same play")
	case d.DelayMs < 0:
		broken(delay, fmt.Sprintf("found %v", d.DelayMs), "a delay is 0 or more milliseconds")
	case !d.Relation.Allowed(d.Trigger):
		broken(trigger, fmt.Sprintf("a %s edge has the trigger %q", d.Relation, d.Trigger), "only spawn edges may wait for a dispatch, the others wait for completion")
	}
	return d
}
