package mooncake

import (
	"fmt"
	"math"
	"unsafe"

	"tracekit/formats"
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
	text      []byte         // of the row
	seen      uint64         // bits of the fields that were given
	given     uint64         // those that were not null
	at        [fields]int    // where their values begin in the text
	previous  graph.Integers // hash ids of the row before
}

func newParser(opts Options) *parser {
	p := &parser{blockSize: opts.BlockSize}
	p.cursor.TwoStep = opts.Semantics.TwoStepDecimals()
	return p
}

// has tells whether the row gives a field a value.
func (p *parser) has(field int) bool { return p.given>>field&1 != 0 }

// offset returns where the value of a field begins, 0 if it was not given.
func (p *parser) offset(field int) int {
	if p.seen>>field&1 == 0 {
		return 0
	}
	return p.at[field]
}

// parse reads the shape of a row: JSON and types.
func (p *parser) parse(text []byte, r *row) *problem {
	c := &p.cursor
	c.Reset(text)
	*r = row{}
	p.text, p.seen, p.given = text, 0, 0
	for c.Object(); c.Field(); {
		switch string(c.Key()) {
		case "hash_ids":
			if p.optional(fieldHashIDs) {
				r.HashIDs = c.Integers(p.previous)
			}
		case "output_length", "output_tokens":
			if p.optional(fieldOutputLength) {
				r.OutputLength = c.Uint(math.MaxUint64)
			}
		case "input_length", "input_tokens":
			if p.optional(fieldInputLength) {
				r.InputLength = c.Uint(math.MaxUint64)
			}
		case "timestamp", "created_time":
			if p.optional(fieldTimestamp) {
				r.timestampMs = c.Real()
			}
		case "session_id":
			if p.optional(fieldSessionID) {
				r.sessionID = p.string()
			}
		case "delay", "delay_ms":
			if p.optional(fieldDelay) {
				r.delayMs = c.Real()
			}
		case "request_id":
			if p.optional(fieldRequestID) {
				r.RequestID = p.string()
			}
		case "output_token_ids":
			if p.optional(fieldOutputTokenIDs) {
				r.OutputTokenIDs = p.tokenIDs()
			}
		case "priority":
			if p.optional(fieldPriority) {
				r.Priority = int32(c.Int(math.MinInt32, math.MaxInt32))
			}
		case "strict_priority":
			if p.optional(fieldStrictPriority) {
				r.StrictPriority = uint32(c.Uint(math.MaxUint32))
			}
		case "policy_class":
			if p.optional(fieldPolicyClass) {
				class := p.string()
				r.PolicyClass = &class
			}
		default:
			c.Skip(false)
		}
	}
	if c.Err() == nil && !c.AtEnd() {
		c.Fail("something follows the object", "a line holds one JSON object")
	}
	if err := c.Err(); err != nil {
		broken := &problem{offset: err.Offset, path: err.Path, found: err.Found, rule: err.Rule}
		if err.Truncated {
			broken.remedy = "if the file was cut short, fetch or write it again"
		}
		return broken
	}
	p.previous = r.HashIDs
	return nil
}

// optional records that a field is given and where its value begins, and
// tells whether it has one: null is the same as leaving it out.
func (p *parser) optional(field int) bool {
	c := &p.cursor
	if p.seen>>field&1 != 0 && string(c.Key()) != fieldNames[field] {
		c.Fail(fmt.Sprintf("the field is given as %q too", fieldNames[field]), "these are two names of one field")
	}
	c.Once(&p.seen, field)
	p.at[field] = c.Offset()
	if c.Null() || c.Err() != nil {
		return false
	}
	p.given |= 1 << field
	return true
}

func (p *parser) string() string {
	c := &p.cursor
	start := c.Offset()
	text := c.String()
	if c.Offset()-start != len(text)+len(`""`) {
		return string(text) // decoded: the cursor will overwrite it
	}
	return unsafe.String(unsafe.SliceData(text), len(text))
}

// tokenIDs reads a list of 32-bit integers.
func (p *parser) tokenIDs() *graph.Integers {
	c := &p.cursor
	ids := c.Integers(graph.Integers{})
	at := 0
	for id := range ids.All {
		if id > math.MaxUint32 {
			c.FailAt(p.at[fieldOutputTokenIDs], fmt.Sprintf("number %d of the list is %d", at, id),
				fmt.Sprintf("token ids are unsigned integers from 0 to %d", uint32(math.MaxUint32)))
			break
		}
		at++
	}
	return &ids
}

// check makes the checks that concern the row alone, in the order of
// formats.md 2.3, and fills in the input length if it is left out.
func (p *parser) check(r *row) *problem {
	missing := func(field int) *problem {
		return p.broken(field, "the field is missing or null", "it is required")
	}
	switch ids := uint64(r.HashIDs.Len); {
	case !p.has(fieldHashIDs):
		broken := missing(fieldHashIDs)
		if other := formats.Detect(p.text); other != "" && other != formats.Mooncake {
			broken.remedy = fmt.Sprintf("this looks like a line of a trace in the format %s; name that with --trace-format", other)
		}
		return broken
	case !p.has(fieldInputLength):
		if ids > math.MaxUint64/p.blockSize {
			return p.broken(fieldHashIDs, fmt.Sprintf("found %d hash ids", ids),
				fmt.Sprintf("in blocks of %d tokens a prompt cannot have so many", p.blockSize))
		}
		r.InputLength = ids * p.blockSize
	case blocks(r.InputLength, p.blockSize) > ids:
		broken := p.broken(fieldInputLength, fmt.Sprintf("found %d tokens", r.InputLength),
			fmt.Sprintf("the %d hash ids of the row stand for %d tokens each", ids, p.blockSize))
		broken.remedy = "if the blocks of the trace have another size, give it: --block-size, or traffic.source.block_size in a prediction"
		return broken
	}
	switch {
	case !p.has(fieldOutputLength):
		return missing(fieldOutputLength)
	case r.OutputTokenIDs != nil && uint64(r.OutputTokenIDs.Len) != r.OutputLength:
		return p.broken(fieldOutputTokenIDs, fmt.Sprintf("found %d token ids", r.OutputTokenIDs.Len),
			fmt.Sprintf("an output of length %d has as many", r.OutputLength))
	}
	return nil
}

func (p *parser) broken(field int, found, rule string) *problem {
	return &problem{offset: p.offset(field), path: fieldNames[field], found: found, rule: rule}
}

// blocks returns how many blocks a prompt of that length takes.
func blocks(tokens, blockSize uint64) uint64 {
	if tokens == 0 {
		return 0
	}
	return (tokens-1)/blockSize + 1
}
