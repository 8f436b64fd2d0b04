package config

import (
	"slices"
	"strings"

	"tracekit/formats"
)

// loadFields is what each load type takes besides its type.
var loadFields = map[LoadType][]string{
	LoadConcurrency:     {"concurrency"},
	LoadConstantRate:    {"requests_per_second", "sessions_per_second"},
	LoadPoisson:         {"requests_per_second", "sessions_per_second", "seed"},
	LoadTraceTimestamps: {"speedup", "agentic_lanes"},
}

// allCounts is the fields that count requests or sessions.
var allCounts = []string{"requests", "requests_per_load_unit", "sessions", "sessions_per_load_unit"}

// stopCounts is those of each generated source.
var stopCounts = map[SourceType][]string{
	SourceSynthetic:        {"requests", "requests_per_load_unit"},
	SourceSyntheticSession: {"sessions", "sessions_per_load_unit"},
}

// rateOf is the field that gives the rate of a source.
var rateOf = map[SourceType]string{
	SourceSynthetic:        "requests_per_second",
	SourceSyntheticSession: "sessions_per_second",
}

// traffic checks the rules that join source, load and stop.
func (c *checker) traffic(t *section) {
	source, load, stop := t.section("source"), t.section("load"), t.section("stop")
	c.loadFields(load)
	if source == nil {
		return
	}
	switch SourceType(source.tag) {
	case SourceTrace:
		c.trace(source, load, stop)
	case SourceSyntheticSession:
		session := source.section("session")
		if session.ok("shared_prefix_ratio", "prefix_groups") && session.real("shared_prefix_ratio") > 0 && session.whole("prefix_groups") == 0 {
			c.reject(session, "shared_prefix_ratio", "a ratio above 0 without groups", "prefix_groups above 0 beside it")
		}
		c.generated(t, source, load, stop)
	default:
		c.generated(t, source, load, stop)
	}
}

// loadFields refuses fields of other load types.
func (c *checker) loadFields(load *section) {
	if !load.ok("type") {
		return
	}
	kind := LoadType(load.text("type"))
	for _, s := range find(trafficSchema.settings, "load").settings {
		if s.name == "type" || s.kind == foreignValue || slices.Contains(loadFields[kind], s.name) {
			continue
		}
		if load.has(s.name) {
			c.reject(load, s.name, s.name+" does not belong to a load of type "+string(kind), strings.Join(loadFields[kind], ", "))
		}
	}
	if kind == LoadConcurrency && load.null("concurrency") {
		c.rejectWith(load, "concurrency", "null", "an integer >= 1, in requests or sessions in flight", "remove the field for the default of 10")
	}
}

// generated checks what a synthetic or synthetic-session source asks of load
// and stop.
func (c *checker) generated(t, source, load, stop *section) {
	kind := SourceType(source.tag)
	rate := rateOf[kind]
	other := rateOf[SourceSynthetic]
	if kind == SourceSynthetic {
		other = rateOf[SourceSyntheticSession]
	}
	if load.ok("type") {
		switch LoadType(load.text("type")) {
		case LoadTraceTimestamps:
			c.reject(load, "type", "trace_timestamps with a "+source.tag+" source", "concurrency, constant_rate or poisson")
		case LoadConstantRate, LoadPoisson:
			if load.ok(rate) && !load.has(rate) {
				c.reject(load, rate, "missing", "a rate: a "+source.tag+" source is admitted by "+rate)
			}
			if load.has(other) {
				c.reject(load, other, other+" with a "+source.tag+" source", rate)
			}
		}
	}
	if !t.ok("stop") {
		return
	}
	counts := stopCounts[kind]
	if stop == nil {
		c.reject(t, "stop", "missing: a "+source.tag+" source never ends by itself", "stop with "+strings.Join(counts, " or "))
		return
	}
	if !stop.ok(allCounts...) || !stop.ok("max_virtual_time_seconds") {
		return
	}
	if stop.has("max_virtual_time_seconds") {
		c.reject(stop, "max_virtual_time_seconds", "a cutoff with a "+source.tag+" source", "a count: "+strings.Join(counts, " or "))
	}
	given := 0
	for _, s := range allCounts {
		if !stop.has(s) {
			continue
		}
		given++
		if !slices.Contains(counts, s) {
			c.reject(stop, s, s+" with a "+source.tag+" source", strings.Join(counts, " or "))
		}
	}
	if given != 1 {
		found := "no count"
		if given > 1 {
			found = "several counts in one stop"
		}
		c.reject(t, "stop", found, "exactly one of "+strings.Join(counts, " and "))
	}
}

// isGraph tells whether a format always holds agentic graphs.
func isGraph(format formats.Name) bool {
	return format == formats.AgenticMooncake || format == formats.Weka
}

// trace checks what a trace asks of load and stop.
func (c *checker) trace(source, load, stop *section) {
	format := formats.Name(source.text("format"))
	formatKnown := source.ok("format")
	if formatKnown && source.ok("paths") && format != formats.Dynamo && len(source.list("paths")) > 1 {
		c.reject(source, "paths", "several paths with the format "+string(format), "one path; only dynamo comes in shards")
	}
	if formatKnown && format != formats.Weka && source.has("nested_timestamp_basis") {
		c.reject(source, "nested_timestamp_basis", "a nested timestamp basis with the format "+string(format), "this field with the format weka only")
	}
	if load.ok("type") {
		kind := LoadType(load.text("type"))
		switch {
		case kind != LoadTraceTimestamps && kind != LoadConcurrency:
			c.reject(load, "type", string(kind)+" with a trace", "trace_timestamps or concurrency")
		case !formatKnown:
		case isGraph(format) && kind != LoadTraceTimestamps:
			c.reject(load, "type", string(kind)+" with the format "+string(format), "trace_timestamps")
		case format == formats.AppliedComputeAgentic && kind != LoadConcurrency:
			c.reject(load, "type", string(kind)+" with the format "+string(format), "concurrency")
		}
	}
	if formatKnown && load.has("agentic_lanes") && !isGraph(format) && format != formats.Dynamo {
		c.reject(load, "agentic_lanes", "lanes with the format "+string(format), "lanes with agentic_mooncake, weka or dynamo only")
	}
	for _, name := range allCounts {
		if stop.has(name) {
			c.reject(stop, name, "a count with a trace", "max_virtual_time_seconds alone, or no stop: a trace ends by itself")
		}
	}
	if formatKnown && isGraph(format) && stop.has("max_virtual_time_seconds") {
		c.reject(stop, "max_virtual_time_seconds", "a cutoff with the format "+string(format), "no stop")
	}
}
