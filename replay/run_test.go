package replay_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/internal/semantics"
	"tracekit/replay"
	"tracekit/replay/cluster"
	"tracekit/replay/config"
)

// prediction is what a replay has written.
type prediction struct {
	document []byte // prediction.json
	lines    []byte // requests.jsonl
	summary  map[string]any
	rows     []map[string]any
}

// predict runs a prediction.
func predict(t testing.TB, p *config.Prediction, opts replay.Options) prediction {
	t.Helper()
	out, err := try(t, p, opts)
	require.NoError(t, err)
	return out
}

// try is [predict] for a replay that may fail.
func try(t testing.TB, p *config.Prediction, opts replay.Options) (out prediction, err error) {
	t.Helper()
	out.document, out.lines, err = write(t, p, opts)
	if err != nil {
		return out, err
	}
	var whole map[string]any
	require.NoError(t, json.Unmarshal(out.document, &whole))
	out.summary = whole
	if p.Stack == config.StackDynamo {
		out.summary = whole["summary"].(map[string]any)
	}
	for line := range bytes.Lines(out.lines) {
		var row map[string]any
		require.NoError(t, json.Unmarshal(line, &row))
		out.rows = append(out.rows, row)
	}
	return out, nil
}

// write runs a prediction and returns prediction.json and requests.jsonl.
func write(t testing.TB, p *config.Prediction, opts replay.Options) (document, lines []byte, err error) {
	t.Helper()
	result, err := replay.Run(t.Context(), p, opts)
	if err != nil {
		return nil, nil, err
	}
	var d, l bytes.Buffer
	require.NoError(t, result.WritePrediction(&d))
	require.NoError(t, result.WriteRows(&l))
	return d.Bytes(), l.Bytes(), nil
}

// column returns one field of all rows.
func (p prediction) column(key string) (values []any) {
	for _, row := range p.rows {
		values = append(values, row[key])
	}
	return values
}

// setup is a configuration in the making.
type setup struct {
	traffic string // the section, indented by two
	worker  string // more settings of the worker, as flow mappings by line
	engine  string // more settings of the engine, the same
	blocks  int    // of the KV cache; 4096 if 0
	block   int    // tokens of a block; 64 if 0
	timing  string // a flow mapping; fixed 20 and 5 ms if empty
	caching string // true if empty
	stack   config.Stack
	mode    semantics.Mode
}

// build makes the configuration.
func (s setup) build(t testing.TB) *config.Prediction {
	t.Helper()
	p, err := config.Parse("prediction.yaml", []byte(s.yaml()), config.Options{Semantics: s.mode, Stack: s.stack})
	require.NoError(t, err)
	return p
}

func (s setup) yaml() string {
	pick := func(given, otherwise string) string {
		if given == "" {
			return otherwise
		}
		return given
	}
	if s.blocks == 0 {
		s.blocks = 4096
	}
	if s.block == 0 {
		s.block = 64
	}
	var b strings.Builder
	fmt.Fprintf(&b, "traffic:\n%s\n", strings.TrimRight(s.traffic, "\n"))
	fmt.Fprintf(&b, "engine:\n  mode: aggregated\n  model: meta-llama/Meta-Llama-3.1-8B\n  hardware: h200_sxm\n  backend: vllm\n")
	if !strings.Contains(s.engine, "context_length") {
		b.WriteString("  context_length: 32768\n")
	}
	for line := range strings.Lines(s.engine) {
		fmt.Fprintf(&b, "  %s\n", strings.TrimSpace(line))
	}
	fmt.Fprintf(&b, "  workers:\n    aggregated:\n")
	for line := range strings.Lines(s.worker) {
		fmt.Fprintf(&b, "      %s\n", strings.TrimSpace(line))
	}
	fmt.Fprintf(&b, "      kv_cache: {block_size: %d, prefix_caching: %s, capacity: {type: fixed, blocks: %d}}\n", s.block, pick(s.caching, "true"), s.blocks)
	fmt.Fprintf(&b, "      timing: %s\n", pick(s.timing, "{type: fixed, prefill_ms: 20, decode_ms: 5}"))
	return b.String()
}

// traceTraffic is the traffic of a trace. Load is a flow mapping.
func traceTraffic(format, path string, blockSize int, load string) string {
	size := ""
	if blockSize > 0 {
		size = fmt.Sprintf(", block_size: %d", blockSize)
	}
	return fmt.Sprintf("  source: {type: trace, format: %s, paths: [%q]%s}\n  load: %s\n", format, path, size, load)
}

// writeTrace writes rows to a file.
func writeTrace(t testing.TB, rows ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "trace.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(strings.Join(rows, "\n")+"\n"), 0o600))
	return path
}

// On the engine stack the prompt of a generated session is the whole
// conversation, and is new each time on the dynamo stack.
func TestPromptsOfGeneratedSessions(t *testing.T) {
	s := setup{block: 16, traffic: `
  source: {type: synthetic-session, new_input_tokens_per_turn: 128, output_tokens_per_turn: 5, session: {turns: 3, inter_turn_delay_ms: 10}}
  load: {concurrency: 1}
  stop: {sessions: 2}
`}
	s.stack = config.StackEngine
	engine := predict(t, s.build(t), replay.Options{Capture: true})
	require.Equal(t, []any{128.0, 261.0, 394.0, 128.0, 261.0, 394.0}, engine.column("input_length"))
	// What a turn has generated but for its last token is in the cache: of
	// 133 tokens 132 were computed, 8 blocks of 16.
	require.Equal(t, []any{0.0, 128.0, 256.0, 0.0, 128.0, 256.0}, engine.column("reused_input_tokens"))
	require.Equal(t, []any{0.0, 128.0, 256.0, 0.0, 128.0, 256.0}, engine.column("first_admission_reused_input_tokens"))

	s.stack = config.StackDynamo
	dynamo := predict(t, s.build(t), replay.Options{Capture: true})
	require.Equal(t, []any{128.0, 128.0, 128.0, 128.0, 128.0, 128.0}, dynamo.column("input_length"))
	require.Equal(t, []any{0.0, 0.0, 0.0, 0.0, 0.0, 0.0}, dynamo.column("reused_input_tokens"))
	require.NotContains(t, dynamo.rows[0], "first_admission_reused_input_tokens")
	for _, p := range []prediction{engine, dynamo} {
		require.Equal(t, []any{0.0, 50.0, 100.0, 140.0, 190.0, 240.0}, p.column("arrival_time_ms"))
		require.Equal(t, []any{"session_0", "session_0", "session_0", "session_1", "session_1", "session_1"}, p.column("session_id"))
		require.Equal(t, []any{0.0, 1.0, 2.0, 0.0, 1.0, 2.0}, p.column("turn_index"))
	}
}

// The stacks call independent requests by different names.
func TestLabelsOfIndependentRequests(t *testing.T) {
	path := writeTrace(t,
		`{"timestamp":5,"input_length":64,"output_length":2,"hash_ids":[1]}`,
		`{"timestamp":1,"input_length":64,"output_length":2,"hash_ids":[2],"session_id":"mine"}`)
	synthetic := "  source: {type: synthetic, input_tokens: 64, output_tokens: 2}\n  load: {concurrency: 2}\n  stop: {requests: 2}\n"
	timed := traceTraffic("mooncake", path, 64, "{type: trace_timestamps}")
	concurrent := traceTraffic("mooncake", path, 64, "{type: concurrency, concurrency: 2}")
	for _, c := range []struct {
		name, traffic string
		stack         config.Stack
		sessions      []any
		turns         []any
	}{
		{"synthetic", synthetic, config.StackEngine, []any{"session_0", "session_1"}, []any{0.0, 0.0}},
		{"synthetic", synthetic, config.StackDynamo, []any{nil, nil}, []any{nil, nil}},
		{"timed", timed, config.StackEngine, []any{"mine", "request_1"}, []any{0.0, 0.0}},
		{"timed", timed, config.StackDynamo, []any{nil, nil}, []any{nil, nil}},
		{"concurrent", concurrent, config.StackEngine, []any{"request_1", "mine"}, []any{0.0, 0.0}},
		{"concurrent", concurrent, config.StackDynamo, []any{"request_1", "mine"}, []any{0.0, 0.0}},
	} {
		t.Run(c.name+" "+string(c.stack), func(t *testing.T) {
			p := predict(t, setup{traffic: c.traffic, stack: c.stack}.build(t), replay.Options{Capture: true})
			require.Equal(t, c.sessions, p.column("session_id"))
			require.Equal(t, c.turns, p.column("turn_index"))
		})
	}
}

// Under concurrency the dynamo stack refuses starts before time 0; the engine
// stack normalises them first.
func TestNegativeStarts(t *testing.T) {
	path := writeTrace(t, `{"timestamp":-5,"input_length":64,"output_length":2,"hash_ids":[1]}`)
	for _, load := range []string{"{type: concurrency, concurrency: 1}", "{type: trace_timestamps}"} {
		s := setup{traffic: traceTraffic("mooncake", path, 64, load), stack: config.StackEngine}
		p := predict(t, s.build(t), replay.Options{Capture: true})
		require.Equal(t, []any{0.0}, p.column("arrival_time_ms"))
		s.stack = config.StackDynamo
		_, err := try(t, s.build(t), replay.Options{})
		if strings.Contains(load, "timestamps") {
			require.NoError(t, err)
		} else {
			require.ErrorContains(t, err, "-5")
		}
	}
}

// Requests that share a start arrive in the order of the file in a list, and
// in the order of the sessions otherwise.
func TestTies(t *testing.T) {
	path := writeTrace(t,
		`{"timestamp":7,"input_length":65,"output_length":1,"hash_ids":[1,2]}`,
		`{"timestamp":0,"input_length":66,"output_length":1,"hash_ids":[3,4]}`,
		`{"timestamp":7,"input_length":67,"output_length":1,"hash_ids":[5,6]}`,
		`{"timestamp":0,"input_length":68,"output_length":1,"hash_ids":[7,8]}`)
	for _, stack := range config.Stacks() {
		s := setup{traffic: traceTraffic("mooncake", path, 64, "{type: trace_timestamps}"), stack: stack, worker: "parallelism: {replicas: 8}"}
		p := predict(t, s.build(t), replay.Options{Capture: true})
		placed := map[any]any{}
		for _, row := range p.rows {
			placed[row["input_length"]] = row["decode_worker_idx"]
		}
		require.Equal(t, map[any]any{66.0: 0.0, 68.0: 1.0, 65.0: 2.0, 67.0: 3.0}, placed)
	}
}

// A graph of several models, or of another block size than the configuration
// says, is refused before anything runs.
func TestRefusedGraphs(t *testing.T) {
	for _, c := range []struct {
		name, traffic string
		mode          semantics.Mode
		err           string
	}{
		{"two models", traceTraffic("weka", filepath.Join(golden, "weka-mixed-models", "corpus"), 0, "{type: trace_timestamps}"), semantics.Documented, `found the model "z" where the corpus began with "m"`},
		{"two models", traceTraffic("weka", filepath.Join(golden, "weka-mixed-models", "corpus"), 0, "{type: trace_timestamps}"), semantics.AISimulate013, ""},
		{"other block size", traceTraffic("weka", filepath.Join(golden, "rej-weka-block-mismatch", "corpus"), 32, "{type: trace_timestamps}"), semantics.AISimulate013, "block_size says 32"},
		{"two block sizes", traceTraffic("weka", filepath.Join(golden, "rej-weka-mixed-block-sizes", "corpus"), 0, "{type: trace_timestamps}"), semantics.AISimulate013, "block_size"},
		{"same block size", traceTraffic("weka", filepath.Join(golden, "weka-aggregated", "corpus"), 64, "{type: trace_timestamps}"), semantics.AISimulate013, ""},
		{"header decides", traceTraffic("agentic_mooncake", filepath.Join(golden, "v2-aggregated", "trace.jsonl"), 32, "{type: trace_timestamps}"), semantics.AISimulate013, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := try(t, setup{traffic: c.traffic, mode: c.mode, stack: config.StackDynamo}.build(t), replay.Options{})
			if c.err == "" {
				require.NoError(t, err)
				return
			}
			require.ErrorContains(t, err, c.err)
		})
	}
}

// Lanes are for graphs, a number at a time is not, and only a Weka corpus has
// nested timestamps.
func TestRefusedGraphSettings(t *testing.T) {
	v2 := filepath.Join(golden, "v2-aggregated", "trace.jsonl")
	for _, c := range []struct{ name, traffic, path string }{
		{"lanes of a session trace", traceTraffic("mooncake", v2, 64, "{type: trace_timestamps, agentic_lanes: 2}"), "traffic.load.agentic_lanes"},
		{"no lanes", traceTraffic("agentic_mooncake", v2, 0, "{type: trace_timestamps, agentic_lanes: 0}"), "traffic.load.agentic_lanes"},
		{"lanes and concurrency", traceTraffic("agentic_mooncake", v2, 0, "{type: concurrency, agentic_lanes: 2}"), "traffic.load"},
		{"concurrency of a graph", traceTraffic("agentic_mooncake", v2, 0, "{type: concurrency, concurrency: 2}"), "traffic.load.type"},
		{"basis without a corpus", fmt.Sprintf("  source: {type: trace, format: agentic_mooncake, paths: [%q], nested_timestamp_basis: auto}\n  load: {type: trace_timestamps}\n", v2), "traffic.source.nested_timestamp_basis"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, mode := range []semantics.Mode{semantics.Documented, semantics.AISimulate013} {
				_, err := config.Parse("prediction.yaml", []byte(setup{traffic: c.traffic}.yaml()), config.Options{Semantics: mode, Stack: config.StackDynamo})
				require.ErrorContains(t, err, c.path)
			}
		})
	}
}

// A prompt that is larger than a pass never begins without chunked prefill;
// the error names it, what it needs and why.
func TestStuckWithoutChunks(t *testing.T) {
	s := setup{block: 16, blocks: 100, stack: config.StackEngine,
		engine: "enable_chunked_prefill: false", worker: "scheduler: {max_batched_tokens: 100}",
		traffic: "  source: {type: synthetic, input_tokens: 101, output_tokens: 3}\n  load: {concurrency: 1}\n  stop: {requests: 2}\n"}
	for _, plain := range []bool{false, true} {
		_, err := try(t, s.build(t), replay.Options{Plain: plain})
		var stuck *cluster.StuckError
		require.ErrorAs(t, err, &stuck)
		require.Len(t, stuck.Blocked, 1)
		require.ErrorContains(t, err, "request 1, 101 tokens known, needs 7 blocks of 16; the pool has 100")
		require.ErrorContains(t, err, "its prompt of 101 tokens is more than the 100 of a pass, and chunked prefill is off")
	}
	s.worker = "scheduler: {max_batched_tokens: 101}"
	require.Len(t, predict(t, s.build(t), replay.Options{Capture: true}).rows, 2)
}

// A request that outgrows the KV cache is named when it is admitted, one that
// is turned away at the door or ends in time is not.
func TestOutgrownCache(t *testing.T) {
	row := func(timestamp, input, output int) string {
		return fmt.Sprintf(`{"session_id":"s%d","timestamp":%d,"input_length":%d,"output_length":%d,"hash_ids":[%d]}`, timestamp, timestamp, input, output, timestamp)
	}
	fits, grows, rejected := row(1, 64, 65), row(3, 64, 66), row(2, 129, 100)
	for _, c := range []struct {
		name    string
		stack   config.Stack
		engine  string
		rows    []string
		notes   string
		isStuck bool
	}{
		{"fits", config.StackEngine, "", []string{fits, rejected}, "", false},
		{"session", config.StackEngine, "", []string{fits, rejected, grows},
			"request 3, of session s3, can never end: 64 tokens of input and 66 of output do not fit into the 8 blocks of 16 tokens of a KV cache\n", true},
		{"independent", config.StackDynamo, "", []string{grows, fits},
			"request 1 can never end: 64 tokens of input and 66 of output do not fit into the 8 blocks of 16 tokens of a KV cache\n", true},
		{"the context ends it", config.StackEngine, "context_length: 129", []string{fits, grows}, "", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			var notes bytes.Buffer
			s := setup{block: 16, blocks: 8, stack: c.stack, engine: c.engine,
				traffic: traceTraffic("mooncake", writeTrace(t, c.rows...), 512, "{type: trace_timestamps}")}
			_, err := try(t, s.build(t), replay.Options{Notes: &notes})
			require.Equal(t, c.notes, notes.String())
			if c.isStuck {
				var stuck *cluster.StuckError
				require.ErrorAs(t, err, &stuck)
			} else {
				require.NoError(t, err)
			}
		})
	}

	var notes bytes.Buffer
	s := setup{block: 16, blocks: 8, traffic: "  source: {type: synthetic, input_tokens: 64, output_tokens: 66}\n  load: {concurrency: 1000}\n  stop: {requests: 1000}\n"}
	_, err := try(t, s.build(t), replay.Options{Notes: &notes})
	require.Error(t, err)
	require.Equal(t, 21, strings.Count(notes.String(), "\n"), "not all are named")
}

// How a worker is split, and how long it takes to start, changes no time.
func TestWhatTimesDoNotDependOn(t *testing.T) {
	s := setup{traffic: "  source: {type: synthetic, input_tokens: 100, output_tokens: 10}\n  load: {concurrency: 3}\n  stop: {requests: 9}\n"}
	lone := predict(t, s.build(t), replay.Options{Capture: true})
	s.worker = "parallelism: {tensor: 4, pipeline: 2, moe_tensor: 4}\nstartup_seconds: 90"
	split := predict(t, s.build(t), replay.Options{Capture: true})
	require.Equal(t, string(lone.lines), string(split.lines))
	require.Equal(t, 1.0, lone.summary["decode_gpus_per_worker"])
	require.Equal(t, 4.0, split.summary["decode_gpus_per_worker"])
}
