package corpus

import (
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestQuantilesMeetTheirMarks(t *testing.T) {
	q := quantiles{{0, 10}, {2500, 20}, {5000, 20}, {9000, 100}, {10000, 1000}}
	for _, c := range []struct {
		share float64
		want  int
	}{{0, 10}, {0.125, 15}, {0.25, 20}, {0.4, 20}, {0.5, 20}, {0.7, 60}, {0.9, 100}, {0.95, 550}} {
		assert.Equal(t, c.want, q.at(uint64(math.Ldexp(c.share, 64))), c.share)
	}
	assert.Equal(t, 10, q.at(0))
	assert.Equal(t, 1000, q.at(math.MaxUint64))
}

func TestDrawsFollowTheQuantiles(t *testing.T) {
	d := newDice(1, 1, 1)
	q := rawKnobs.out
	values := make([]int, 200_000)
	for i := range values {
		values[i] = d.draw(q)
	}
	for _, m := range q {
		if percent := m.basisPoints / 100; percent*100 == m.basisPoints && percent > 0 && percent < 100 {
			assert.InEpsilon(t, m.value, quantile(values, percent), 0.05, "p%d", percent)
		}
	}
}

// A distribution that is out of order would give wrong draws in silence.
func TestDistributionsAreInOrder(t *testing.T) {
	check := func(name string, q quantiles) {
		if assert.GreaterOrEqual(t, len(q), 2, name) {
			assert.Zero(t, q[0].basisPoints, name)
			assert.Equal(t, certain, q[len(q)-1].basisPoints, name)
			for i := 1; i < len(q); i++ {
				assert.Greater(t, q[i].basisPoints, q[i-1].basisPoints, name)
				assert.GreaterOrEqual(t, q[i].value, q[i-1].value, name)
			}
		}
	}
	for _, profile := range WekaProfiles() {
		k := profile.knobs()
		for _, session := range k.sessions {
			check("first", session.is.first)
			check("turns", session.is.turns)
		}
		for name, q := range map[string]quantiles{
			"prefix": k.prefix, "growth": k.growth, "smallWindow": k.smallWindow, "compacted": k.compacted,
			"out": k.out, "noise": k.noise, "pause": k.pause, "subagents.calls": k.subagents.calls,
			"subagents.first": k.subagents.first, "subagents.growth": k.subagents.growth, "subagents.pause": k.subagents.pause,
		} {
			check(string(profile)+" "+name, q)
		}
		if profile != ProfilePlain {
			check("earlyGrowth", k.earlyGrowth)
			check("largeWindow", k.largeWindow)
		}
	}
}

func TestPickFollowsTheWeights(t *testing.T) {
	d := newDice(7, 0, 0)
	counts := make([]int, 4)
	const n = 60_000
	for range n {
		counts[d.pick([]int{1, 0, 3, 2})]++
	}
	assert.Zero(t, counts[1])
	for i, want := range []float64{1. / 6, 0, 3. / 6, 2. / 6} {
		assert.InDelta(t, want, share(counts[i], n), 0.01)
	}
	assert.Panics(t, func() { d.pick([]int{0}) })
}

func TestRanges(t *testing.T) {
	d := newDice(7, 0, 1)
	seen := map[int]bool{}
	for range 1000 {
		n := d.between(-1, 2)
		assert.True(t, -1 <= n && n <= 2)
		seen[n] = true
		assert.False(t, d.chance(0))
		assert.True(t, d.chance(certain))
	}
	assert.Len(t, seen, 4)
}

// Any run of ordinals covers a distribution evenly: of 100 plays, each tenth
// of the places gets about 10.
func TestSpreadIsEven(t *testing.T) {
	for seed := range uint64(5) {
		var tenths [10]int
		for ordinal := range 100 {
			tenths[spread(seed, ordinal)/(math.MaxUint64/10+1)]++
		}
		for _, n := range tenths {
			assert.InDelta(t, 10, n, 2)
		}
	}
}

func TestNeighboursDiffer(t *testing.T) {
	seen := map[int]bool{}
	for seed := range uint64(10) {
		for profile := range uint64(3) {
			for ordinal := range uint64(10) {
				seen[newDice(seed, profile, ordinal).below(1<<60)] = true
			}
		}
	}
	assert.Len(t, seen, 300)
}
