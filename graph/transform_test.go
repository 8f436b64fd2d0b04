package graph_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/graph"
)

// The origin is the least not-before of all nodes, in total order.
func TestOrigin(t *testing.T) {
	negativeZero := math.Copysign(0, -1)
	for _, c := range []struct {
		times []float64
		want  float64
	}{
		{nil, 0},
		{[]float64{5}, 5},
		{[]float64{5, 3, 4}, 3},
		{[]float64{0, negativeZero}, negativeZero},
		{[]float64{negativeZero, 0}, negativeZero},
	} {
		var origin graph.Origin
		for _, ms := range c.times {
			n := node("n", ms)
			origin.Add(&n)
		}
		require.Equal(t, math.Float64bits(c.want), math.Float64bits(origin.Ms()), "%v", c.times)
	}
}

// Subtracting an origin of -0.0 gives +0.0.
func TestNormaliseZero(t *testing.T) {
	n := node("n", math.Copysign(0, -1))
	var origin graph.Origin
	origin.Add(&n)
	graph.Normalise(&n, origin)
	require.False(t, math.Signbit(n.NotBeforeMs))
}

// A speedup is one division of times and delays; the recorded api time stays,
// and an overflow is an infinity, written as null.
func TestSpeedUp(t *testing.T) {
	n := node("n", 250, graph.Dependency{Predecessor: "a", DelayMs: 1e308})
	n.RecordedAPITimeMs, n.HasAPITime = 90, true
	graph.SpeedUp(&n, 3)
	require.Equal(t, 83.33333333333333, n.NotBeforeMs)
	require.Equal(t, 90.0, n.RecordedAPITimeMs)
	graph.SpeedUp(&n, 1e-10)
	require.Contains(t, canonical("1", []graph.Node{n}), `"delay_ms":null`)
}
