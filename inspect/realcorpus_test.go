//go:build realcorpus

package inspect

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/formats/weka"
	"tracekit/graph"
	"tracekit/internal/realcorpus"
	"tracekit/internal/semantics"
)

// TestRealCorpusFigures holds the known figures of the 710 recordings of
// kv-cache-tester. Lengths and gaps are known of the outer requests alone, so
// that these are gathered apart, without edges to nested ones.
func TestRealCorpusFigures(t *testing.T) {
	path := os.Getenv(realcorpus.Variable)
	if path == "" {
		t.Skip(realcorpus.Variable + " names no folder or .tar.zst of the 710 recorded sessions")
	}
	folder, err := realcorpus.Folder(path, t.TempDir())
	require.NoError(t, err)
	trace, err := weka.Open(t.Context(), folder, weka.Options{
		Semantics: semantics.AISimulate013, Repairs: weka.Repairs{UndeclaredModels: true}, Jobs: 2,
	})
	require.NoError(t, err)
	all := New(Options{BlockSize: trace.BlockSize(), PlaysShareNothing: true})
	outer := New(Options{BlockSize: trace.BlockSize(), PlaysShareNothing: true})
	for p, err := range trace.Plays(t.Context()) {
		require.NoError(t, err)
		all.Add(p)
		var nodes []graph.Node
		for _, n := range p.Nodes {
			if !strings.Contains(n.RequestID, ":inner:") {
				n.Dependencies = nil
				nodes = append(nodes, n)
			}
		}
		p, err := graph.NewPlay(nodes)
		require.NoError(t, err)
		outer.Add(p)
	}

	facts := WekaFactsOf(trace)
	require.Equal(t, weka.BasisRelative, facts.NestedTimestampBasis)
	require.Equal(t, []int{63, 676, 4312, 27}, []int{facts.Subagents, facts.NestedRequests, facts.MissingAPITime, facts.RawZeroOutputs})
	require.Equal(t, "floor", dialectName(facts.IDDialect))

	r := outer.Report()
	require.Equal(t, []int{710, 48_658, 27}, []int{r.Plays, r.Requests, r.ZeroOutputs})
	requireQuantiles(t, r.InputTokens, 6_343, 43_308, 67_717, 104_644, 139_213, 235_882, 500_022, 894_371, 123_450)
	requireQuantiles(t, r.OutputTokens, 0, 105, 137, 216, 429, 899, 3_663, 18_195, 439)
	requireQuantiles(t, r.GapInPlayMs, 1_000, 8_000, 11_000, 18_000, 38_000, 130_000, 2_192_000, 77_611_000, 151_543)
	require.Nil(t, r.GapInTraceMs, "each play has its own clock")

	r = all.Report()
	require.Equal(t, 48_658+676, r.Requests)
	require.Equal(t, 94_359_268, r.Blocks.References)
	require.Equal(t, 3_499_580, r.Blocks.Distinct)
	require.Equal(t, r.Blocks.References-r.Blocks.Distinct, r.Blocks.Curve[len(r.Blocks.Curve)-1].Hits, "no play has more blocks than the largest cache")
}

func requireQuantiles[T number](t *testing.T, d Distribution[T], least, p10, p25, p50, p75, p90, p99, most T, mean float64) {
	t.Helper()
	require.Equal(t, []T{least, p10, p25, p50, p75, p90, p99, most}, []T{d.Min, d.P10, d.P25, d.P50, d.P75, d.P90, d.P99, d.Max})
	require.InDelta(t, mean, d.Mean, 1)
}
