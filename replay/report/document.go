package report

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// document returns the content of prediction.json.
func (r *Report) document() (object, error) {
	summary := r.summary()
	var perRequest any
	if r.options.Capture {
		perRequest = rows{r.records, &r.options}
	}
	if !r.options.Dynamo {
		if r.options.Capture {
			summary = append(summary, field{"per_request", perRequest})
		}
		return append(summary, field{"prediction_provenance", r.provenance()}), nil
	}
	planner, err := r.planner()
	return object{
		{"coverage", object{
			{"capture_per_request", r.options.Capture},
			{"capture_planner_details", planner != nil},
			{"per_request_records", len(r.records)},
		}},
		{"per_request", perRequest},
		{"planner", planner},
		{"summary", summary},
	}, err
}

// summary returns the figures under their keys.
func (r *Report) summary() object {
	s := &r.Summary
	figure := func(x float64) any {
		if s.NoneCompleted {
			return nil
		}
		return x
	}
	o := object{
		{"committed_prefill_tokens", s.CommittedPrefillTokens},
		{"completed_requests", s.Completed},
		{"decode_gpus_per_worker", s.DecodeGPUsPerWorker},
		{"decode_worker_seconds", s.DecodeWorkerSeconds},
		{"duration_ms", s.DurationMs},
		{"first_admission_prefix_cache_reused_ratio", s.FirstReusedRatio},
		{"gpu_hours", s.GPUHours},
		{"input_throughput_tok_s", figure(s.InputThroughput)},
		{"kv_eviction_policy", "lru"},
		{"num_e2e_latency_samples", s.E2E.Samples},
		{"num_requests", s.Requests},
		{"num_tpot_samples", s.TPOT.Samples},
		{"num_ttft_samples", s.TTFT.Samples},
		{"output_throughput_tok_s", figure(s.OutputThroughput)},
		{"power_coverage", nil},
		{"power_w", nil},
		{"prefill_gpus_per_worker", s.PrefillGPUsPerWorker},
		{"prefill_worker_seconds", s.PrefillWorkerSeconds},
		{"prefix_cache_reused_ratio", s.ReusedRatio},
		{"processed_tokens", s.InputTokens + s.OutputTokens},
		{"request_throughput_rps", figure(s.RequestThroughput)},
		{"total_input_tokens", s.InputTokens},
		{"total_output_tokens", s.OutputTokens},
		{"total_throughput_tok_s", figure(s.TotalThroughput)},
	}
	distribution := func(name string, d *Distribution) {
		o = append(o,
			field{"mean_" + name, figure(d.Mean)}, field{"min_" + name, figure(d.Min)}, field{"max_" + name, figure(d.Max)},
			field{"median_" + name, figure(d.Median)}, field{"p75_" + name, figure(d.P75)}, field{"p90_" + name, figure(d.P90)},
			field{"p95_" + name, figure(d.P95)}, field{"p99_" + name, figure(d.P99)}, field{"std_" + name, figure(d.Std)})
	}
	distribution("ttft_ms", &s.TTFT)
	distribution("ttst_ms", &s.TTST)
	distribution("tpot_ms", &s.TPOT)
	distribution("e2e_latency_ms", &s.E2E)
	distribution("itl_ms", &s.ITL)
	distribution("output_token_throughput_per_user", &s.UserThroughput)

	if g := s.Goodput; g != nil {
		o = append(o,
			field{"goodput_completed_requests", g.Requests},
			field{"goodput_request_throughput_rps", figure(g.RequestThroughput)},
			field{"goodput_output_throughput_tok_s", figure(g.OutputThroughput)})
	}
	if t := s.Trajectories; t != nil {
		o = append(o,
			field{"total_trajectories", t.Total},
			field{"completed_trajectories", t.Completed},
			field{"incomplete_trajectories", t.Total - t.Completed},
			field{"p50_trajectory_e2e_latency_ms", figure(t.E2E.Median)})
		distribution("trajectory_e2e_latency_ms", &t.E2E)
	}
	if r.facts.Agentic != nil {
		o = append(o, r.facts.Agentic.fields()...)
	}
	if s.NoneCompleted {
		o = append(o,
			field{"prediction_status", "invalid"},
			field{"stop_reason", "no_completed_requests"},
			field{"diagnostic", s.Diagnostic()})
	}
	return o
}

// Diagnostic says in a sentence why the prediction is invalid, and nothing if
// it is valid.
func (s *Summary) Diagnostic() string {
	switch {
	case !s.NoneCompleted:
		return ""
	case s.Requests == 0:
		return "No request arrived before the replay ended, so there are no latencies and throughputs to report."
	case s.Requests == 1:
		return "The one request that arrived did not complete, so there are no latencies and throughputs to report."
	}
	return fmt.Sprintf("None of the %d requests that arrived completed, so there are no latencies and throughputs to report.", s.Requests)
}

// fields returns what the summary of a graph has besides.
func (a *AgenticFacts) fields() object {
	models := make([]any, len(a.Graph.Models))
	for i, model := range a.Graph.Models {
		models[i] = model
	}
	outcomes := make([]any, len(a.Plays))
	for i := range a.Plays {
		outcomes[i] = a.Plays[i].object()
	}
	o := object{
		{"agentic_graph", object{
			{"block_size", int(a.Graph.BlockSize)},
			{"graph_digest", a.Graph.GraphDigest},
			{"node_count", a.Graph.Requests},
			{"play_count", a.Graph.Plays},
			{"source", object{{"digest", a.Graph.Source.Digest}, {"format", a.Graph.Source.Format}}},
			{"source_models", models},
		}},
		{"agentic_model_projection", object{
			{"policy", "project_to_configured_target"},
			{"source_models", models},
			{"target_model", a.TargetModel},
		}},
		{"agentic_play_outcomes", outcomes},
		{"agentic_lifecycle_event_count", a.LifecycleEvents},
		{"agentic_lifecycle_digest", a.LifecycleDigest},
	}
	if a.WekaTimestampBasis != "" {
		o = append(o, field{"weka_nested_timestamp_basis", a.WekaTimestampBasis})
	}
	return o
}

func (p *PlayOutcome) object() object {
	o := object{{"play_id", p.PlayID}, {"status", p.Status.String()}}
	if p.CausalTerminalMs.Known {
		o = append(o, field{"causal_terminal_ms", p.CausalTerminalMs.Value})
	}
	if p.SettledAtMs.Known {
		o = append(o, field{"settled_at_ms", p.SettledAtMs.Value})
	}
	if p.FailureRequestID != "" {
		o = append(o, field{"failure_request_id", p.FailureRequestID}, field{"failure_status", p.FailureStatus.String()})
	}
	return o
}

// planner returns the document of the planner, nil without one.
func (r *Report) planner() (document any, err error) {
	if r.facts.Planner == nil {
		return nil, nil
	}
	decoder := json.NewDecoder(bytes.NewReader(r.facts.Planner))
	decoder.UseNumber()
	if err := decoder.Decode(&document); err != nil {
		return nil, fmt.Errorf("the document of the planner: %w", err)
	}
	return document, nil
}

func (r *Report) provenance() object {
	roles := object{}
	for role, p := range r.facts.Provenance {
		o := object{{"estimator", p.Estimator}, {"timing_source", p.TimingSource}}
		if p.DataVersion != "" {
			o = append(o, field{"data_version", p.DataVersion})
		} else {
			o = append(o, field{"data_version", nil}, field{"reason", p.Reason})
		}
		roles = append(roles, field{role, o})
	}
	return roles
}
