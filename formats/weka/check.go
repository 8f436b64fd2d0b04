package weka

import (
	"fmt"
	"slices"
	"strings"
	"unicode"

	"tracekit/formats"
	"tracekit/internal/semantics"
	"tracekit/internal/strictjson"
)

// maxBlocks bounds the blocks of one request, maxPrivateBlocks those of them
// that have no hash id: a few bytes of input must not ask for gigabytes.
const (
	maxBlocks        = 1 << 26
	maxPrivateBlocks = 1 << 20
)

// Facts are what one or more documents say, before lowering.
type Facts struct {
	Plays          int
	OuterRequests  int
	NestedRequests int
	Subagents      int
	ZeroOutputs    int // requests with out 0
	MissingAPITime int // requests without api_time
	// Dialects of hash_ids, in requests.
	Dialects Dialects
	Mends    Mends
}

// Dialects counts requests by how many ids they list.
type Dialects struct {
	Exact int `json:"exact"` // in is a multiple of the block size, one id for each block
	Floor int `json:"floor"` // one id for each full block, none for the partial one
	Ceil  int `json:"ceil"`  // one id for each block, the partial one included
	Other int `json:"other"`
}

func (f *Facts) add(other Facts) {
	f.Plays += other.Plays
	f.OuterRequests += other.OuterRequests
	f.NestedRequests += other.NestedRequests
	f.Subagents += other.Subagents
	f.ZeroOutputs += other.ZeroOutputs
	f.MissingAPITime += other.MissingAPITime
	f.Dialects.Exact += other.Dialects.Exact
	f.Dialects.Floor += other.Dialects.Floor
	f.Dialects.Ceil += other.Dialects.Ceil
	f.Dialects.Other += other.Dialects.Other
	f.Mends.MissingAPITime += other.Mends.MissingAPITime
	f.Mends.UndeclaredModels += other.Mends.UndeclaredModels
	f.Mends.NestedClock += other.Mends.NestedClock
}

// checked is what pass 1 learns of one document beside its validity.
type checked struct {
	facts     Facts
	models    modelSet // of its requests, in order of first use
	required  modelSet // those of them that the one-model rule counts
	nested    bool     // some subagent has a request
	witness   bool     // some inner request lies before its marker
	inner     int      // requests of subagents
	blockSize uint64
}

// checker applies the rules that a document obeys by itself (weka.md 15).
type checker struct {
	opts  Options
	place place
	doc   *document
	out   checked
}

// place turns offsets in a document into positions in its file.
type place struct {
	file         string // as the user would name it
	name         string // document name
	text         []byte
	line, column int // of the beginning of text, from 1
}

// problem makes an error about a field of the document.
func (p place) problem(offset int, object, path, found, rule, remedy string) *formats.Error {
	err := formats.WithPosition(p.file, p.line, p.column, p.text, &strictjson.Error{Offset: offset, Path: path, Found: found, Rule: rule})
	err.Object, err.Remedy = object, remedy
	return err
}

// where is a request within its document.
type where struct{ outer, inner int }

const noInner = -1

// path returns the JSON path of the request, or of a field of it.
func (w where) path(field string) string {
	path := fmt.Sprintf("requests[%d]", w.outer)
	if w.inner != noInner {
		path += fmt.Sprintf(".requests[%d]", w.inner)
	}
	if field != "" {
		path += "." + field
	}
	return path
}

func (c *checker) object(w where) string {
	object := fmt.Sprintf("play %q, request %d", c.doc.id, w.outer)
	if w.inner != noInner {
		object += fmt.Sprintf(", nested request %d", w.inner)
	}
	return object
}

// check returns the first offence against the rules, in their order, or nil.
func (c *checker) check(opts Options, pl place, doc *document) (checked, *formats.Error) {
	*c = checker{opts: opts, place: pl, doc: doc}
	c.out.blockSize = doc.blockSize
	for _, step := range []func() *formats.Error{c.head, c.checkModels, c.calls, c.subagents} {
		if err := step(); err != nil {
			return c.out, err
		}
	}
	c.out.facts.Plays = 1
	return c.out, nil
}

func (c *checker) head() *formats.Error {
	play := fmt.Sprintf("play %q", c.doc.id)
	if blank(c.doc.id) {
		return c.place.problem(0, "", "id", "the id is blank", "id must hold a visible character", "give the session a name")
	}
	if c.doc.blockSize == 0 {
		return c.place.problem(c.doc.blockSizeAt, play, "block_size", "found 0", "block_size is the tokens of one block, at least 1", "")
	}
	return nil
}

// each walks all calls of the document, markers' ones in place.
func (d *document) each(visit func(w where, r *request) *formats.Error) *formats.Error {
	for i := range d.entries {
		e := &d.entries[i]
		if e.marker == nil {
			if err := visit(where{i, noInner}, &e.request); err != nil {
				return err
			}
			continue
		}
		for j := range e.marker.requests {
			if err := visit(where{i, j}, &e.marker.requests[j]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *checker) checkModels() *formats.Error {
	for i, model := range c.doc.models {
		if blank(model) {
			return c.place.problem(0, fmt.Sprintf("play %q", c.doc.id), fmt.Sprintf("models[%d]", i), "the model name is blank", "a model name must hold a visible character", "")
		}
	}
	requests := 0
	err := c.doc.each(func(w where, r *request) *formats.Error {
		requests++
		if blank(r.model) {
			return c.place.problem(r.offset, c.object(w), w.path("model"), "the model name is blank", "a model name must hold a visible character", "")
		}
		c.out.models.add(r.model)
		declared := len(c.doc.models) == 0 || slices.Contains(c.doc.models, r.model)
		switch {
		case declared:
			c.out.required.add(r.model)
		case c.opts.Repairs.UndeclaredModels:
			c.out.facts.Mends.UndeclaredModels++
		default:
			return c.place.problem(r.offset, c.object(w), w.path("model"), fmt.Sprintf("the model %q is not declared", r.model),
				fmt.Sprintf("`models` lists every model that is used; it lists %s", quoteAll(c.doc.models)),
				"add the model to `models`, or pass --repair "+RepairUndeclaredModels)
		}
		return nil
	})
	if err == nil && requests == 0 {
		err = c.place.problem(0, fmt.Sprintf("play %q", c.doc.id), "requests", "there is no request", "a play has at least one request", "leave the file out")
	}
	return err
}

func (c *checker) calls() *formats.Error {
	return c.doc.each(func(w where, r *request) *formats.Error {
		if w.inner == noInner {
			c.out.facts.OuterRequests++
		} else {
			c.out.facts.NestedRequests++
		}
		if r.out == 0 {
			c.out.facts.ZeroOutputs++
		}
		problem := func(field, found, rule, remedy string) *formats.Error {
			return c.place.problem(r.offset, c.object(w), w.path(field), found, rule, remedy)
		}
		switch {
		case r.start < 0:
			return problem("t", fmt.Sprintf("found %v", r.start), "t is a time in seconds, 0 or more", "")
		case r.in == 0:
			return problem("in", "found 0", "a prompt has at least one token", "")
		case r.apiTime < 0:
			return problem("api_time", fmt.Sprintf("found %v", r.apiTime), "api_time is a duration in seconds, 0 or more", "")
		}
		if !r.hasAPITime {
			c.out.facts.MissingAPITime++
			switch {
			case !c.opts.Semantics.APITimeRequired():
			case c.opts.Repairs.MissingAPITime:
				c.out.facts.Mends.MissingAPITime++
			default:
				return problem("api_time", "the field is missing", "every request tells how long the service took",
					"pass --repair "+RepairMissingAPITime+" to let the request end where it began, or "+semantics.ProgramHint())
			}
		}
		return c.blocks(w, r)
	})
}

// blocks bounds the blocks of a request and tells its dialect.
func (c *checker) blocks(w where, r *request) *formats.Error {
	full, rest := r.in/c.doc.blockSize, r.in%c.doc.blockSize
	private := full - min(full, uint64(r.hashes.Len))
	if full > maxBlocks || private > maxPrivateBlocks {
		return c.place.problem(r.offset, c.object(w), w.path("in"),
			fmt.Sprintf("%d tokens are %d blocks, %d of them without a hash id", r.in, full, private),
			fmt.Sprintf("a request has at most %d blocks, and at most %d without a hash id", maxBlocks, maxPrivateBlocks), "check in and block_size")
	}
	d := &c.out.facts.Dialects
	switch listed := uint64(r.hashes.Len); {
	case listed == full && rest == 0:
		d.Exact++
	case listed == full:
		d.Floor++
	case listed == full+1 && rest > 0:
		d.Ceil++
	default:
		d.Other++
	}
	return nil
}

func (c *checker) subagents() *formats.Error {
	for i := range c.doc.entries {
		s := c.doc.entries[i].marker
		if s == nil {
			continue
		}
		w := where{i, noInner}
		problem := func(field, found, rule, remedy string) *formats.Error {
			return c.place.problem(c.doc.entries[i].offset, c.object(w), w.path(field), found, rule, remedy)
		}
		switch {
		case s.at < 0:
			return problem("t", fmt.Sprintf("found %v", s.at), "t is a time in seconds, 0 or more", "")
		case blank(s.agentID):
			return problem("agent_id", "the name is blank", "agent_id must hold a visible character", "")
		case s.hasDuration && s.durationMs < 0:
			return problem("duration_ms", fmt.Sprintf("found %d", s.durationMs), "duration_ms is a duration in milliseconds, 0 or more", "")
		case s.status != statusBlocking && s.status != statusBackground:
			return problem("status", fmt.Sprintf("found %q", s.status),
				fmt.Sprintf("status is %q for a blocking subagent or %q for one in the background", statusBlocking, statusBackground), "leave the file out if the subagent never ended")
		case s.blocking() && len(s.requests) == 0:
			return problem("requests", "the list is empty", "a subagent that has completed has at least one request", "")
		}
		c.out.facts.Subagents++
		c.out.inner += len(s.requests)
		c.out.nested = c.out.nested || len(s.requests) > 0
		for j := range s.requests {
			c.out.witness = c.out.witness || s.requests[j].start < s.at-epsilon
		}
	}
	return nil
}

// epsilon is the tolerance of all comparisons of times, in seconds.
const epsilon = 1e-6

// blank tells whether nothing is left of text without Unicode white space.
func blank(text string) bool { return strings.TrimFunc(text, unicode.IsSpace) == "" }

func quoteAll(names []string) string {
	quoted := make([]string, len(names))
	for i, name := range names {
		quoted[i] = fmt.Sprintf("%q", name)
	}
	return strings.Join(quoted, ", ")
}
