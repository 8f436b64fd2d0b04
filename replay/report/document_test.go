package report_test

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/graph"
	"tracekit/replay/report"
)

// onStack returns the same replay on either stack.
func onStack(dynamo, capture bool) *report.Report {
	options := onePool()
	options.Dynamo, options.Capture = dynamo, capture
	return replayThree(options)
}

func text(t *testing.T, write func(io.Writer) error) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, write(&out))
	return out.String()
}

func parse(t *testing.T, text string) (document map[string]any) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(text), &document))
	return document
}

func TestDynamoDocument(t *testing.T) {
	for _, capture := range []bool{false, true} {
		r := onStack(true, capture)
		document := parse(t, text(t, r.WritePrediction))
		require.ElementsMatch(t, []string{"coverage", "per_request", "planner", "summary"}, keys(document))
		require.Nil(t, document["planner"])
		records := 0.0
		if capture {
			records = 3
			require.Len(t, document["per_request"], 3)
		} else {
			require.Nil(t, document["per_request"])
		}
		require.Equal(t, map[string]any{"capture_per_request": capture, "capture_planner_details": false, "per_request_records": records}, document["coverage"])
		require.Equal(t, document["summary"], any(parse(t, text(t, r.WriteSummaryJSON))))
	}
}

func TestEngineDocument(t *testing.T) {
	dynamo := parse(t, text(t, onStack(true, false).WriteSummaryJSON))
	for _, capture := range []bool{false, true} {
		r := onStack(false, capture)
		document := parse(t, text(t, r.WritePrediction))
		want := append(keys(dynamo), "prediction_provenance")
		if capture {
			want = append(want, "per_request")
			row := document["per_request"].([]any)[1].(map[string]any)
			require.Equal(t, 48.0, row["first_admission_reused_input_tokens"])
		}
		require.ElementsMatch(t, want, keys(document))
		require.Equal(t, document, parse(t, text(t, r.WriteSummaryJSON)))
	}
}

func TestRowsOfBothFilesAreTheSame(t *testing.T) {
	r := onStack(true, true)
	var lines []any
	for line := range strings.Lines(text(t, r.WriteRows)) {
		lines = append(lines, parse(t, line))
	}
	require.Equal(t, parse(t, text(t, r.WritePrediction))["per_request"], any(lines))
	require.Empty(t, text(t, onStack(true, false).WriteRows))
}

// The layout is that of any JSON printer, and keys are sorted at every level.
func TestLayout(t *testing.T) {
	for _, r := range []*report.Report{onStack(true, true), onStack(false, true), agenticReport()} {
		prediction := text(t, r.WritePrediction)
		var indented, compact bytes.Buffer
		require.NoError(t, json.Indent(&indented, []byte(prediction), "", "  "))
		require.Equal(t, indented.String(), prediction)
		require.True(t, strings.HasSuffix(prediction, "}\n"))

		for _, lines := range []string{text(t, r.WriteRows), text(t, r.WriteSummaryJSON)} {
			for line := range strings.Lines(lines) {
				compact.Reset()
				require.NoError(t, json.Compact(&compact, []byte(line)))
				require.Equal(t, compact.String()+"\n", line)
				requireSorted(t, line)
			}
		}
		requireSorted(t, prediction)
	}
}

// requireSorted checks the order of all keys.
func requireSorted(t *testing.T, text string) {
	t.Helper()
	decoder := json.NewDecoder(strings.NewReader(text))
	var read func()
	read = func() {
		token, err := decoder.Token()
		require.NoError(t, err)
		var names []string
		for (token == json.Delim('{') || token == json.Delim('[')) && decoder.More() {
			if token == json.Delim('{') {
				name, err := decoder.Token()
				require.NoError(t, err)
				names = append(names, name.(string))
			}
			read()
		}
		require.True(t, slices.IsSorted(names), "%v", names)
		if token == json.Delim('{') || token == json.Delim('[') {
			_, err := decoder.Token()
			require.NoError(t, err)
		}
	}
	read()
}

// agenticReport has two plays in lanes, one of which fails.
func agenticReport() *report.Report {
	c := report.New(onePool())
	for i, id := range []string{"b", "a", "ä"} {
		r := threeRequests()[i]
		r.Agentic = &report.AgenticLabels{RequestID: id, PlayID: "p", ParentID: "x", LaneID: "lane:0", CacheID: "c"}
		r.SessionID, r.HasSession, r.DispatchedMs = "😀", true, r.ArrivalMs
		c.Arrived()
		c.Ended(&r)
	}
	return c.Report(report.Facts{
		Planner: json.RawMessage(`{"ticks": [{"b": 1.50, "a": null}], "metadata": {}, "html_report_path": null}`),
		Agentic: &report.AgenticFacts{
			Graph: graph.Identity{Models: []string{"m"}},
			Plays: []report.PlayOutcome{
				{PlayID: "p", CausalTerminalMs: report.Some(90.0), SettledAtMs: report.Some(91.0), RootDispatchedMs: 30},
				{PlayID: "q", Status: report.PlayFailed, CausalTerminalMs: report.Some(5.0), FailureRequestID: "q1", FailureStatus: report.Rejected},
				{PlayID: "r", Status: report.PlayIncomplete},
			},
			LifecycleEvents: 7, LifecycleDigest: "d1", WekaTimestampBasis: "absolute",
		},
	})
}

func TestAgenticDocument(t *testing.T) {
	r := agenticReport()
	document := parse(t, text(t, r.WritePrediction))
	summary := document["summary"].(map[string]any)
	for key, want := range map[string]any{
		"total_trajectories": 3.0, "completed_trajectories": 1.0, "incomplete_trajectories": 2.0,
		"mean_trajectory_e2e_latency_ms": 60.0, "p50_trajectory_e2e_latency_ms": 60.0,
		"agentic_lifecycle_event_count": 7.0, "agentic_lifecycle_digest": "d1", "weka_nested_timestamp_basis": "absolute",
		"agentic_play_outcomes": []any{
			map[string]any{"play_id": "p", "status": "completed", "causal_terminal_ms": 90.0, "settled_at_ms": 91.0},
			map[string]any{"play_id": "q", "status": "failed", "causal_terminal_ms": 5.0, "failure_request_id": "q1", "failure_status": "rejected"},
			map[string]any{"play_id": "r", "status": "incomplete"},
		},
	} {
		require.Equal(t, want, summary[key], key)
	}
	require.Equal(t, true, document["coverage"].(map[string]any)["capture_planner_details"])
	require.Equal(t, map[string]any{"ticks": []any{map[string]any{"b": 1.5, "a": nil}}, "metadata": map[string]any{}, "html_report_path": nil}, document["planner"])

	// Request ids order rows by their bytes, before arrivals do.
	var ids []any
	for _, row := range document["per_request"].([]any) {
		row := row.(map[string]any)
		ids = append(ids, row["request_id"])
		require.Nil(t, row["turn_index"])
		require.Equal(t, row["arrival_time_ms"], row["dispatched_at_ms"])
		require.Equal(t, map[string]any{"request_id": row["request_id"], "play_id": "p", "conversation_id": "😀",
			"parent_id": "x", "lane_id": "lane:0", "cache_id": "c"}, row["agentic"])
	}
	require.Equal(t, []any{"a", "b", "ä"}, ids)
	require.Contains(t, text(t, r.WriteRows), `"session_id":"\ud83d\ude00"`)
	require.Contains(t, text(t, r.WriteRows), `"request_id":"\u00e4"`)
}

// What the golden cases do not have: ranks, queues, scores, readmissions.
func TestRowOfARoutedRequest(t *testing.T) {
	options := report.Options{Capture: true, Disaggregated: true}
	options.Workers[report.Prefill].AttentionData = 4
	options.Workers[report.Decode].AttentionData = 2
	c := report.New(options)
	c.Ended(&report.Record{
		Ordinal: 300, HasSession: true, SessionID: `a"b`, Turn: 2, ArrivalMs: 1, Status: report.Failed, TerminalMs: 9,
		Admissions: []report.Admission{{report.Prefill, 3, 16}, {report.Prefill, 4, 32}, {report.Decode, 6, 48}, {report.Prefill, 7, 0}},
		Routing: []report.Routing{
			{Pool: report.Prefill, Queued: true, Scored: true, Worker: 2, Rank: 3, EnteredMs: 1, ReleasedMs: 2.5, OverlapTokens: 80, SelectedBlocks: 5, BestBlocks: 7},
			{Pool: report.Decode, Worker: 1, Rank: 1},
		},
		Handover: &report.Handover{SourceHeldMs: report.Some(5.0)},
	})
	row := parse(t, text(t, c.Report(report.Facts{}).WriteRows))
	for key, want := range map[string]any{
		"uuid": "00000000-0000-0000-0000-00000000012c", "session_id": `a"b`, "turn_index": 2.0, "terminal_status": "failed",
		"admission_count": 4.0, "readmission_count": 2.0, "first_admit_ms": 3.0, "prefill_admit_ms": 3.0, "decode_admit_ms": 6.0,
		"reused_input_tokens": 32.0, "decode_reused_input_tokens": 48.0, "first_admission_reused_input_tokens": 16.0,
		"prefill_worker_idx": 11.0, "decode_worker_idx": 3.0, "prefill_route_overlap_tokens": 80.0, "decode_route_overlap_tokens": 0.0,
		"source_held_ms": 5.0, "source_released_ms": nil, "destination_reserved_ms": nil, "dispatched_at_ms": nil,
		"ttft_ms": nil, "ttst_ms": nil, "itl_ms": nil, "e2e_latency_ms": nil, "first_token_ms": nil, "last_token_ms": nil,
	} {
		require.Contains(t, row, key)
		require.Equal(t, want, row[key], key)
	}
	for _, key := range []string{"agentic", "request_id", "play_id"} {
		require.NotContains(t, row, key)
	}
	last := row["admission_history"].([]any)[3]
	require.Equal(t, map[string]any{"admission_ordinal": 3.0, "at_ms": 7.0, "is_readmission": true, "pool": "prefill",
		"pool_admission_ordinal": 2.0, "reused_input_tokens": 0.0}, last)
	queued := row["routing_history"].([]any)[0]
	require.Equal(t, map[string]any{"pool": "prefill", "outcome": "queued", "logical_worker_id": 2.0, "dp_rank": 3.0, "scheduler_id": 11.0,
		"queue_entered_at_ms": 1.0, "released_at_ms": 2.5, "queue_wait_ms": 1.5, "reported_overlap_tokens": 80.0,
		"selected_overlap_blocks": 5.0, "best_available_overlap_blocks": 7.0, "overlap_regret_blocks": 2.0, "placement_replica_id": nil}, queued)
}

func TestNoneCompleted(t *testing.T) {
	for _, c := range []struct{ dynamo, zeros, invalid bool }{
		{true, true, false}, {true, false, true}, {false, true, true}, {false, false, true},
	} {
		options := onePool()
		options.Dynamo, options.ZerosIfNoneCompleted = c.dynamo, c.zeros
		options.SLA = &report.SLA{E2EMs: ms(1)}
		collector := report.New(options)
		collector.Workers(report.Aggregated, 1, 0)
		for i, length := range []int{128, 200} {
			at := float64(10 * i)
			collector.Arrived()
			collector.Ended(&report.Record{Ordinal: i + 1, ArrivalMs: at, TerminalMs: at, InputLength: length, RequestedOutput: 5, Status: report.Rejected})
		}
		r := collector.Report(report.Facts{EndMs: 10, Agentic: &report.AgenticFacts{}})
		require.Equal(t, c.invalid, r.Summary.NoneCompleted)

		summary := parse(t, text(t, r.WriteSummaryJSON))
		require.Equal(t, 2.0, summary["num_requests"])
		require.Equal(t, 0.0, summary["completed_requests"])
		require.Equal(t, 0.0, summary["duration_ms"])
		require.Equal(t, 0.0, summary["prefix_cache_reused_ratio"])
		require.Equal(t, 0.0, summary["goodput_completed_requests"])
		require.Equal(t, 0.01, summary["decode_worker_seconds"])
		var want any = 0.0
		if c.invalid {
			want = nil
			require.Equal(t, "invalid", summary["prediction_status"])
			require.Equal(t, "no_completed_requests", summary["stop_reason"])
			require.Equal(t, "None of the 2 requests that arrived completed, so there are no latencies and throughputs to report.", summary["diagnostic"])
			require.Equal(t, summary["diagnostic"], r.Summary.Diagnostic())
		} else {
			require.NotContains(t, summary, "prediction_status")
			require.NotContains(t, summary, "stop_reason")
			require.NotContains(t, summary, "diagnostic")
			require.Empty(t, r.Summary.Diagnostic())
		}
		for key, value := range summary {
			statistic := false
			for _, prefix := range []string{"mean_", "min_", "max_", "median_", "p50_", "p75_", "p90_", "p95_", "p99_", "std_"} {
				statistic = statistic || strings.HasPrefix(key, prefix)
			}
			if statistic || strings.HasSuffix(key, "_throughput_rps") || strings.HasSuffix(key, "_throughput_tok_s") {
				require.Equal(t, want, value, key)
			} else if key != "power_w" && key != "power_coverage" {
				require.NotNil(t, value, key)
			}
		}
		require.Equal(t, 2, strings.Count(text(t, r.WriteRows), `"terminal_status":"rejected"`))
		table := text(t, func(w io.Writer) error { return r.WriteTable(w, "") })
		require.Equal(t, c.invalid, strings.Contains(table, "│ Time to First Token (ms)                           │  N/A"))
	}
}

func TestProvenance(t *testing.T) {
	options := onePool()
	options.Dynamo = false
	document := parse(t, text(t, report.New(options).Report(report.Facts{Provenance: map[string]report.Provenance{
		"prefill": {Estimator: "tracekit", TimingSource: "table", DataVersion: "1.0"},
		"decode":  {Estimator: "tracekit", TimingSource: "fixed", Reason: "fixed timing has no data"},
	}}).WritePrediction))
	require.Equal(t, map[string]any{
		"prefill": map[string]any{"estimator": "tracekit", "timing_source": "table", "data_version": "1.0"},
		"decode":  map[string]any{"estimator": "tracekit", "timing_source": "fixed", "data_version": nil, "reason": "fixed timing has no data"},
	}, document["prediction_provenance"])
}

func TestPlannerDocumentMustBeJSON(t *testing.T) {
	r := report.New(onePool()).Report(report.Facts{Planner: json.RawMessage("{")})
	require.ErrorContains(t, r.WritePrediction(io.Discard), "planner")
}

func TestTable(t *testing.T) {
	r := onStack(true, false)
	r.Summary.OutputThroughput = 1234567.891
	require.Equal(t, `Prediction
┌────────────────────────────────────────────────────┬──────────────┬───────┬────────┬────────┬────────┬────────┬───────┐
│ Metric                                             │          avg │   min │    max │    p99 │    p90 │    p75 │   std │
├────────────────────────────────────────────────────┼──────────────┼───────┼────────┼────────┼────────┼────────┼───────┤
│ Time to First Token (ms)                           │        14.67 │ 12.50 │  19.00 │  19.00 │  19.00 │  19.00 │  3.06 │
│ Time to Second Token (ms)                          │         4.00 │  4.00 │   4.00 │   4.00 │   4.00 │   4.00 │  0.00 │
│ Request Latency (ms)                               │        29.50 │ 12.50 │  39.00 │  39.00 │  39.00 │  39.00 │ 12.05 │
│ Inter Token Latency (ms)                           │         5.56 │  4.00 │  16.50 │  16.49 │   4.00 │   4.00 │  4.13 │
│ Output Token Throughput Per User (tokens/sec/user) │       226.33 │ 60.61 │ 250.00 │ 249.89 │ 249.89 │ 249.89 │ 62.64 │
│ Output Token Throughput (tokens/sec)               │ 1,234,567.89 │   N/A │    N/A │    N/A │    N/A │    N/A │   N/A │
│ Request Throughput (requests/sec)                  │        41.38 │   N/A │    N/A │    N/A │    N/A │    N/A │   N/A │
│ Request Count (requests)                           │         3.00 │   N/A │    N/A │    N/A │    N/A │    N/A │   N/A │
└────────────────────────────────────────────────────┴──────────────┴───────┴────────┴────────┴────────┴────────┴───────┘
Prefix cache reused ratio: 0.43
First-admission prefix cache reused ratio: 0.43
Report: out/prediction.json
`, text(t, func(w io.Writer) error { return r.WriteTable(w, "out/prediction.json") }))
}

// failing is a stream that cannot be written.
type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, io.ErrShortWrite }

func TestWriteErrors(t *testing.T) {
	r := onStack(true, true)
	require.ErrorIs(t, r.WritePrediction(failing{}), io.ErrShortWrite)
	require.ErrorIs(t, r.WriteRows(failing{}), io.ErrShortWrite)
	require.ErrorIs(t, r.WriteSummaryJSON(failing{}), io.ErrShortWrite)
	require.ErrorIs(t, r.WriteTable(failing{}, ""), io.ErrShortWrite)
}
