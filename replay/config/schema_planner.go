package config

var plannerSchema = setting{name: "planner", kind: mappingValue, implied: true, stack: StackDynamo, inert: plannerOff, doc: "Scaling of the worker pools; --stack dynamo only.", settings: []setting{
	{name: "policy", kind: choiceValue, words: []string{"disabled", "enabled"}, preset: "disabled", doc: "Whether the pools are scaled. The rest is not looked at unless enabled."},
	{name: "target", kind: choiceValue, words: []string{string(TargetThroughput), string(TargetLatency), string(TargetLoad), string(TargetSLA)}, preset: string(TargetThroughput), doc: "What it scales for."},
	{name: "max_num_gpus", kind: wholeValue, lenient: true, unit: "GPUs", preset: 8, doc: "The most GPUs of all pools; below 0 for no bound."},
	{name: "min_num_gpus", kind: wholeValue, lenient: true, unit: "GPUs", preset: -1, doc: "The least GPUs of all pools; below 0 for no bound."},
	{name: "min_workers", kind: wholeValue, lenient: true, low: from(0), unit: "workers", preset: 1, doc: "The least workers of each pool."},
	{name: "prefill_min_workers", kind: wholeValue, lenient: true, null: true, low: from(1), unit: "workers", doc: "In place of min_workers, for the prefill pool; disaggregated only."},
	{name: "decode_min_workers", kind: wholeValue, lenient: true, null: true, low: from(1), unit: "workers", doc: "In place of min_workers, for the decode pool; disaggregated only."},
	{name: "enable_throughput_scaling", kind: boolValue, lenient: true, preset: true, doc: "With target sla: scale by predicted throughput. It needs both bounds by token in evaluation.sla."},
	{name: "enable_load_scaling", kind: boolValue, lenient: true, preset: false, doc: "With target sla: scale by load."},
	{name: "throughput_adjustment_interval_seconds", kind: wholeValue, lenient: true, null: true, unit: "s", preset: 180, doc: "From one scaling by throughput to the next."},
	{name: "load_adjustment_interval_seconds", kind: wholeValue, lenient: true, null: true, low: from(1), unit: "s", preset: 5, doc: "From one scaling by load to the next."},
	{name: "max_throughput_scaling_replicas", kind: wholeValue, lenient: true, low: from(1), unit: "replicas per step", preset: 8, doc: "The most that one step by throughput adds or removes."},
	{name: "max_num_fpm_samples", kind: wholeValue, lenient: true, low: from(1), unit: "samples", preset: 64, doc: "Passes that the performance model remembers."},
	{name: "fpm_sample_bucket_size", kind: wholeValue, lenient: true, low: from(1), unit: "buckets", preset: 16, doc: "A perfect square."},
	{name: "load_scaling_down_sensitivity", kind: wholeValue, lenient: true, low: from(0), high: upTo(100), unit: "percent", preset: 80, doc: "How readily a pool shrinks."},
	{name: "load_min_observations", kind: wholeValue, lenient: true, preset: 5, doc: "Observations before the first scaling by load."},
	{name: "load_predictor", kind: choiceValue, words: []string{string(PredictorConstant), string(PredictorARIMA), string(PredictorKalman), string(PredictorProphet)}, preset: string(PredictorARIMA), doc: "How it looks ahead."},
	{name: "load_predictor_log1p", kind: boolValue, lenient: true, preset: false, doc: "Predict the logarithm."},
	{name: "prophet_window_size", kind: wholeValue, lenient: true, low: from(1), preset: 50, doc: "Observations that prophet looks at."},
	{name: "kalman_q_level", kind: realValue, lenient: true, preset: 1.0, doc: "Process noise of the level."},
	{name: "kalman_q_trend", kind: realValue, lenient: true, preset: 0.1, doc: "Process noise of the trend."},
	{name: "kalman_r", kind: realValue, lenient: true, preset: 10.0, doc: "Measurement noise."},
	{name: "kalman_min_points", kind: wholeValue, lenient: true, preset: 5, doc: "Observations before the first prediction."},
}}

// plannerOff tells whether a planner section leaves the planner disabled, and
// its values hence unread.
func plannerOff(section *node) bool {
	policy, given := section.field("policy")
	return !given || policy.value.kind == textNode && policy.value.text == "disabled"
}
