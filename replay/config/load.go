package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"tracekit/internal/semantics"
)

// Options is how a configuration is read.
type Options struct {
	Semantics semantics.Mode
	Stack     Stack    // StackEngine when empty
	Sets      []string // PATH=VALUE, applied in order before anything is checked
}

// Load reads and validates the configuration file at path. Every error is of
// type [Diagnostics].
func Load(path string, opts Options) (*Prediction, error) {
	text, err := readFile(path)
	if err != nil {
		var pathErr *fs.PathError
		if errors.As(err, &pathErr) {
			err = pathErr.Err
		}
		return nil, Diagnostics{{File: path, Found: "the configuration cannot be read: " + err.Error()}}
	}
	return Parse(path, text, opts)
}

// readFile reads a file, but not much beyond the size at which a document is
// refused.
func readFile(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, maxBytes+4))
}

// Parse is [Load] for text at hand; name is for errors.
func Parse(name string, text []byte, opts Options) (*Prediction, error) {
	if opts.Stack == "" {
		opts.Stack = StackEngine
	}
	c := &checker{mode: opts.Semantics, stack: opts.Stack}
	src := &source{name: name, text: string(text)}
	document := c.document(src, opts.Sets)
	if err := c.problems.err(); err != nil {
		return nil, err
	}
	top := c.schema(document, place{src, 1, 1})
	if err := c.problems.err(); err != nil {
		return nil, err
	}
	p := c.build(top)
	if err := c.problems.err(); err != nil {
		return nil, err
	}
	p.document, p.start = document, place{src, 1, 1}
	p.Warnings = c.warnings
	return p, nil
}

// document reads the text and applies the overrides.
func (c *checker) document(src *source, sets []string) *node {
	document, duplicates, problem := parseDocument(src)
	if problem != nil {
		c.report(problem)
		return nil
	}
	c.duplicates(duplicates)
	if document == nil || document.kind != mapNode {
		found := "the file is empty"
		if document != nil {
			found = "the document is " + document.describe()
		}
		c.report(newDiagnostic(place{src, 1, 1}, "", found, "a mapping with the section engine"))
		return nil
	}
	for _, set := range sets {
		changed, duplicates, problem := override(document, set)
		if problem != nil {
			c.report(problem)
			continue
		}
		c.duplicates(duplicates)
		document = changed
	}
	return document
}

// duplicates reports keys that stand twice in one mapping.
func (c *checker) duplicates(all []duplicate) {
	for _, d := range all {
		found := fmt.Sprintf("the key %s stands twice, in lines %d and %d", quoted(d.name), d.first.line, d.second.line)
		if c.mode.DuplicateKeysRefused() {
			c.report(newDiagnostic(d.second, "", found, "each key once").
				with("remove one; " + semantics.ProgramHint() + " takes the last one"))
		} else {
			c.warnings = append(c.warnings, newDiagnostic(d.second, "", found+"; the last one counts", ""))
		}
	}
}

// schema checks the document against the schema, then by the rules that join
// settings, in the order in which the reference program does.
func (c *checker) schema(document *node, start place) *section {
	top := c.mapping(&documentSchema, documentSchema.settings, document, start, "")
	traffic, engine, evaluation := top.section("traffic"), top.section("engine"), top.section("evaluation")
	router, planner := top.section("router"), top.section("planner")
	if traffic != nil {
		c.traffic(traffic)
	}
	if engine != nil {
		c.engine(engine, traffic)
	}
	if evaluation != nil {
		c.evaluation(evaluation.section("sla"))
	}
	if c.stack == StackDynamo {
		c.router(router, engine, planner)
		c.planner(planner, engine, traffic, evaluation)
	}
	return top
}

// Problem makes the error for a field that turns out to be wrong after
// [Load], such as an unknown model: at the field's place, or at that of the
// nearest mapping around it that stands in the file.
func (p *Prediction) Problem(path, found, allowed, remedy string) *Diagnostic {
	return newDiagnostic(locate(p.document, p.start, path), path, found, allowed).with(remedy)
}
