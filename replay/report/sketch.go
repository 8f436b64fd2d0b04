package report

import "math"

// The sketch is a histogram with buckets that grow by gamma, so that a bucket
// stands for its samples within the relative accuracy.
const (
	accuracy = 0.001
	gamma    = 1 + 2*accuracy/(1-accuracy)
	// mostBuckets bounds what is kept apart: samples in buckets further below
	// the highest count for the lowest one kept.
	mostBuckets = 32768
	// leastPositive: smaller samples count as zero.
	leastPositive = 0x1p-1022 * gamma
)

// perBucket is the logarithm of a bucket's growth, bucketsPerE its inverse.
var (
	perBucket   = math.Log1p(2 * accuracy / (1 - accuracy))
	bucketsPerE = 1 / perBucket
)

// bucketOf returns the key of the bucket of a sample that is not zero.
func bucketOf(x float64) int { return int(math.Ceil(math.Log(x) * bucketsPerE)) }

// inside returns bounds between which bucketOf is sure to return the key: a
// hair narrower than the bucket, as logarithms are rounded.
func inside(key int) (above, below float64) {
	const hair = 1e-12
	border := math.Exp(float64(key-1) * perBucket)
	return border * (1 + hair), border * gamma * (1 - hair)
}

// representative returns the value that stands for all of a bucket.
func representative(key int) float64 {
	return math.Exp(float64(key)*(1/bucketsPerE)) * 2 / (1 + gamma)
}

// sketch describes samples that are too many to keep: exact but for its
// percentiles.
type sketch struct {
	moments
	zeros   int
	buckets []int // counts; the first has the key low
	low     int

	// Successive samples resemble each other: those between these bounds go
	// where the last one went, which spares them the logarithm.
	last         int
	above, below float64
}

// add counts a sample count times. Samples that are not finite are ignored.
func (s *sketch) add(x float64, count int) {
	if math.IsInf(x, 0) || math.IsNaN(x) {
		return
	}
	s.moments.add(x, count)
	if x < leastPositive {
		s.zeros += count
		return
	}
	if x <= s.above || x >= s.below {
		s.last = bucketOf(x)
		s.above, s.below = inside(s.last)
	}
	*s.bucket(s.last) += count
}

// bucket returns the count of a bucket, making room for it.
func (s *sketch) bucket(key int) *int {
	const margin = 64
	switch n := len(s.buckets); {
	case n == 0:
		s.low = key - margin
		s.buckets = make([]int, 2*margin)
	case key < s.low:
		low := key - margin - n/2
		s.buckets = append(make([]int, s.low-low, s.low-low+n), s.buckets...)
		s.low = low
	case key >= s.low+n:
		s.buckets = append(s.buckets, make([]int, key-s.low-n+margin+n/2)...)
	}
	return &s.buckets[key-s.low]
}

// percentile returns a value near the sample of that percentile.
func (s *sketch) percentile(p float64) float64 {
	if s.count <= 1 {
		return s.max // the sample itself, or 0
	}
	left := rank(p, s.count) - s.zeros
	if left < 0 {
		return 0
	}
	highest := len(s.buckets) - 1
	for s.buckets[highest] == 0 {
		highest--
	}
	i := 0
	for left -= s.buckets[0]; left >= 0; left -= s.buckets[i] {
		i++
	}
	return representative(s.low + max(i, highest-mostBuckets+1))
}

// distribution returns all figures.
func (s *sketch) distribution() Distribution {
	return s.describe(s.percentile)
}
