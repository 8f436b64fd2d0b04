package config

import (
	"fmt"
	"math"

	"tracekit/formats"
)

// evaluation checks which bounds come together.
func (c *checker) evaluation(sla *section) {
	if !sla.ok("ttft_ms", "itl_ms", "e2e_ms") {
		return
	}
	ttft, itl := sla.has("ttft_ms"), sla.has("itl_ms")
	switch {
	case sla.has("e2e_ms") && (ttft || itl):
		c.report(newDiagnostic(sla.at, sla.path, "e2e_ms beside ttft_ms or itl_ms", "ttft_ms with itl_ms, or e2e_ms alone"))
	case ttft != itl && c.mode.TokenBoundsTogether():
		missing := "ttft_ms"
		if ttft {
			missing = "itl_ms"
		}
		c.rejectWith(sla, missing, "missing", "ttft_ms and itl_ms together", onlyDocumented())
	}
}

// planner checks the rules of an enabled planner.
func (c *checker) planner(p, e, traffic, evaluation *section) {
	if !p.ok("policy") || p.text("policy") != "enabled" {
		return
	}
	if e.ok("mode") && e.text("mode") == string(Aggregated) {
		for _, name := range []string{"prefill_min_workers", "decode_min_workers"} {
			if p.has(name) {
				c.reject(p, name, name+" in mode aggregated", "min_workers, as there is one pool")
			}
		}
	}
	if p.ok("fpm_sample_bucket_size") {
		size := p.whole("fpm_sample_bucket_size")
		if root := int(math.Round(math.Sqrt(float64(size)))); root*root != size {
			c.reject(p, "fpm_sample_bucket_size", fmt.Sprint("the integer ", size), "a perfect square")
		}
	}
	c.scaling(p, evaluation)
	source := traffic.section("source")
	if source == nil || source.tag != string(SourceTrace) || !source.ok("format") || !c.mode.PlannerGraphsRefused() {
		return
	}
	if format := formats.Name(source.text("format")); isGraph(format) || format == formats.MooncakeDelta {
		c.rejectWith(p, "policy", "the planner with the format "+string(format), "disabled", onlyDocumented())
	}
}

// scaling checks intervals and bounds of the ways to scale that take effect.
func (c *checker) scaling(p, evaluation *section) {
	if !p.ok("target", "enable_throughput_scaling", "enable_load_scaling") {
		return
	}
	byThroughput, byLoad := effectiveScaling(p)
	const slow, fast = "throughput_adjustment_interval_seconds", "load_adjustment_interval_seconds"
	if !byThroughput && !byLoad {
		c.reject(p, "enable_load_scaling", "no way to scale is enabled", "with target sla, enable_throughput_scaling or enable_load_scaling")
	}
	if byThroughput && p.ok(slow) && (p.null(slow) || p.whole(slow) <= 0) {
		c.reject(p, slow, "no interval for scaling by throughput", "an integer > 0, in s")
	}
	if byLoad && p.null(fast) {
		c.reject(p, fast, "null", "an integer > 0, in s")
	}
	if byThroughput && byLoad && p.ok(slow, fast) && !p.null(fast) && p.whole(slow) > 0 && p.whole(fast) >= p.whole(slow) {
		c.reject(p, fast, "an interval that is not smaller than "+slow, "a smaller one")
	}
	if !byThroughput || !evaluation.ok("sla") {
		return
	}
	sla := evaluation.section("sla")
	if sla == nil || sla.ok("ttft_ms", "itl_ms") && (!sla.has("ttft_ms") || !sla.has("itl_ms")) {
		c.reject(p, "enable_throughput_scaling", "scaling by throughput without both bounds by token",
			"evaluation.sla.ttft_ms and evaluation.sla.itl_ms")
	}
}

// effectiveScaling is how the planner scales: every target but sla by load
// alone.
func effectiveScaling(p *section) (byThroughput, byLoad bool) {
	if p.text("target") != string(TargetSLA) {
		return false, true
	}
	return p.truth("enable_throughput_scaling"), p.truth("enable_load_scaling")
}
