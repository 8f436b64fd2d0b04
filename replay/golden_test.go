package replay_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/internal/semantics"
	"tracekit/replay"
	"tracekit/replay/config"
)

// golden holds the recorded runs of graphs.
const golden = "../testdata/golden/agentic-replay"

// elsewhere lists the recorded runs of graphs that TestGoldenGraphs leaves out,
// and why. The list shrinks as what they need is built.
var elsewhere = map[string]string{
	"v2-kv-router":               "the KV router is not built yet",
	"v2-lanes-two-disagg":        "disaggregated mode is not built yet",
	"weka-lanes-one-disagg":      "disaggregated mode is not built yet",
	"rej-basis-on-v2":            "arguments of a typed call, which is not built yet; see TestRefusedGraphSettings",
	"rej-lanes-on-mooncake":      "arguments of a typed call, which is not built yet; see TestRefusedGraphSettings",
	"rej-lanes-zero":             "arguments of a typed call, which is not built yet; see TestRefusedGraphSettings",
	"rej-lanes-with-concurrency": "arguments of a typed call, which is not built yet; see TestRefusedGraphSettings",
	"rej-replay-concurrency":     "arguments of a typed call, which is not built yet; see TestRefusedGraphSettings",
	"rej-no-execution-model":     "arguments of a typed call, which is not built yet; the model of a configuration is required",
	"rej-weka-block-mismatch":    "arguments of a typed call, which is not built yet; see TestRefusedGraphs",
	"rej-weka-mixed-block-sizes": "arguments of a typed call, which is not built yet; see TestRefusedGraphs",
}

// The recorded runs of graphs come out as recorded, the digest of their
// lifecycle included.
func TestGoldenGraphs(t *testing.T) {
	cases, err := filepath.Glob(filepath.Join(golden, "*", "config.yaml"))
	require.NoError(t, err)
	require.Len(t, cases, 5)
	for _, path := range cases {
		dir := filepath.Dir(path)
		name := filepath.Base(dir)
		require.NotContains(t, elsewhere, name)
		t.Run(name, func(t *testing.T) {
			var want struct {
				Summary  map[string]any
				Requests []map[string]any
			}
			text, err := os.ReadFile(filepath.Join(dir, "expected.json"))
			require.NoError(t, err)
			require.NoError(t, json.Unmarshal(text, &want))
			t.Chdir(dir)
			p, err := config.Load("config.yaml", config.Options{Semantics: semantics.AISimulate013, Stack: config.StackDynamo})
			require.NoError(t, err)
			got := predict(t, p, replay.Options{Capture: true})

			require.Contains(t, want.Summary, "agentic_lifecycle_digest")
			for key, value := range want.Summary {
				requireClose(t, value, got.summary[key], key)
			}
			require.Len(t, got.rows, len(want.Requests))
			for i, row := range want.Requests {
				for key, value := range row {
					if key == "routing" {
						continue
					}
					requireClose(t, value, got.rows[i][key], fmt.Sprintf("row %d, %s", i, key))
				}
				for key, value := range got.rows[i] {
					if _, given := row[key]; !given && slices.Contains(mostlyGiven, key) {
						require.Nil(t, value, "row %d, %s", i, key)
					}
				}
				requireSameKeys(t, row["agentic"], got.rows[i]["agentic"])
				requireRouting(t, row["routing"].([]any), got.rows[i]["routing_history"].([]any))
			}
		})
	}
}

// mostlyGiven are fields that a recorded row leaves out when they are null.
var mostlyGiven = []string{"ttst_ms", "itl_ms", "turn_index", "first_admit_ms", "first_token_ms", "last_token_ms", "ttft_ms", "e2e_latency_ms"}

func requireSameKeys(t *testing.T, want, got any) {
	keys := func(x any) []string { return slices.Sorted(maps.Keys(x.(map[string]any))) }
	require.Equal(t, keys(want), keys(got))
}

// requireRouting compares routing, of which a recorded row calls the scheduler
// its worker.
func requireRouting(t *testing.T, want, got []any) {
	require.Len(t, got, len(want))
	for i := range want {
		for key, value := range want[i].(map[string]any) {
			if key == "worker" {
				key = "scheduler_id"
			}
			requireClose(t, value, got[i].(map[string]any)[key], key)
		}
	}
}

// requireClose compares values of JSON: whole numbers exactly, other reals
// within 1e-9 relative.
func requireClose(t *testing.T, want, got any, path string) {
	t.Helper()
	switch w := want.(type) {
	case float64:
		g, ok := got.(float64)
		require.True(t, ok, "%s: want %v, got %v", path, want, got)
		require.LessOrEqual(t, math.Abs(w-g), 1e-9*math.Abs(w), "%s: want %v, got %v", path, want, got)
	case map[string]any:
		g, ok := got.(map[string]any)
		require.True(t, ok, "%s: got %v", path, got)
		require.Len(t, g, len(w), path)
		for key, value := range w {
			requireClose(t, value, g[key], path+"."+key)
		}
	case []any:
		g, ok := got.([]any)
		require.True(t, ok, "%s: got %v", path, got)
		require.Len(t, g, len(w), path)
		for i := range w {
			requireClose(t, w[i], g[i], fmt.Sprintf("%s[%d]", path, i))
		}
	default:
		require.Equal(t, want, got, path)
	}
}
