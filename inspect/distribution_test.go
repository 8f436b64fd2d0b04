package inspect

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDistribution(t *testing.T) {
	upTo := func(n int) (values []int) {
		for i := range n {
			values = append(values, i+1)
		}
		return values
	}
	tests := map[string]struct {
		values []int
		want   Distribution[int]
	}{
		"nothing":   {nil, Distribution[int]{}},
		"one value": {[]int{7}, Distribution[int]{Count: 1, Min: 7, P10: 7, P25: 7, P50: 7, P75: 7, P90: 7, P99: 7, Max: 7, Mean: 7}},
		"two":       {[]int{9, 5}, Distribution[int]{Count: 2, Min: 5, P10: 5, P25: 5, P50: 5, P75: 9, P90: 9, P99: 9, Max: 9, Mean: 7}},
		// Of ten values the p10 is the first and the p25 the third (rank 2.5, rounded up).
		"ten":     {upTo(10), Distribution[int]{Count: 10, Min: 1, P10: 1, P25: 3, P50: 5, P75: 8, P90: 9, P99: 10, Max: 10, Mean: 5.5}},
		"hundred": {upTo(100), Distribution[int]{Count: 100, Min: 1, P10: 10, P25: 25, P50: 50, P75: 75, P90: 90, P99: 99, Max: 100, Mean: 50.5}},
		"equal":   {[]int{1, 4, 4, 4}, Distribution[int]{Count: 4, Min: 1, P10: 1, P25: 1, P50: 4, P75: 4, P90: 4, P99: 4, Max: 4, Mean: 3.25}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			counts := tally[int]{}
			for _, v := range test.values {
				counts[v]++
			}
			require.Equal(t, test.want, counts.distribution())
		})
	}
}

func TestDistributionIsNearestRank(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		values, counts := make([]uint64, 1+rng.IntN(400)), tally[uint64]{}
		for i := range values {
			values[i] = rng.Uint64() >> rng.IntN(64)
			counts[values[i]]++
		}
		slices.Sort(values)
		quantile := func(p float64) uint64 {
			return values[max(int(math.Ceil(p*float64(len(values))/100)), 1)-1]
		}
		got := counts.distribution()
		require.Equal(t, []uint64{values[0], quantile(10), quantile(25), quantile(50), quantile(75), quantile(90), quantile(99), values[len(values)-1]},
			[]uint64{got.Min, got.P10, got.P25, got.P50, got.P75, got.P90, got.P99, got.Max})
		require.Equal(t, len(values), got.Count)
	}
}

func TestGaps(t *testing.T) {
	require.Empty(t, tally[float64]{}.gaps())
	require.Empty(t, tally[float64]{5: 1}.gaps())
	// 1 1 1 4 4 9
	require.Equal(t, tally[float64]{0: 3, 3: 1, 5: 1}, tally[float64]{1: 3, 4: 2, 9: 1}.gaps())
}
