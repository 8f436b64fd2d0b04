package replay_test

import (
	"bytes"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/convert"
	"tracekit/corpus"
	"tracekit/formats"
	"tracekit/formats/agentic"
	"tracekit/formats/mooncake"
	"tracekit/formats/weka"
	"tracekit/internal/semantics"
	"tracekit/replay"
	"tracekit/replay/config"
)

// demo unpacks the embedded corpus and converts it.
func demo(t *testing.T, mode semantics.Mode) (folder, converted string) {
	folder = filepath.Join(t.TempDir(), "traces")
	converted = filepath.Join(t.TempDir(), "graph.jsonl")
	require.NoError(t, os.CopyFS(folder, corpus.Demo()))
	_, err := convert.Weka(t.Context(), convert.WekaOptions{Input: folder, Output: converted, Weka: weka.Options{Semantics: mode, Jobs: 2}})
	require.NoError(t, err)
	return folder, converted
}

// A Weka corpus and its conversion are the same workload: rows and figures
// agree to the byte, but for the basis of nested timestamps, which only the
// corpus has.
func TestCorpusAndConversion(t *testing.T) {
	for _, mode := range []semantics.Mode{semantics.Documented, semantics.AISimulate013} {
		folder, converted := demo(t, mode)
		for _, load := range []string{"{type: trace_timestamps}", "{type: trace_timestamps, speedup: 3.5, agentic_lanes: 2}"} {
			for _, stack := range config.Stacks() {
				t.Run(fmt.Sprint(mode, " ", load, " ", stack), func(t *testing.T) {
					s := setup{mode: mode, stack: stack, timing: "{type: polynomial}", worker: "parallelism: {replicas: 2}", engine: "context_length: 1000000", blocks: 30000}
					s.traffic = traceTraffic("weka", folder, 0, load)
					corpus := predict(t, s.build(t), replay.Options{Capture: true})
					s.traffic = traceTraffic("agentic_mooncake", converted, 0, load)
					conversion := predict(t, s.build(t), replay.Options{Capture: true})
					require.Greater(t, len(corpus.rows), 20)
					require.Equal(t, string(corpus.lines), string(conversion.lines))
					require.Equal(t, "absolute", corpus.summary["weka_nested_timestamp_basis"])
					require.NotContains(t, conversion.summary, "weka_nested_timestamp_basis")
					delete(corpus.summary, "weka_nested_timestamp_basis")
					require.Equal(t, corpus.summary, conversion.summary)
				})
			}
		}
	}
}

// The number of processors changes nothing.
func TestProcessors(t *testing.T) {
	folder, _ := demo(t, semantics.Documented)
	s := setup{timing: "{type: polynomial}", engine: "context_length: 1000000", blocks: 30000,
		traffic: traceTraffic("weka", folder, 0, "{type: trace_timestamps, agentic_lanes: 2}")}
	var first prediction
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for i, n := range []int{1, 2, 7, 1} {
		runtime.GOMAXPROCS(n)
		p := predict(t, s.build(t), replay.Options{Capture: true})
		if i == 0 {
			first = p
		}
		require.Equal(t, string(first.document), string(p.document))
		require.Equal(t, string(first.lines), string(p.lines))
	}
}

// sessionRows draws a mooncake trace, of which no request is longer than room
// tokens, its output included. Times are whole, or have three decimals.
func sessionRows(random *rand.Rand, blockSize, room int, decimals bool) (rows []string) {
	ms := func(most int) string {
		if decimals {
			return fmt.Sprintf("%d.%03d", random.IntN(most), random.IntN(1000))
		}
		return fmt.Sprint(random.IntN(most))
	}
	type session struct {
		name  string
		ids   []int
		turns int
	}
	open := make([]session, 1+random.IntN(8))
	for i := range open {
		open[i] = session{name: fmt.Sprintf("c%d", i), turns: 1 + random.IntN(4)}
		if random.IntN(3) == 0 {
			open[i].name, open[i].turns = "", 1
		}
	}
	fresh := 100
	begun := map[string]bool{}
	for len(open) > 0 {
		i := random.IntN(len(open))
		s := &open[i]
		input := 1 + random.IntN(max(room*2/3, 1))
		output := 1 + random.IntN(max(min(room-input, 40), 1))
		if random.IntN(10) == 0 {
			output = 0
		}
		need := (input + blockSize - 1) / blockSize
		for len(s.ids) < need {
			if len(s.ids) < 3 {
				s.ids = append(s.ids, 1+random.IntN(3))
				continue
			}
			fresh++
			s.ids = append(s.ids, fresh)
		}
		var row strings.Builder
		row.WriteByte('{')
		if s.name != "" {
			fmt.Fprintf(&row, `"session_id":%q,`, s.name)
		}
		switch {
		case !begun[s.name] || s.name == "":
			fmt.Fprintf(&row, `"timestamp":%s,`, ms(300))
			begun[s.name] = true
		case random.IntN(3) > 0:
			fmt.Fprintf(&row, `"delay":%s,`, ms(60))
		}
		fmt.Fprintf(&row, `"input_length":%d,"output_length":%d,"hash_ids":[%s]`, input, output, strings.Trim(strings.Join(strings.Fields(fmt.Sprint(s.ids[:need])), ","), "[]"))
		if random.IntN(6) == 0 { // authored ones, which may look like a block
			ids := make([]int, output)
			for k := range ids {
				ids[k] = random.IntN(2)
			}
			fmt.Fprintf(&row, `,"output_token_ids":[%s]`, strings.Trim(strings.Join(strings.Fields(fmt.Sprint(ids)), ","), "[]"))
		}
		row.WriteByte('}')
		rows = append(rows, row.String())
		if s.turns--; s.turns == 0 {
			open = append(open[:i], open[i+1:]...)
		}
	}
	return rows
}

// lowered writes the graph of a mooncake trace to a file.
func lowered(t *testing.T, path string, blockSize int, mode semantics.Mode) string {
	source, err := formats.Open(t.Context(), path, nil, formats.DefaultMaxBytes)
	require.NoError(t, err)
	trace, err := mooncake.Open(t.Context(), source, mooncake.Options{Semantics: mode, BlockSize: uint64(blockSize)})
	require.NoError(t, err)
	summary, err := trace.Summary(t.Context())
	require.NoError(t, err)
	text := agentic.AppendHeader(nil, agentic.Header{BlockSize: summary.BlockSize, Source: summary.Source})
	for n, err := range trace.Nodes(t.Context()) {
		require.NoError(t, err)
		text = agentic.AppendRow(text, n)
	}
	out := filepath.Join(t.TempDir(), "graph.jsonl")
	require.NoError(t, os.WriteFile(out, text, 0o600))
	return out
}

// sameTimes are the fields that a session and its graph have in common.
var sameTimes = []string{
	"arrival_time_ms", "first_admit_ms", "first_token_ms", "last_token_ms", "terminal_time_ms", "ttft_ms", "ttst_ms", "itl_ms", "e2e_latency_ms",
	"input_length", "output_length", "reused_input_tokens", "admission_history", "decode_worker_idx", "terminal_status",
}

// A session trace and its graph are the same workload (lowering.md): with
// timestamps, and with as many lanes as sessions at a time.
func TestSessionsAndTheirGraph(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	requests, reused := 0, 0
	for i := range 200 {
		blockSize := 4 + random.IntN(30)
		s := setup{block: 2 + random.IntN(20), blocks: 20 + random.IntN(60), stack: config.StackDynamo, mode: semantics.AISimulate013,
			worker: fmt.Sprintf("parallelism: {replicas: %d}\nscheduler: {max_batched_tokens: %d, max_sequences: %d}", 1+random.IntN(3), 20+random.IntN(300), 1+random.IntN(8))}
		decimals := random.IntN(3) == 0
		if decimals { // their sums may move in the last digit; no pass ends at such a time
			s.timing = "{type: polynomial}"
		}
		path := writeTrace(t, sessionRows(random, blockSize, s.block*s.blocks, decimals)...)
		from, to := "{type: trace_timestamps}", "{type: trace_timestamps}"
		switch n := 1 + random.IntN(4); random.IntN(3) {
		case 0:
			from, to = fmt.Sprintf("{type: concurrency, concurrency: %d}", n), fmt.Sprintf("{type: trace_timestamps, agentic_lanes: %d}", n)
		case 1:
			s.mode = semantics.Documented
		}
		s.traffic = traceTraffic("mooncake", path, blockSize, from)
		sessions := predict(t, s.build(t), replay.Options{Capture: true})
		s.traffic = traceTraffic("agentic_mooncake", lowered(t, path, blockSize, s.mode), 0, to)
		graph := predict(t, s.build(t), replay.Options{Capture: true})

		rows := map[any]map[string]any{}
		for _, row := range sessions.rows {
			rows[row["uuid"]] = row
		}
		require.Len(t, rows, len(graph.rows))
		for _, got := range graph.rows {
			want := rows[got["uuid"]]
			require.NotNil(t, want)
			for _, key := range sameTimes {
				if decimals {
					requireClose(t, want[key], got[key], fmt.Sprintf("trace %d: %s", i, key))
				} else {
					require.Equal(t, want[key], got[key], "trace %d: %s", i, key)
				}
			}
			if got["reused_input_tokens"] != 0.0 {
				reused++
			}
		}
		requests += len(graph.rows)
	}
	require.Greater(t, requests, 1500)
	require.Greater(t, reused, 300)
}

// drawSetup draws a small configuration with whatever matters to the
// scheduler, and a workload that strains it.
func drawSetup(t *testing.T, random *rand.Rand) setup {
	s := setup{block: 2 + random.IntN(20), blocks: 8 + random.IntN(60), stack: config.StackEngine, mode: semantics.Documented}
	if random.IntN(2) == 0 {
		s.stack = config.StackDynamo
	}
	if random.IntN(2) == 0 {
		s.mode = semantics.AISimulate013
	}
	if random.IntN(4) == 0 {
		s.caching = "false"
	}
	s.timing = []string{
		"{type: fixed, prefill_ms: 20, decode_ms: 5}", "{type: fixed, prefill_ms: 0, decode_ms: 1.3333333}",
		"{type: fixed, prefill_ms: 7.1, decode_ms: 0}", "{type: polynomial}", "{type: polynomial}",
	}[random.IntN(5)]
	if random.IntN(3) == 0 {
		s.engine = "enable_chunked_prefill: false"
	}
	ranks := 1 + random.IntN(4)/2
	s.worker = fmt.Sprintf("parallelism: {replicas: %d, attention_data: %d}\nscheduler: {max_batched_tokens: %d, max_sequences: %d, prefill_schedule_interval: %d}",
		1+random.IntN(3), ranks, 4+random.IntN(200), 1+random.IntN(8), 1+random.IntN(3))
	room := s.block * s.blocks
	if random.IntN(3) == 0 {
		s.engine += fmt.Sprintf("\ncontext_length: %d", 1+random.IntN(room))
	}
	if random.IntN(20) == 0 {
		room *= 2 // what can never fit is rejected, or stops the replay
	}
	count := 1 + random.IntN(30)
	input, output := 1+random.IntN(max(room/2, 1)), 1+random.IntN(max(min(room/3, 60), 1))
	blockSize := 2 + random.IntN(30)
	rows := sessionRows(random, blockSize, room, random.IntN(2) == 0)
	rate := func(of string) string {
		return []string{
			fmt.Sprintf("{type: concurrency, concurrency: %d}", 1+random.IntN(8)),
			fmt.Sprintf("{type: constant_rate, %s_per_second: %d}", of, 1+random.IntN(60)),
			fmt.Sprintf("{type: poisson, %s_per_second: %d, seed: %d}", of, 1+random.IntN(60), random.IntN(9)),
		}[random.IntN(3)]
	}
	switch random.IntN(5) {
	case 0:
		s.traffic = fmt.Sprintf("  source: {type: synthetic, input_tokens: %d, output_tokens: %d}\n  load: %s\n  stop: {requests: %d}\n", input, output, rate("requests"), count)
	case 1:
		s.traffic = fmt.Sprintf("  source: {type: synthetic-session, new_input_tokens_per_turn: %d, output_tokens_per_turn: %d, session: {turns: %d, shared_prefix_ratio: 0.4, prefix_groups: 2, inter_turn_delay_ms: %d}}\n  load: %s\n  stop: {sessions: %d}\n",
			max(input/4, 1), max(output/4, 1), 2+random.IntN(2), random.IntN(50), rate("sessions"), 1+count/3)
	case 2:
		s.traffic = traceTraffic("mooncake", writeTrace(t, rows...), blockSize, "{type: trace_timestamps, speedup: 2}")
	case 3:
		s.traffic = traceTraffic("mooncake", writeTrace(t, rows...), blockSize, fmt.Sprintf("{type: concurrency, concurrency: %d}", 1+random.IntN(5)))
	case 4:
		s.traffic = traceTraffic("agentic_mooncake", lowered(t, writeTrace(t, rows...), blockSize, s.mode), 0, fmt.Sprintf("{type: trace_timestamps, agentic_lanes: %d}", 1+random.IntN(5)))
	}
	if strings.Contains(s.traffic, "format: mooncake") && random.IntN(4) == 0 {
		s.traffic += fmt.Sprintf("  stop: {max_virtual_time_seconds: %v}\n", 0.01+random.Float64()/2)
	}
	return s
}

// Taking passes together changes no byte of the documents, whatever the
// configuration; nor does running again.
func TestPlainDocuments(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(3, 4))
	requests, stuck, readmitted := 0, 0, 0.0
	for i := range 400 {
		s := drawSetup(t, random)
		p := s.build(t)
		var notes bytes.Buffer
		plain, plainErr := try(t, p, replay.Options{Capture: true, Plain: true, Notes: &notes})
		for range 2 {
			document, lines, err := write(t, p, replay.Options{Capture: true})
			if plainErr != nil {
				require.EqualError(t, err, plainErr.Error(), "%d: %s", i, s.yaml())
				continue
			}
			require.NoError(t, err, "%d: %s", i, s.yaml())
			require.Equal(t, string(plain.lines), string(lines), "%d: %s", i, s.yaml())
			require.Equal(t, string(plain.document), string(document), "%d: %s", i, s.yaml())
		}
		if plainErr != nil {
			stuck++
		}
		if p.Engine.EnableChunkedPrefill && p.Traffic.Stop.MaxVirtualTimeSeconds == nil {
			require.Equal(t, plainErr != nil, notes.Len() > 0, "what stops the replay was named before: %s\n%v\n%s", s.yaml(), plainErr, &notes)
		}
		requests += len(plain.rows)
		for _, row := range plain.rows {
			readmitted += row["readmission_count"].(float64)
			requireOrder(t, row)
		}
	}
	require.Greater(t, requests, 3000)
	require.Greater(t, stuck, 20)
	require.Less(t, stuck, 100)
	require.Greater(t, readmitted, 50.0)
}

// requireOrder holds that the times of a row follow one another.
func requireOrder(t *testing.T, row map[string]any) {
	last := math.Inf(-1)
	for _, key := range []string{"arrival_time_ms", "first_admit_ms", "first_token_ms", "last_token_ms", "terminal_time_ms"} {
		if at, given := row[key].(float64); given {
			require.GreaterOrEqual(t, at, last, "%s of %v", key, row)
			last = at
		}
	}
}
