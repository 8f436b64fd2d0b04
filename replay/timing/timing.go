// Package timing tells how long a pass of a worker takes.
package timing

import "math"

// Prefill is the prompt work of a pass. Lengths are tokens.
type Prefill struct {
	Requests  int
	SumLen    int // known before the pass and computed in it, over the requests
	SumPrefix int // known before the pass
}

// Decode is the token-by-token work of a pass.
type Decode struct {
	Requests   int
	SumContext int // known tokens before the new ones, over the requests
}

// Model is a cost model of one scheduler rank. Its results are milliseconds,
// rounded to whole nanoseconds.
type Model interface {
	// Prefill returns how long the prompt work of a pass takes.
	Prefill(Prefill) float64
	// Decode returns how long its decoding takes.
	Decode(Decode) float64
}

// Quantise rounds a duration in milliseconds to whole nanoseconds, ties to
// even, and converts back (engine-vllm.md 2.1).
func Quantise(ms float64) float64 {
	// The product is rounded to a double first; from 2^53 ns on, about 104
	// days, a double has no fraction anyway.
	seconds := ms / 1000
	nanos := exactNanos(seconds)
	whole := nanos / 1_000_000_000
	rest := nanos % 1_000_000_000
	return (float64(whole) + float64(rest)/1e9) * 1000
}

// exactNanos rounds the exact value of a double in seconds to nanoseconds.
func exactNanos(seconds float64) int64 {
	product := seconds * 1e9
	nearest := math.RoundToEven(product)
	// The product was rounded; its error decides a tie, and nothing else can
	// be decided wrongly by so little.
	if frac := math.Abs(product - math.Trunc(product)); frac == 0.5 {
		switch err := math.FMA(seconds, 1e9, -product); {
		case err > 0:
			nearest = math.Floor(product) + 1
		case err < 0:
			nearest = math.Ceil(product) - 1
		}
	}
	return int64(nearest)
}

// meanNew returns the mean new tokens of a request, from floored means.
func (p Prefill) meanNew() int {
	if p.Requests == 0 {
		return 0
	}
	return max(p.SumLen/p.Requests-p.SumPrefix/p.Requests, 0)
}

// Fixed takes the same time for every pass of a kind.
type Fixed struct{ prefillMs, decodeMs float64 }

// NewFixed makes a model of these durations in milliseconds.
func NewFixed(prefillMs, decodeMs float64) Fixed {
	return Fixed{Quantise(prefillMs), Quantise(decodeMs)}
}

// Prefill returns the fixed duration if there is new prompt work.
func (f Fixed) Prefill(p Prefill) float64 {
	if p.meanNew() == 0 {
		return 0
	}
	return f.prefillMs
}

// Decode returns the fixed duration if there is any decoding.
func (f Fixed) Decode(d Decode) float64 {
	if d.Requests == 0 {
		return 0
	}
	return f.decodeMs
}

// Polynomial is the reference's fitted model (engine-vllm.md 13). PoolTokens
// is the capacity of a rank's KV cache.
type Polynomial struct{ PoolTokens int }

// Prefill grows with the square of the new tokens.
func (m Polynomial) Prefill(p Prefill) float64 {
	fresh := p.meanNew()
	if fresh == 0 {
		return 0
	}
	t := float64(p.Requests * fresh)
	// Parted, so that no step is fused with another.
	square := float64(t * t)
	a := float64(4.209989e-07 * square)
	b := float64(1.518344e-02 * t)
	return Quantise(float64(a+b) + 16.50142)
}

// Decode depends on the share of the cache that the contexts fill.
func (m Polynomial) Decode(d Decode) float64 {
	if d.Requests == 0 {
		return 0
	}
	p := math.Min(float64(d.SumContext)/float64(m.PoolTokens), 1)
	square := float64(p * p)
	a := float64(-25.74 * square)
	b := float64(54.01 * p)
	return Quantise(math.Max(float64(a+b)+5.74, 1))
}
