package config

import "math"

// loadUnit is what counts per load unit are multiplied by: the concurrency, or
// the rate in 1/s.
func loadUnit(l *LoadShape) float64 {
	if l.Type == LoadConcurrency {
		return float64(l.Concurrency)
	}
	return l.PerSecond
}

// derivedCount is a count per load unit multiplied out: to the nearest
// integer, half to even, and at least 1. It is false beyond 64 bits.
func derivedCount(perUnit, unit float64) (int, bool) {
	count := max(math.RoundToEven(perUnit*unit), 1)
	if !(count < math.MaxInt64) {
		return 0, false
	}
	return int(count), true
}
