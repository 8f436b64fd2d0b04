package config_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/internal/semantics"
	"tracekit/replay/config"
)

// base is a valid configuration, of which tests change single settings by
// --set.
const base = `traffic:
  source: {type: synthetic, input_tokens: 100, output_tokens: 5}
  load: {type: concurrency, concurrency: 2}
  stop: {requests: 3}
engine:
  model: any
  hardware: h200_sxm
  workers:
    aggregated:
      kv_cache: {block_size: 16, capacity: {type: fixed, blocks: 1000}}
      timing: {type: fixed, prefill_ms: 20, decode_ms: 5}
`

// Sets for the shapes that tests begin with.
const (
	sessionSource = "traffic.source={type: synthetic-session, session: {}}"
	sessionStop   = "traffic.stop={sessions: 2}"
	mooncake      = "traffic={source: {type: trace, paths: [t.jsonl]}, load: {type: trace_timestamps}}"
	graph         = "traffic={source: {type: trace, paths: [t.jsonl], format: agentic_mooncake}, load: {type: trace_timestamps}}"
	disaggregated = "engine={mode: disaggregated, model: m, hardware: h, kv_transfer: {}, workers: {prefill: {timing: {type: polynomial}}, decode: {timing: {type: polynomial}}}}"
)

var (
	documented = config.Options{Stack: config.StackDynamo}
	program    = config.Options{Stack: config.StackDynamo, Semantics: semantics.AISimulate013}
)

func parse(text string, opts config.Options, sets ...string) (*config.Prediction, error) {
	opts.Sets = append(opts.Sets, sets...)
	return config.Parse("p.yaml", []byte(text), opts)
}

// accept parses base with sets.
func accept(t *testing.T, opts config.Options, sets ...string) *config.Prediction {
	t.Helper()
	p, err := parse(base, opts, sets...)
	require.NoError(t, err)
	return p
}

// refuse parses base with sets and returns the problems.
func refuse(t *testing.T, opts config.Options, sets ...string) config.Diagnostics {
	t.Helper()
	_, err := parse(base, opts, sets...)
	return problemsOf(t, err)
}

func TestDefaults(t *testing.T) {
	p, err := parse("engine: {model: m, hardware: h, workers: {aggregated: {}}}", config.Options{})
	require.NoError(t, err)
	require.Equal(t, config.Traffic{
		Source: config.Source{Type: config.SourceSynthetic, Synthetic: &config.Synthetic{InputTokens: 1024, OutputTokens: 128}},
		Load:   config.LoadShape{Type: config.LoadConcurrency, Concurrency: 10},
		Stop:   config.Stop{Requests: 100},
	}, p.Traffic)
	require.Equal(t, config.Engine{
		Mode: config.Aggregated, Model: "m", Hardware: "h", Backend: config.VLLM, EnableChunkedPrefill: true,
		Workers: config.Workers{Aggregated: &config.Worker{
			Role: config.RoleAggregated, Hardware: "h",
			Parallelism: config.Parallelism{Replicas: 1, Tensor: 1, Pipeline: 1, AttentionData: 1, MoETensor: 1, MoEExpert: 1},
			Scheduler:   config.Scheduler{MaxBatchedTokens: 8192, MaxSequences: 256, PrefillScheduleInterval: 1},
			KVCache:     config.KVCache{BlockSize: 64, PrefixCaching: true, Capacity: config.Capacity{Type: config.CapacityDefault, MemoryFraction: 0.9}},
			Timing:      config.Timing{Type: config.TimingDefault},
		}},
	}, p.Engine)
	require.Nil(t, p.SLA)
	require.Equal(t, config.Router{Policy: config.RouterRoundRobin, PrefillLoadModel: config.PrefillLoadNone}, p.Router)
	require.False(t, p.Planner.Enabled)
	require.Equal(t, config.StackEngine, p.Stack)
	require.Empty(t, p.Warnings)
}

func TestDefaultsOfBackendsAndRoles(t *testing.T) {
	p := accept(t, documented, disaggregated, "engine.backend=sglang")
	require.Equal(t, 1, p.Engine.Workers.Prefill.Scheduler.MaxSequences)
	require.Equal(t, 256, p.Engine.Workers.Decode.Scheduler.MaxSequences)
	require.Equal(t, 1, p.Engine.Workers.Decode.KVCache.BlockSize)
	require.InDelta(t, 0.88, p.Engine.Workers.Decode.KVCache.Capacity.MemoryFraction, 0)
	require.Equal(t, &config.KVTransfer{TimingMode: config.TransferDestinationMissing}, p.Engine.KVTransfer)
	require.Len(t, p.Engine.Workers.All(), 2)

	p = accept(t, program, disaggregated, "engine.backend=trtllm")
	require.Equal(t, 32, p.Engine.Workers.Prefill.KVCache.BlockSize)

	p = accept(t, documented, disaggregated, "engine.context_length=4096", "engine.workers.decode.hardware=b200_sxm", "engine.workers.prefill.context_length=2048")
	require.Equal(t, "b200_sxm", p.Engine.Workers.Decode.Hardware)
	require.Equal(t, "h", p.Engine.Workers.Prefill.Hardware)
	require.Equal(t, 2048, *p.Engine.Workers.Prefill.ContextLength)
	require.Equal(t, 4096, *p.Engine.Workers.Decode.ContextLength)
}

func TestLoads(t *testing.T) {
	p := accept(t, documented, "traffic.load={type: poisson, requests_per_second: 2}")
	require.Equal(t, config.LoadShape{Type: config.LoadPoisson, PerSecond: 2, Seed: 42}, p.Traffic.Load)
	p = accept(t, documented, "traffic.load={type: poisson, requests_per_second: 2, seed: 0}")
	require.Equal(t, uint64(0), p.Traffic.Load.Seed)
	p = accept(t, documented, "traffic.load={type: poisson, requests_per_second: 2, seed: 18446744073709551615}")
	require.Equal(t, uint64(1<<64-1), p.Traffic.Load.Seed)
	p = accept(t, documented, graph, "traffic.load.agentic_lanes=3")
	require.Equal(t, 3, *p.Traffic.Load.AgenticLanes)
	require.InDelta(t, 1, p.Traffic.Load.Speedup, 0)
	require.Equal(t, 512, *p.Traffic.Source.Trace.BlockSize)
	p = accept(t, documented, graph, "traffic.source.format=weka", "traffic.source.nested_timestamp_basis=relative")
	require.Nil(t, p.Traffic.Source.Trace.BlockSize)
	require.Equal(t, config.NestedBasisRelative, p.Traffic.Source.Trace.NestedBasis)
}

func TestDerivedCounts(t *testing.T) {
	for _, tt := range []struct {
		concurrency, perUnit string
		want                 int
	}{{"2", "1.25", 2}, {"6", "0.25", 2}, {"2", "2.25", 4}, {"4", "0.01", 1}, {"10", "3", 30}} {
		p := accept(t, documented, "traffic.load.concurrency="+tt.concurrency, "traffic.stop={requests_per_load_unit: "+tt.perUnit+"}")
		require.Equal(t, tt.want, p.Traffic.Stop.Requests, tt.perUnit)
	}
	p := accept(t, documented, sessionSource, "traffic.load={type: constant_rate, sessions_per_second: 0.5}", "traffic.stop={sessions_per_load_unit: 9}")
	require.Equal(t, 4, p.Traffic.Stop.Sessions)
	problems := refuse(t, documented, "traffic.stop={requests_per_load_unit: 1e300}")
	require.Equal(t, "traffic.stop.requests_per_load_unit", problems[0].Path)
}

// All problems are told at once, in the order of the checks.
func TestAllProblemsAtOnce(t *testing.T) {
	_, err := parse(`evaluaton: {}
traffic:
  source: {type: synthetic, input_tokens: "100"}
  load: {concurrency: 0}
engine: {backend: vlm, hardware: h, workers: {}}
router: {temperature: hot}
`, documented)
	problems := problemsOf(t, err)
	var paths []string
	for _, problem := range problems {
		paths = append(paths, problem.Path)
		require.False(t, problem.Execution)
		require.Positive(t, problem.Line)
	}
	require.Equal(t, []string{
		"evaluaton", "traffic.source.input_tokens", "traffic.load.concurrency", "engine.model", "engine.backend", "router.temperature",
		"traffic.stop", "engine.workers.aggregated",
	}, paths)
	require.Equal(t, `p.yaml:1:1: evaluaton: unknown section; expected traffic, engine, evaluation, router, planner (to mend it: write evaluation)
  1 | evaluaton: {}
    | ^
p.yaml:3:43: traffic.source.input_tokens: the text "100"; expected an integer >= 1, in tokens (to mend it: write it without quotes)
  3 |   source: {type: synthetic, input_tokens: "100"}
    |                                           ^`, strings.Join(strings.Split(err.Error(), "\n")[:6], "\n"))
}

func TestProblemAfterLoad(t *testing.T) {
	p := accept(t, documented, "engine.context_length=7")
	require.Equal(t, `p.yaml:6:10: engine.model: unknown; expected a model (to mend it: write x)`, p.Problem("engine.model", "unknown", "a model", "write x").Error())
	require.Equal(t, 10, p.Problem("engine.workers.aggregated.kv_cache.capacity.memory_fraction", "", "", "").Line)
	require.Equal(t, "--set engine.context_length=7", p.Problem("engine.context_length", "", "", "").File)
	require.Equal(t, 1, p.Problem("nowhere", "", "", "").Line)
	require.Equal(t, "  6 |   model: any\n    |          ^", p.Problem("engine.model", "", "", "").Snippet())
}

func TestMissingFile(t *testing.T) {
	_, err := config.Load(t.TempDir()+"/none.yaml", config.Options{})
	require.ErrorContains(t, err, "none.yaml: the configuration cannot be read: no such file")
	_, err = config.Load(t.TempDir(), config.Options{})
	require.ErrorContains(t, err, "is a directory")
	require.False(t, problemsOf(t, err).Execution())
}

func TestStacks(t *testing.T) {
	for _, section := range []string{"router", "planner"} {
		problems := refuse(t, config.Options{}, section+"={}")
		require.Contains(t, problems.Error(), "unknown to the engine stack")
		require.Contains(t, problems.Error(), "needs --stack dynamo")
		require.NotContains(t, problems.Error(), "expected traffic, engine, evaluation, router")
		accept(t, documented, section+"={}")
	}
	require.Equal(t, []config.Stack{config.StackEngine, config.StackDynamo}, config.Stacks())
}

func TestUnsupported(t *testing.T) {
	require.NoError(t, config.Unsupported(accept(t, documented)))
	for path, sets := range map[string][]string{
		"traffic.source.format":                 {mooncake, "traffic.source.format=dynamo"},
		"engine.backend":                        {"engine.backend=sglang"},
		"engine.mode":                           {disaggregated},
		"engine.workers.aggregated.timing.type": {"engine.workers.aggregated.timing={}"},
		"router.policy":                         {"router={policy: kv_router}", "engine.workers.aggregated.parallelism.replicas=2"},
		"planner.policy":                        {"planner={policy: enabled}"},
	} {
		problems := problemsOf(t, config.Unsupported(accept(t, documented, sets...)))
		require.Len(t, problems, 1)
		require.Equal(t, path, problems[0].Path)
		require.Contains(t, problems.Error(), "not supported yet")
	}
}

func TestWarnings(t *testing.T) {
	p := accept(t, documented, "execution={resources: {}}", "planner={policy: enabled, max_num_gpus: 2}", "engine.workers.aggregated.parallelism={replicas: 2, tensor: 2}")
	require.Len(t, p.Warnings, 2)
	require.Contains(t, p.Warnings.Error(), "execution: the section has no effect")
	require.Contains(t, p.Warnings.Error(), "planner.max_num_gpus: the planner may use 2 GPUs, but the deployment begins with 4")
}
