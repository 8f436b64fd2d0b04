package weka

import (
	"fmt"
	"math"

	"tracekit/internal/strictjson"
)

// document is one parsed session (weka.md 4). Hash ids are views of its text.
type document struct {
	id        string
	blockSize uint64
	models    []string // as declared
	entries   []entry

	blockSizeAt int // offset of the value in the text, for errors
}

// entry is one element of a document's `requests`: a call, or the marker of
// a subagent.
type entry struct {
	request
	marker *subagent // nil for a call
}

// request is one call of a model. Times are seconds, lengths tokens.
type request struct {
	offset     int // of the object in the text, for errors
	start      float64
	model      string
	in, out    uint64
	hashes     strictjson.Integers
	apiTime    float64
	hasAPITime bool
}

// end is when the call ended; one without api_time ends where it began.
func (r *request) end(start float64) float64 { return start + max(r.apiTime, 0) }

// subagent is a marker: requests nested in a session.
type subagent struct {
	at          float64 // marker time, seconds
	agentID     string
	status      string
	durationMs  int64
	hasDuration bool
	requests    []request
}

func (s *subagent) blocking() bool { return s.status == statusBlocking }

const (
	statusBlocking   = "completed"
	statusBackground = "async_launched"
)

// maxDepth bounds nested objects and arrays in a document (weka.md 2).
const maxDepth = 127

// parser reads documents one after another and keeps what can be reused: the
// memory of entries, and the strings that recur.
type parser struct {
	cursor   strictjson.Cursor
	doc      document
	names    map[string]string
	previous strictjson.Integers // the list read last, which the next probably extends
}

// parse reads the document at the beginning of text. It is valid until the
// next call. Whether anything follows it is left to the caller.
func (p *parser) parse(text []byte, twoStep bool) (*document, *strictjson.Error) {
	p.cursor.TwoStep, p.cursor.MaxDepth = twoStep, maxDepth
	p.cursor.Reset(text)
	p.cursor.ReuseCopies()
	p.previous = strictjson.Integers{}
	p.doc = document{entries: p.doc.entries[:0], models: p.doc.models[:0]}
	p.document()
	return &p.doc, p.cursor.Err()
}

// name returns b as a string, the same one each time.
func (p *parser) name(b []byte) string {
	if s, ok := p.names[string(b)]; ok {
		return s
	}
	const most = 4096 // a bound, for corpora in which names do not recur
	if p.names == nil || len(p.names) >= most {
		p.names = map[string]string{}
	}
	s := string(b)
	p.names[s] = s
	return s
}

// missing fails for the first required field that was not seen.
func (p *parser) missing(seen uint64, fields ...field) {
	for _, f := range fields {
		if seen&(1<<f.bit) == 0 {
			p.cursor.Fail(fmt.Sprintf("the field %q is missing", f.name), fmt.Sprintf("%s is required", f.name))
			return
		}
	}
}

type field struct {
	bit  int
	name string
}

func (p *parser) document() {
	const (
		id = iota
		blockSize
		scope
		requests
		models
		toolTokens
		systemTokens
		totals
	)
	c := &p.cursor
	var seen uint64
	c.Object()
	for c.Field() {
		switch string(c.Key()) {
		case "id":
			c.Once(&seen, id)
			p.doc.id = string(c.String())
		case "block_size":
			c.Once(&seen, blockSize)
			p.doc.blockSizeAt = c.Offset()
			p.doc.blockSize = c.Uint(math.MaxUint64)
		case "hash_id_scope":
			c.Once(&seen, scope)
			if s := c.String(); c.Err() == nil && string(s) != "local" {
				c.Fail(fmt.Sprintf("found the scope %q", s), `hash_id_scope must be "local"`)
			}
		case "requests":
			c.Once(&seen, requests)
			for c.Array(); c.Element(); {
				p.entry()
			}
		case "models":
			c.Once(&seen, models)
			for c.Array(); c.Element(); {
				p.doc.models = append(p.doc.models, p.name(c.String()))
			}
		case "tool_tokens":
			c.Once(&seen, toolTokens)
			c.Uint(math.MaxUint64)
		case "system_tokens":
			c.Once(&seen, systemTokens)
			c.Uint(math.MaxUint64)
		case "totals":
			c.Once(&seen, totals)
			c.Skip(true)
		default:
			c.Skip(false)
		}
	}
	p.missing(seen, field{id, "id"}, field{blockSize, "block_size"}, field{scope, "hash_id_scope"}, field{requests, "requests"})
}

// kind is what the `type` of an entry says.
type kind int

const (
	kindUnknown kind = iota
	kindCall
	kindSubagent
)

const typeRule = `type is "n" or "s" for a call, "subagent" for a marker`

// readKind reads the value of a `type` field.
func (p *parser) readKind() kind {
	c := &p.cursor
	switch name := c.String(); {
	case c.Err() != nil:
	case string(name) == "n" || string(name) == "s":
		return kindCall
	case string(name) == "subagent":
		return kindSubagent
	default:
		c.Fail(fmt.Sprintf("found the type %q", name), typeRule)
	}
	return kindUnknown
}

// entry reads one element of `requests`. Which fields it has depends on its
// type, which may come last: it is read as the kind that its first telling
// field suggests, and once more if that was wrong.
func (p *parser) entry() {
	c := &p.cursor
	if c.Err() != nil {
		return
	}
	var e entry
	mark := c.Mark()
	previous := p.previous
	settled := p.entryAs(&e, kindUnknown)
	if !settled {
		p.previous = previous
		c.Restore(mark)
		k := p.findKind()
		if c.Err() != nil {
			return
		}
		c.Restore(mark)
		e = entry{}
		p.entryAs(&e, k)
	}
	if c.Err() == nil {
		p.doc.entries = append(p.doc.entries, e)
	}
}

// findKind walks the object at the cursor for its type only.
func (p *parser) findKind() kind {
	c := &p.cursor
	found, seen := kindUnknown, uint64(0)
	c.Object()
	for c.Field() {
		if string(c.Key()) == "type" {
			c.Once(&seen, 0)
			found = p.readKind()
		} else {
			c.Skip(true)
		}
	}
	if found == kindUnknown {
		c.Fail(`the field "type" is missing`, typeRule)
	}
	return found
}

// Fields of an entry. Those up to entryType are of both kinds.
const (
	entryTime = iota
	entryType
	callModel
	callIn
	callOut
	callHashIDs
	callAPITime
	callInputTypes
	callOutputTypes
	callStop
	callThinkTime
	callTTFT
	agentID
	agentType
	agentStatus
	agentRequests
	agentDuration
	agentTotalTokens
	agentToolUses
	agentModels
	agentToolTokens
	agentSystemTokens
)

// entryAs reads an entry of kind k; of an unknown kind it guesses. It returns
// false when the guess was wrong, or when the object is wrong by a guess that
// its type has not confirmed.
func (p *parser) entryAs(e *entry, k kind) (settled bool) {
	c := &p.cursor
	guess, confirmed := k, k != kindUnknown
	var seen uint64
	c.Object()
	e.offset = c.Offset() - 1
	for c.Field() {
		switch key := c.Key(); string(key) {
		case "t":
			c.Once(&seen, entryTime)
			e.start = c.Real()
		case "type":
			c.Once(&seen, entryType)
			told := p.readKind()
			switch {
			case k == kindCall && told == kindSubagent:
				c.Fail("found a subagent inside a subagent", `nested requests are calls, of type "n" or "s"`)
			case !confirmed && guess != kindUnknown && told != guess:
				return false
			}
			guess, confirmed = told, true
		default:
			bit, of := fieldKind(key)
			if guess == kindUnknown {
				guess = of
			}
			switch {
			case of != guess || of == kindUnknown:
				c.Skip(true) // unknown to this kind of entry
			case of == kindCall:
				c.Once(&seen, bit)
				p.callField(&e.request, bit)
			default:
				c.Once(&seen, bit)
				if e.marker == nil {
					e.marker = &subagent{}
				}
				p.subagentField(e.marker, bit)
			}
		}
	}
	if c.Err() != nil {
		return confirmed
	}
	p.missing(seen, field{entryType, "type"}, field{entryTime, "t"})
	if guess == kindSubagent {
		if e.marker == nil {
			e.marker = &subagent{}
		}
		e.marker.at = e.start
		p.missing(seen, field{agentID, "agent_id"}, field{agentType, "subagent_type"}, field{agentStatus, "status"}, field{agentRequests, "requests"})
	} else {
		p.missing(seen, field{callModel, "model"}, field{callIn, "in"}, field{callOut, "out"})
	}
	return true
}

// fieldKind returns which field, of which kind of entry, a key names.
func fieldKind(key []byte) (bit int, of kind) {
	switch string(key) {
	case "model":
		return callModel, kindCall
	case "in":
		return callIn, kindCall
	case "out":
		return callOut, kindCall
	case "hash_ids":
		return callHashIDs, kindCall
	case "api_time":
		return callAPITime, kindCall
	case "input_types":
		return callInputTypes, kindCall
	case "output_types":
		return callOutputTypes, kindCall
	case "stop":
		return callStop, kindCall
	case "think_time":
		return callThinkTime, kindCall
	case "ttft":
		return callTTFT, kindCall
	case "agent_id":
		return agentID, kindSubagent
	case "subagent_type":
		return agentType, kindSubagent
	case "status":
		return agentStatus, kindSubagent
	case "requests":
		return agentRequests, kindSubagent
	case "duration_ms":
		return agentDuration, kindSubagent
	case "total_tokens":
		return agentTotalTokens, kindSubagent
	case "tool_use_count":
		return agentToolUses, kindSubagent
	case "models":
		return agentModels, kindSubagent
	case "tool_tokens":
		return agentToolTokens, kindSubagent
	case "system_tokens":
		return agentSystemTokens, kindSubagent
	}
	return 0, kindUnknown
}

func (p *parser) callField(r *request, bit int) {
	c := &p.cursor
	switch bit {
	case callModel:
		r.model = p.name(c.String())
	case callIn:
		r.in = c.Uint(math.MaxUint64)
	case callOut:
		r.out = c.Uint(math.MaxUint64)
	case callHashIDs:
		r.hashes = c.Integers(p.previous)
		p.previous = r.hashes
	case callAPITime:
		if !c.Null() {
			r.apiTime, r.hasAPITime = c.Real(), true
		}
	case callInputTypes, callOutputTypes:
		p.strings()
	case callStop:
		c.String()
	case callThinkTime, callTTFT:
		if !c.Null() {
			c.Real()
		}
	}
}

func (p *parser) subagentField(s *subagent, bit int) {
	c := &p.cursor
	switch bit {
	case agentID:
		s.agentID = string(c.String())
	case agentType:
		c.String()
	case agentStatus:
		s.status = p.name(c.String())
	case agentRequests:
		for c.Array(); c.Element(); {
			var e entry
			p.entryAs(&e, kindCall)
			if c.Err() == nil {
				s.requests = append(s.requests, e.request)
			}
		}
	case agentDuration:
		if !c.Null() {
			s.durationMs, s.hasDuration = c.Int(math.MinInt64, math.MaxInt64), true
		}
	case agentTotalTokens, agentToolUses:
		if !c.Null() {
			c.Uint(math.MaxUint64)
		}
	case agentModels:
		p.strings()
	case agentToolTokens, agentSystemTokens:
		c.Uint(math.MaxUint64)
	}
}

func (p *parser) strings() {
	c := &p.cursor
	for c.Array(); c.Element(); {
		c.String()
	}
}
