package config

import (
	"fmt"

	"tracekit/formats"
)

// defaultBlockSize is the tokens per block hash of a trace that does not tell.
const defaultBlockSize = 512

// build makes a prediction of a document without problems.
func (c *checker) build(top *section) *Prediction {
	p := &Prediction{
		Traffic:   c.buildTraffic(top.section("traffic")),
		Engine:    buildEngine(top.section("engine")),
		SLA:       buildSLA(top.section("evaluation").section("sla")),
		Router:    Router{Policy: RouterRoundRobin, PrefillLoadModel: PrefillLoadNone},
		Stack:     c.stack,
		Semantics: c.mode,
	}
	if c.stack == StackDynamo {
		p.Router = buildRouter(top.section("router"))
		p.Planner = buildPlanner(top.section("planner"))
		c.warnFewGPUs(p, top.section("planner"))
	}
	return p
}

// warnFewGPUs warns of a planner that starts with more GPUs than it may use.
func (c *checker) warnFewGPUs(p *Prediction, planner *section) {
	initial := 0
	for _, w := range p.Engine.Workers.All() {
		initial += w.Parallelism.Replicas * w.Parallelism.GPUs()
	}
	if most := p.Planner.MaxGPUs; p.Planner.Enabled && most >= 0 && most < initial {
		c.warnings = append(c.warnings, newDiagnostic(planner.place("max_num_gpus"), planner.join("max_num_gpus"),
			fmt.Sprintf("the planner may use %d GPUs, but the deployment begins with %d", most, initial), ""))
	}
}

func (c *checker) buildTraffic(t *section) Traffic {
	source := t.section("source")
	out := Traffic{Source: buildSource(source), Load: buildLoad(t.section("load"), SourceType(source.tag))}
	if stop := t.section("stop"); stop != nil {
		out.Stop = c.buildStop(stop, &out.Load)
	}
	return out
}

func buildSource(s *section) Source {
	out := Source{Type: SourceType(s.tag)}
	switch out.Type {
	case SourceSynthetic:
		out.Synthetic = &Synthetic{InputTokens: s.whole("input_tokens"), OutputTokens: s.whole("output_tokens")}
	case SourceSyntheticSession:
		shape := s.section("session")
		out.Session = &Session{
			NewInputTokensPerTurn: s.whole("new_input_tokens_per_turn"),
			OutputTokensPerTurn:   s.whole("output_tokens_per_turn"),
			Turns:                 shape.whole("turns"),
			SharedPrefixRatio:     shape.real("shared_prefix_ratio"),
			PrefixGroups:          shape.whole("prefix_groups"),
			InterTurnDelayMs:      shape.real("inter_turn_delay_ms"),
		}
	case SourceTrace:
		out.Trace = &Trace{
			Paths:       s.list("paths"),
			Format:      formats.Name(s.text("format")),
			BlockSize:   s.wholeOrNil("block_size"),
			NestedBasis: NestedBasis(s.text("nested_timestamp_basis")),
		}
		if t := out.Trace; t.BlockSize == nil && t.Format != formats.Dynamo && t.Format != formats.Weka {
			t.BlockSize = new(defaultBlockSize)
		}
	}
	return out
}

func buildLoad(l *section, source SourceType) LoadShape {
	out := LoadShape{Type: LoadType(l.text("type"))}
	switch out.Type {
	case LoadConcurrency:
		out.Concurrency = 10
		if l.has("concurrency") {
			out.Concurrency = l.whole("concurrency")
		}
	case LoadPoisson:
		out.Seed = 42
		if l.has("seed") {
			out.Seed = l.unsigned("seed")
		}
		fallthrough
	case LoadConstantRate:
		out.PerSecond = l.real(rateOf[source])
	case LoadTraceTimestamps:
		out.Speedup = 1
		if l.has("speedup") {
			out.Speedup = l.real("speedup")
		}
		out.AgenticLanes = l.wholeOrNil("agentic_lanes")
	}
	return out
}

// buildStop multiplies counts per load unit out.
func (c *checker) buildStop(s *section, load *LoadShape) Stop {
	count := func(name string) int {
		if s.has(name) {
			return s.whole(name)
		}
		perUnit := name + "_per_load_unit"
		if !s.has(perUnit) {
			return 0
		}
		derived, fits := derivedCount(s.real(perUnit), loadUnit(load))
		if !fits {
			c.reject(s, perUnit, "a count that does not fit 64 bits", "less")
		}
		return derived
	}
	return Stop{Requests: count("requests"), Sessions: count("sessions"), MaxVirtualTimeSeconds: s.realOrNil("max_virtual_time_seconds")}
}

func buildSLA(s *section) *SLA {
	if !s.has("ttft_ms") && !s.has("itl_ms") && !s.has("e2e_ms") {
		return nil
	}
	return &SLA{TTFTMs: s.realOrNil("ttft_ms"), ITLMs: s.realOrNil("itl_ms"), E2EMs: s.realOrNil("e2e_ms")}
}

func buildRouter(r *section) Router {
	out := Router{
		Policy:           RouterPolicy(r.text("policy")),
		PrefillLoadModel: PrefillLoadModel(r.section("prefill_load_model").text("type")),
	}
	if out.PrefillLoadModel == "aic" {
		out.PrefillLoadModel = PrefillLoadAIS
	}
	if out.Policy == RouterKV {
		out.OverlapScoreCredit, out.PrefillLoadScale = 1, 1
		for name, knob := range map[string]*float64{
			"overlap_score_credit": &out.OverlapScoreCredit,
			"prefill_load_scale":   &out.PrefillLoadScale,
			"temperature":          &out.Temperature,
		} {
			if r.has(name) {
				*knob = r.real(name)
			}
		}
	}
	return out
}

func buildPlanner(p *section) Planner {
	byThroughput, byLoad := effectiveScaling(p)
	return Planner{
		Enabled:                      p.text("policy") == "enabled",
		Target:                       PlannerTarget(p.text("target")),
		MaxGPUs:                      p.whole("max_num_gpus"),
		MinGPUs:                      p.whole("min_num_gpus"),
		MinWorkers:                   p.whole("min_workers"),
		PrefillMinWorkers:            p.wholeOrNil("prefill_min_workers"),
		DecodeMinWorkers:             p.wholeOrNil("decode_min_workers"),
		ThroughputScaling:            byThroughput,
		LoadScaling:                  byLoad,
		ThroughputIntervalSeconds:    p.whole("throughput_adjustment_interval_seconds"),
		LoadIntervalSeconds:          p.whole("load_adjustment_interval_seconds"),
		MaxThroughputScalingReplicas: p.whole("max_throughput_scaling_replicas"),
		MaxFPMSamples:                p.whole("max_num_fpm_samples"),
		FPMSampleBucketSize:          p.whole("fpm_sample_bucket_size"),
		LoadScalingDownSensitivity:   p.whole("load_scaling_down_sensitivity"),
		LoadMinObservations:          p.whole("load_min_observations"),
		LoadPredictor:                LoadPredictor(p.text("load_predictor")),
		LoadPredictorLog1p:           p.truth("load_predictor_log1p"),
		ProphetWindowSize:            p.whole("prophet_window_size"),
		KalmanQLevel:                 p.real("kalman_q_level"),
		KalmanQTrend:                 p.real("kalman_q_trend"),
		KalmanR:                      p.real("kalman_r"),
		KalmanMinPoints:              p.whole("kalman_min_points"),
	}
}
