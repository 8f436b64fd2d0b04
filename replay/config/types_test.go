package config_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Every kind of value: what it takes and what it refuses.
func TestValueTypes(t *testing.T) {
	const worker = "engine.workers.aggregated."
	for _, tt := range []struct {
		path   string
		good   []string
		bad    []string
		expect string
	}{
		{"traffic.source.input_tokens", []string{"1", "0x64", "9223372036854775807"},
			[]string{"0", "-1", "1.0", `"1"`, "yes", "null", "[1]", "{a: 1}", "2024-01-01", ".nan", "9223372036854775808", "{choices: [1]}"}, "an integer >= 1, in tokens"},
		{"engine.context_length", []string{"max", "1"}, []string{`"1"`, "maximum", "null", "0"}, "an integer >= 1 or max, in tokens"},
		{worker + "scheduler.prefill_schedule_interval", []string{"1", "4"}, []string{"0", "null"}, "an integer >= 1, in passes"},
		{"traffic.stop", []string{"{requests_per_load_unit: 2}", "{requests_per_load_unit: 0.5}"},
			[]string{"{requests_per_load_unit: 0}", "{requests_per_load_unit: '1'}", "{requests_per_load_unit: yes}", "{requests_per_load_unit: .nan}", "{requests_per_load_unit: .inf}"}, "a number > 0, in requests per load unit, or null"},
		{worker + "kv_cache.capacity", []string{"{memory_fraction: 1}", "{memory_fraction: 0.5}", "{memory_fraction: null}"},
			[]string{"{memory_fraction: 0}", "{memory_fraction: 1.1}", "{memory_fraction: '0.5'}"}, "a number > 0 and <= 1"},
		{worker + "startup_seconds", []string{"0", "2.5", "yes", `"20"`, `"2e1"`, `" .5 "`}, []string{"-1", "null", "x", ".nan", `"nan"`, ".inf", `"Infinity"`, `"0x1p3"`, "1e999"}, "a number >= 0, in s"},
		{worker + "kv_cache.prefix_caching", []string{"on", "0", "1.0", `"F"`, `"y"`, `"No"`}, []string{"2", "null", "maybe", `""`}, "true or false"},
		{"engine.enable_chunked_prefill", []string{"on", "false"}, []string{"1", `"true"`, "null"}, "true or false"},
		{"engine.model", []string{"x", `"0.12"`}, []string{"0.12", "on", "2024-01-01", "null", `""`, "[a]"}, "a nonempty string"},
		{"engine.backend_version", []string{"null", `"0.12"`}, []string{"0.12"}, "a nonempty string, or null"},
		{"engine.hardware", []string{"a30"}, []string{"auto"}, "the name of the hardware"},
		{"engine.backend", []string{"vllm"}, []string{"VLLM", "vlm", "null", "1"}, "vllm, sglang or trtllm"},
		{"traffic", []string{"{source: {type: trace, paths: [a]}, load: {}}"},
			[]string{"{source: {type: trace, paths: a}, load: {}}", "{source: {type: trace, paths: []}, load: {}}", "{source: {type: trace, paths: ['']}, load: {}}", "{source: {type: trace, paths: [3]}, load: {}}"}, "a list of nonempty strings"},
		{worker + "parallelism", []string{"{}"}, []string{"null", "3", "[]"}, "a mapping"},
		{"planner", []string{"{policy: enabled, max_num_gpus: '4', min_workers: 4.0, min_num_gpus: -3}", "{policy: disabled, max_num_gpus: x}", "{max_num_gpus: x}"},
			[]string{"{policy: enabled, max_num_gpus: 4.5}", "{policy: enabled, max_num_gpus: null}", "{policy: enabled, max_num_gpus: true}", "{policy: enabled, max_num_gpus: '4.0'}"}, "an integer, in GPUs"},
		{"planner", nil, []string{"{foo: 1}", "{policy: disabled, foo: 1}"}, "max_num_gpus"},
		{"planner", []string{"{policy: enabled, load_scaling_down_sensitivity: 100}"}, []string{"{policy: enabled, load_scaling_down_sensitivity: 101}"}, "an integer >= 0 and <= 100, in percent"},
		{"evaluation", []string{"{}", "{sla: null}", "{sla: {}}"}, []string{"null", "{sla: 3}"}, "a mapping"},
	} {
		for _, text := range tt.good {
			accept(t, documented, tt.path+"="+text)
		}
		for _, text := range tt.bad {
			problems := refuse(t, documented, tt.path+"="+text)
			require.Contains(t, problems[0].Path, tt.path, text)
			require.Contains(t, problems[0].Allowed, tt.expect, text)
			require.False(t, problems.Execution(), text)
		}
	}
}

// What is wrong with a value and easily mended is told.
func TestRemedies(t *testing.T) {
	for set, want := range map[string]string{
		"engine.model=0.12":                                       "quote it to make it a string",
		"engine.context_length=mx":                                "write max",
		"engine.context_length='12'":                              "write it without quotes",
		"traffic.source.input_tokens=100.0":                       "write 100",
		"engine.backend=SGLang":                                   "write sglang",
		"traffic.load.concurrency={range: {min: 1}}":              "search domains (choices, range, preset) belong to recommendation",
		"engine.workers.aggregated.scheduler.preset=a":            "search domains (choices, range, preset) belong to recommendation",
		"traffic.source.images={}":                                "known to the reference program, but not supported by tracekit",
		"engine.nextn=2":                                          "known to the reference program, but not supported by tracekit",
		"traffic.source.type=synthetic-session":                   "it belongs to type synthetic",
		"traffic.source={type: trace, paths: a}":                  "put it in brackets: [a]",
		"engine.workers.aggregated.parallelism.tensr=1":           "write tensor",
		"engine.workers.aggregated.kv_cache.capacity={blocks: 5}": "set type: fixed",
	} {
		require.Contains(t, refuse(t, documented, set).Error(), want, set)
	}
}

// Numbers that fit nowhere fail early here, and late in the program.
func TestWideNumbers(t *testing.T) {
	for _, set := range []string{
		"traffic.source.input_tokens=18446744073709551616", "traffic.load={type: poisson, requests_per_second: 1, seed: 18446744073709551616}",
		"engine.workers.aggregated.startup_seconds=.inf", "engine.workers.aggregated.timing.prefill_ms='inf'",
	} {
		require.False(t, refuse(t, documented, set).Execution(), set)
		require.True(t, refuse(t, program, set).Execution(), set)
	}
	mixed := refuse(t, program, "traffic.source.input_tokens=18446744073709551616", "engine.foo=1")
	require.Len(t, mixed, 2)
	require.False(t, mixed.Execution())
}
