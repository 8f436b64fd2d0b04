package report

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestBuckets(t *testing.T) {
	require.InEpsilon(t, 1.002002002002002, gamma, 1e-15)
	require.InEpsilon(t, 0.0020000006666670666, perBucket, 1e-15)
	require.InEpsilon(t, 499.9998333332889, bucketsPerE, 1e-15)
	for _, spot := range []struct {
		value float64
		key   int
		stand float64
	}{
		{4, 694, 4.0028234008342665},
		{5, 805, 4.997811098765266},
		{12.5, 1263, 12.490899531333268},
		{16.5, 1402, 16.494061950301727},
		{80, 2192, 80.07798409094679},
		{200, 2650, 200.13682673977726},
		{250, 2761, 249.8851320153793},
	} {
		require.Equal(t, spot.key, bucketOf(spot.value), spot.value)
		require.InEpsilon(t, spot.stand, representative(spot.key), 1e-12, spot.value)
	}
}

func TestSketchOfFew(t *testing.T) {
	var none, zero, one, pair sketch
	require.Equal(t, Distribution{}, none.distribution())

	zero.add(0, 3)
	require.Equal(t, Distribution{Samples: 3}, zero.distribution())

	// One sample stands for itself, two of a kind for their bucket.
	one.add(5, 1)
	require.Equal(t, Distribution{Samples: 1, Mean: 5, Min: 5, Max: 5, Median: 5, P75: 5, P90: 5, P95: 5, P99: 5}, one.distribution())
	pair.add(5, 2)
	require.InEpsilon(t, 4.997811098765266, pair.distribution().Median, 1e-12)
	require.Equal(t, 5.0, pair.distribution().Max)
}

func TestSketchZeros(t *testing.T) {
	var s sketch
	s.add(0, 2)
	s.add(5e-324, 1)
	s.add(0x1p-1022, 1) // below the least bucket, but it has a mean
	s.add(8, 1)
	require.Zero(t, s.percentile(75))
	require.InEpsilon(t, 8, s.percentile(99), 1e-3)
	require.InEpsilon(t, 8.0/5, s.mean(), 1e-15)
}

func TestSketchIgnoresWhatIsNotFinite(t *testing.T) {
	var s sketch
	s.add(math.Inf(1), 1)
	s.add(math.NaN(), 1)
	require.Equal(t, Distribution{}, s.distribution())
}

// Only so many buckets below the highest are kept apart.
func TestSketchMergesTheLowest(t *testing.T) {
	var s sketch
	s.add(1e-300, 10)
	s.add(1e300, 1)
	lowest := representative(bucketOf(1e300) - mostBuckets + 1)
	require.Equal(t, lowest, s.percentile(50))
	require.InEpsilon(t, 1e300, s.percentile(99), 1e-3)
}

// A percentile is within the accuracy of the sample of its rank.
func TestSketchAccuracy(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		samples := rapid.SliceOfN(rapid.Float64Range(1e-6, 1e9), 2, 200).Draw(t, "samples")
		var s sketch
		for _, x := range samples {
			s.add(x, 1)
		}
		slices.Sort(samples)
		for _, p := range []float64{50, 75, 90, 95, 99} {
			want := samples[rank(p, len(samples))]
			if got := s.percentile(p); math.Abs(got-want) > 1.0001*accuracy*want {
				t.Fatalf("p%v of %v is %v, not %v", p, samples, got, want)
			}
		}
	})
}

// A sample counts in the bucket that its logarithm names, wherever the one
// before it went: around every border, to the last bit.
func TestSketchBucketsSuccessiveSamples(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		key := rapid.IntRange(bucketOf(leastPositive)+2, bucketOf(math.MaxFloat64)-2).Draw(t, "key")
		border := math.Exp(float64(key) * perBucket)
		var s sketch
		counts := make(map[int]int)
		for _, steps := range rapid.SliceOfN(rapid.IntRange(-20_000, 20_000), 1, 50).Draw(t, "steps") {
			x := border * (1 + float64(steps)*0x1p-52)
			if steps%2 == 0 {
				x = border * (1 + float64(steps)*1e-7)
			}
			if s.add(x, 1); !math.IsInf(x, 1) {
				counts[bucketOf(x)]++
			}
		}
		for key, count := range counts {
			if got := *s.bucket(key); got != count {
				t.Fatalf("bucket %d counts %d samples, not %d", key, got, count)
			}
		}
	})
}

// What is told together or apart, in this order or that, is the same to the
// last bit.
func TestGapsAreASet(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type run struct {
			gapMs float64
			count int
		}
		runs := rapid.SliceOf(rapid.Custom(func(t *rapid.T) run {
			gapMs := rapid.OneOf(rapid.SampledFrom([]float64{0, 4, 5, 16.5}), rapid.Float64Range(0, 1e6)).Draw(t, "gap")
			return run{gapMs, rapid.IntRange(0, 20).Draw(t, "count")}
		})).Draw(t, "runs")

		var together, apart gaps
		var single []float64
		for _, r := range runs {
			together.add(r.gapMs, r.count)
			for range r.count {
				single = append(single, r.gapMs)
			}
		}
		random := rand.New(rand.NewPCG(1, uint64(len(single))))
		random.Shuffle(len(single), func(i, j int) { single[i], single[j] = single[j], single[i] })
		for _, gapMs := range single {
			apart.add(gapMs, 1)
		}
		together.flush()
		apart.flush()
		if together.itl.distribution() != apart.itl.distribution() || together.rates.distribution() != apart.rates.distribution() {
			t.Fatalf("%v differ", runs)
		}
	})
}
