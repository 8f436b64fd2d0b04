package mooncake

import (
	"fmt"
	"math"

	"tracekit/formats"
	"tracekit/formats/jsonl"
	"tracekit/graph"
	"tracekit/internal/strictjson"
)

// The fields of a row (formats.md 2.2).
const (
	fieldHashIDs = iota
	fieldOutputLength
	fieldInputLength
	fieldTimestamp
	fieldSessionID
	fieldDelay
	fieldRequestID
	fieldOutputTokenIDs
	fieldPriority
	fieldStrictPriority
	fieldPolicyClass
	fields
)

var fieldNames = [fields]string{
	"hash_ids", "output_length", "input_length", "timestamp", "session_id", "delay",
	"request_id", "output_token_ids", "priority", "strict_priority", "policy_class",
}

// row is one line: a turn before it is known which session it belongs to, and
// what decides that. Of these fields those that were given, as the parser
// tells, have a value.
type row struct {
	Turn
	timestampMs float64
	sessionID   string
	delayMs     float64
}

// parser reads rows. It serves one goroutine and allocates nothing for a row
// of the usual kind: strings and lists are views of the text, which must stay.
type parser struct {
	blockSize uint64
	cursor    strictjson.Cursor
	text      []byte // of the row
	fields    jsonl.Fields
	previous  graph.Integers // hash ids of the row before
}

func newParser(opts Options) *parser {
	p := &parser{blockSize: opts.BlockSize}
	p.fields = jsonl.NewFields(&p.cursor, fieldNames[:])
	p.cursor.TwoStep = opts.Semantics.TwoStepDecimals()
	return p
}

// parse reads the shape of a row: JSON and types.
func (p *parser) parse(text []byte, r *row) *jsonl.Problem {
	c := &p.cursor
	c.Reset(text)
	*r = row{}
	p.text = text
	p.fields.Reset()
	for c.Object(); c.Field(); {
		switch string(c.Key()) {
		case "hash_ids":
			if p.fields.Optional(fieldHashIDs) {
				r.HashIDs = c.Integers(p.previous)
			}
		case "output_length", "output_tokens":
			if p.fields.Optional(fieldOutputLength) {
				r.OutputLength = c.Uint(math.MaxUint64)
			}
		case "input_length", "input_tokens":
			if p.fields.Optional(fieldInputLength) {
				r.InputLength = c.Uint(math.MaxUint64)
			}
		case "timestamp", "created_time":
			if p.fields.Optional(fieldTimestamp) {
				r.timestampMs = c.Real()
			}
		case "session_id":
			if p.fields.Optional(fieldSessionID) {
				r.sessionID = p.fields.View()
			}
		case "delay", "delay_ms":
			if p.fields.Optional(fieldDelay) {
				r.delayMs = c.Real()
			}
		case "request_id":
			if p.fields.Optional(fieldRequestID) {
				r.RequestID = p.fields.View()
			}
		case "output_token_ids":
			if p.fields.Optional(fieldOutputTokenIDs) {
				r.OutputTokenIDs = p.fields.TokenIDs(fieldOutputTokenIDs)
			}
		case "priority":
			if p.fields.Optional(fieldPriority) {
				r.Priority = int32(c.Int(math.MinInt32, math.MaxInt32))
			}
		case "strict_priority":
			if p.fields.Optional(fieldStrictPriority) {
				r.StrictPriority = uint32(c.Uint(math.MaxUint32))
			}
		case "policy_class":
			if p.fields.Optional(fieldPolicyClass) {
				class := p.fields.View()
				r.PolicyClass = &class
			}
		default:
			c.Skip(false)
		}
	}
	p.fields.End()
	if err := c.Err(); err != nil {
		return jsonl.CursorProblem("", err)
	}
	p.previous = r.HashIDs
	return nil
}

// check makes the checks that concern the row alone, in the order of
// formats.md 2.3, and fills in the input length if it is left out.
func (p *parser) check(r *row) *jsonl.Problem {
	missing := func(field int) *jsonl.Problem {
		return p.broken(field, "the field is missing or null", "it is required")
	}
	switch ids := uint64(r.HashIDs.Len); {
	case !p.fields.Has(fieldHashIDs):
		broken := missing(fieldHashIDs)
		if other := formats.Detect(p.text); other != "" && other != formats.Mooncake {
			broken.Remedy = fmt.Sprintf("this looks like a line of a trace in the format %s; name that with --trace-format", other)
		}
		return broken
	case !p.fields.Has(fieldInputLength):
		if ids > math.MaxUint64/p.blockSize {
			return p.broken(fieldHashIDs, fmt.Sprintf("found %d hash ids", ids),
				fmt.Sprintf("in blocks of %d tokens a prompt cannot have so many", p.blockSize))
		}
		r.InputLength = ids * p.blockSize
	case blocks(r.InputLength, p.blockSize) > ids:
		broken := p.broken(fieldInputLength, fmt.Sprintf("found %d tokens", r.InputLength),
			fmt.Sprintf("the %d hash ids of the row stand for %d tokens each", ids, p.blockSize))
		broken.Remedy = "if the blocks of the trace have another size, give it: --block-size, or traffic.source.block_size in a prediction"
		return broken
	}
	switch {
	case !p.fields.Has(fieldOutputLength):
		return missing(fieldOutputLength)
	case r.OutputTokenIDs != nil && uint64(r.OutputTokenIDs.Len) != r.OutputLength:
		return p.broken(fieldOutputTokenIDs, fmt.Sprintf("found %d token ids", r.OutputTokenIDs.Len),
			fmt.Sprintf("an output of length %d has as many", r.OutputLength))
	}
	return nil
}

func (p *parser) broken(field int, found, rule string) *jsonl.Problem {
	return &jsonl.Problem{Offset: p.fields.At(field), Path: fieldNames[field], Found: found, Rule: rule}
}

// blocks returns how many blocks a prompt of that length takes.
func blocks(tokens, blockSize uint64) uint64 {
	if tokens == 0 {
		return 0
	}
	return (tokens-1)/blockSize + 1
}
