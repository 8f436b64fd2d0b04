package report_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/graph"
	"tracekit/replay/report"
)

const golden = "../../testdata/golden/report"

// deployment is what the configuration of a golden case says.
type deployment struct {
	prefillMs, decodeMs float64
	replicas            map[report.Pool]int
	tensor              map[report.Pool]int
	ttft, itl, e2e      float64 // 0: no bound
	endMs               float64 // of the last event
}

func aggregated(prefillMs, decodeMs, endMs float64) deployment {
	return deployment{prefillMs: prefillMs, decodeMs: decodeMs, endMs: endMs,
		replicas: map[report.Pool]int{report.Aggregated: 1}, tensor: map[report.Pool]int{report.Aggregated: 1}}
}

func (d deployment) workers(pool report.Pool, replicas, tensor int) deployment {
	d.replicas[pool], d.tensor[pool] = replicas, tensor
	return d
}

func (d deployment) sla(ttft, itl, e2e float64) deployment {
	d.ttft, d.itl, d.e2e = ttft, itl, e2e
	return d
}

var deployments = map[string]deployment{
	"agentic-two-plays":  aggregated(20, 5, 97),
	"clipped-by-context": aggregated(20, 5, 230),
	"cutoff":             aggregated(20, 5, 45),
	"disaggregated-transfer": deployment{prefillMs: 20, decodeMs: 5, endMs: 85, replicas: map[report.Pool]int{}, tensor: map[report.Pool]int{}}.
		workers(report.Prefill, 2, 1).workers(report.Decode, 1, 4).sla(40, 0, 0),
	"gpus-per-worker":        aggregated(20, 5, 125).workers(report.Aggregated, 3, 2),
	"one-token-outputs":      aggregated(20, 5, 55).sla(0, 1, 0),
	"preemption-readmission": aggregated(20, 5, 375),
	"queueing-constant-rate": aggregated(20, 5, 280).sla(60, 12, 0),
	"rejected-and-completed": aggregated(20, 5, 60).sla(0, 0, 45),
	"sessions-from-trace":    aggregated(20, 5, 125).sla(25, 10, 0),
	"single-request":         aggregated(20, 5, 30),
	"three-requests":         aggregated(12.5, 4, 72.5).workers(report.Aggregated, 1, 2).sla(16, 6, 0),
	"zero-decode-time":       aggregated(10, 0, 35),
}

// goldenCase is an expected.json.
type goldenCase struct {
	Summary  map[string]any
	Requests []map[string]any
}

// Every summary follows from its rows, and every row comes out as it went in.
func TestGolden(t *testing.T) {
	paths, err := filepath.Glob(filepath.Join(golden, "*", "expected.json"))
	require.NoError(t, err)
	require.Len(t, paths, len(deployments))
	for _, path := range paths {
		name := filepath.Base(filepath.Dir(path))
		t.Run(name, func(t *testing.T) {
			expected, err := os.ReadFile(path)
			require.NoError(t, err)
			var want goldenCase
			require.NoError(t, json.Unmarshal(expected, &want))

			r, gapsKnown := want.replay(deployments[name])
			require.Equal(t, name != "preemption-readmission", gapsKnown)
			document := parse(t, text(t, r.WritePrediction))
			summary := document["summary"].(map[string]any)
			for key, value := range want.Summary {
				if !gapsKnown && (strings.HasSuffix(key, "_itl_ms") || strings.HasSuffix(key, "_per_user")) {
					continue
				}
				requireNear(t, value, summary[key], key)
			}
			rows := document["per_request"].([]any)
			for _, row := range rows {
				delete(row.(map[string]any), "uuid")
			}
			require.Len(t, rows, len(want.Requests))
			sortRows(rows)
			for i, row := range want.Requests {
				require.ElementsMatch(t, keys(row), keys(rows[i].(map[string]any)))
				requireNear(t, row, rows[i], "row")
			}
		})
	}
}

// sortRows orders rows as the golden cases do.
func sortRows(rows []any) {
	number := func(row map[string]any, key string) float64 { return row[key].(float64) }
	id := func(row map[string]any) string { s, _ := row["request_id"].(string); return s }
	sort.SliceStable(rows, func(i, j int) bool {
		a, b := rows[i].(map[string]any), rows[j].(map[string]any)
		if id(a) != id(b) {
			return id(a) < id(b)
		}
		for _, key := range []string{"arrival_time_ms", "input_length", "requested_output_length"} {
			if number(a, key) != number(b, key) {
				return number(a, key) < number(b, key)
			}
		}
		return false
	})
}

func requireNear(t *testing.T, want, got any, path string) {
	t.Helper()
	switch want := want.(type) {
	case float64:
		require.IsType(t, want, got, path)
		require.LessOrEqual(t, math.Abs(want-got.(float64)), max(1e-9, 1e-9*math.Abs(want)), "%s: want %v, got %v", path, want, got)
	case map[string]any:
		require.IsType(t, want, got, path)
		for key, value := range want {
			require.Contains(t, got, key, path)
			requireNear(t, value, got.(map[string]any)[key], path+"."+key)
		}
	case []any:
		require.IsType(t, want, got, path)
		require.Len(t, got, len(want), path)
		for i := range want {
			requireNear(t, want[i], got.([]any)[i], path)
		}
	default:
		require.Equal(t, want, got, path)
	}
}

// replay tells a collector what the rows say.
func (g goldenCase) replay(d deployment) (r *report.Report, gapsKnown bool) {
	_, disaggregated := d.replicas[report.Prefill]
	options := report.Options{Dynamo: true, Capture: true, Disaggregated: disaggregated, SLA: &report.SLA{}}
	for bound, ms := range map[**float64]float64{&options.SLA.TTFTMs: d.ttft, &options.SLA.ITLMs: d.itl, &options.SLA.E2EMs: d.e2e} {
		if ms > 0 {
			*bound = &ms
		}
	}
	if (*options.SLA == report.SLA{}) {
		options.SLA = nil
	}
	for pool, tensor := range d.tensor {
		options.Workers[pool] = report.WorkerSize{Tensor: tensor, AttentionData: 1}
	}
	c := report.New(options)
	for pool, replicas := range d.replicas {
		c.Workers(pool, replicas, 0)
	}
	c.Prefilled(int(g.Summary["committed_prefill_tokens"].(float64)))
	for range int(g.Summary["num_requests"].(float64)) {
		c.Arrived()
	}
	gapsKnown = true
	for i, row := range g.Requests {
		record := recordOf(row)
		record.Ordinal = i + 1
		c.Ended(record)
		if n := record.OutputLength; n >= 2 {
			// A gap is a decode pass, or one that also carries a prompt.
			c.Gaps(record.SecondTokenMs-record.FirstTokenMs, 1)
			rest := record.LastTokenMs - record.SecondTokenMs
			long := (rest - float64(n-2)*d.decodeMs) / d.prefillMs
			gapsKnown = gapsKnown && math.Abs(long-math.Round(long)) < 1e-9
			c.Gaps(d.prefillMs+d.decodeMs, int(math.Round(long)))
			c.Gaps(d.decodeMs, n-2-int(math.Round(long)))
		}
	}
	return c.Report(report.Facts{EndMs: d.endMs, Agentic: g.agentic()}), gapsKnown
}

func recordOf(row map[string]any) *report.Record {
	integer := func(key string) int { return int(row[key].(float64)) }
	known := func(key string) report.Optional[float64] {
		value, ok := row[key].(float64)
		return report.Optional[float64]{Value: value, Known: ok}
	}
	label := func(o map[string]any, key string) string { s, _ := o[key].(string); return s }
	r := &report.Record{
		ArrivalMs:       row["arrival_time_ms"].(float64),
		DispatchedMs:    known("dispatched_at_ms").Value,
		InputLength:     integer("input_length"),
		RequestedOutput: integer("requested_output_length"),
		OutputLength:    integer("output_length"),
		FirstTokenMs:    known("first_token_ms").Value,
		SecondTokenMs:   known("first_token_ms").Value + known("ttst_ms").Value,
		LastTokenMs:     known("last_token_ms").Value,
		Status:          map[string]report.Status{"completed": report.Completed, "rejected": report.Rejected}[label(row, "terminal_status")],
		TerminalMs:      row["terminal_time_ms"].(float64),
	}
	r.SessionID, r.HasSession = row["session_id"].(string)
	r.Turn = int(known("turn_index").Value)
	if labels, ok := row["agentic"].(map[string]any); ok {
		r.Agentic = &report.AgenticLabels{RequestID: label(labels, "request_id"), PlayID: label(labels, "play_id"),
			RootID: label(labels, "root_id"), ParentID: label(labels, "parent_id"), LaneID: label(labels, "lane_id")}
	}
	if row["prefill_worker_idx"] != nil {
		r.Handover = &report.Handover{
			SourceHeldMs: known("source_held_ms"), SourceReleasedMs: known("source_released_ms"),
			DestinationReservedMs: known("destination_reserved_ms"), DestinationActivatedMs: known("destination_activated_ms"),
		}
	}
	pool := map[string]report.Pool{"agg": report.Aggregated, "prefill": report.Prefill, "decode": report.Decode}
	for _, element := range row["admission_history"].([]any) {
		a := element.(map[string]any)
		r.Admissions = append(r.Admissions, report.Admission{Pool: pool[label(a, "pool")],
			AtMs: a["at_ms"].(float64), ReusedTokens: int(a["reused_input_tokens"].(float64))})
	}
	for _, element := range row["routing_history"].([]any) {
		d := element.(map[string]any)
		r.Routing = append(r.Routing, report.Routing{Pool: pool[label(d, "pool")], Worker: int(d["logical_worker_id"].(float64)),
			Rank: int(d["dp_rank"].(float64)), OverlapTokens: int(d["reported_overlap_tokens"].(float64))})
	}
	return r
}

// agentic takes from the summary what does not follow from rows.
func (g goldenCase) agentic() *report.AgenticFacts {
	identity, ok := g.Summary["agentic_graph"].(map[string]any)
	if !ok {
		return nil
	}
	return &report.AgenticFacts{
		Graph: graph.Identity{
			Source:      graph.Source{Format: "weka", Digest: "c0ffee"},
			GraphDigest: identity["graph_digest"].(string), BlockSize: 16, Plays: 2, Requests: 3, Models: []string{"src"},
		},
		TargetModel: "meta-llama/Meta-Llama-3.1-8B",
		Plays: []report.PlayOutcome{
			{PlayID: "pa", CausalTerminalMs: report.Some(97.0), SettledAtMs: report.Some(97.0)},
			{PlayID: "pb", CausalTerminalMs: report.Some(50.0), SettledAtMs: report.Some(50.0), RootDispatchedMs: 15},
		},
	}
}

func keys(o map[string]any) (all []string) {
	for key := range o {
		all = append(all, key)
	}
	return all
}
