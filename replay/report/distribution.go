package report

import (
	"math"
	"slices"
)

// Distribution describes a set of samples. All is zero if there are none.
type Distribution struct {
	Samples                    int
	Mean, Min, Max, Std        float64 // Std is that of a population
	Median, P75, P90, P95, P99 float64
}

// describe adds the percentiles, from 0 to 100, to what the moments tell.
func (m *moments) describe(percentile func(p float64) float64) Distribution {
	return Distribution{
		Samples: m.count,
		Mean:    m.mean(), Min: m.min, Max: m.max, Std: m.std(),
		Median: percentile(50), P75: percentile(75), P90: percentile(90), P95: percentile(95), P99: percentile(99),
	}
}

// rank returns which of the sorted samples, from 0, stands for a percentile.
// There is no interpolation, and halves go up.
func rank(p float64, samples int) int {
	return int(math.Round(p / 100 * float64(samples-1)))
}

// exactly describes samples that are all known, and sorts them.
func exactly(samples []float64) Distribution {
	if len(samples) == 0 {
		return Distribution{}
	}
	slices.Sort(samples)
	var m moments
	for _, x := range samples {
		m.add(x, 1)
	}
	return m.describe(func(p float64) float64 { return samples[rank(p, len(samples))] })
}
