package inspect

import (
	"cmp"
	"maps"
	"slices"
)

// Distribution describes a multiset of values in their own unit. Quantiles are
// nearest rank over the exact values: P90 is the least value that at least
// 90 % of the values do not exceed. All is zero when Count is.
type Distribution[T number] struct {
	Count int     `json:"count"`
	Min   T       `json:"min"`
	P10   T       `json:"p10"`
	P25   T       `json:"p25"`
	P50   T       `json:"p50"`
	P75   T       `json:"p75"`
	P90   T       `json:"p90"`
	P99   T       `json:"p99"`
	Max   T       `json:"max"`
	Mean  float64 `json:"mean"`
}

type number interface{ int | uint64 | float64 }

// tally counts equal values. The figures of a trace repeat so much, recorded
// times included, that this is smaller than a list of them.
type tally[T number] map[T]int

// distribution depends on the values alone, not on the order in which they
// came.
func (t tally[T]) distribution() (d Distribution[T]) {
	values := slices.Sorted(maps.Keys(t))
	upTo := make([]int, len(values)) // how many are at most values[i]
	var sum float64
	for i, v := range values {
		d.Count += t[v]
		upTo[i] = d.Count
		sum += float64(v) * float64(t[v])
	}
	if d.Count == 0 {
		return d
	}
	d.Mean = sum / float64(d.Count)
	quantile := func(percent int) T {
		rank := max((d.Count*percent+99)/100, 1)
		i, _ := slices.BinarySearchFunc(upTo, rank, cmp.Compare[int])
		return values[i]
	}
	d.Min, d.P10, d.P25, d.P50 = quantile(0), quantile(10), quantile(25), quantile(50)
	d.P75, d.P90, d.P99, d.Max = quantile(75), quantile(90), quantile(99), quantile(100)
	return d
}

// gaps returns the differences between neighbours when the values are sorted.
func (t tally[T]) gaps() tally[T] {
	gaps := tally[T]{}
	values := slices.Sorted(maps.Keys(t))
	for i, v := range values {
		if i > 0 {
			gaps[v-values[i-1]]++
		}
		if again := t[v] - 1; again > 0 {
			gaps[0] += again
		}
	}
	return gaps
}
