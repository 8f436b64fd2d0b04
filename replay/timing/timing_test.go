package timing_test

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/replay/timing"
)

// The examples of engine-vllm.md 2.1.
func TestQuantise(t *testing.T) {
	for ms, want := range map[float64]float64{
		1.00000049: 1, 0.33333333333: 0.333333, 0.0000014999: 0.000001, 0.0000004: 0, 20: 20, 12.5: 12.5,
	} {
		require.InDelta(t, want, timing.Quantise(ms), 1e-15, "%v ms", ms)
	}
}

// The rounding is that of the exact value, and doing it again changes nothing.
func TestQuantiseExactly(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200_000 {
		ms := math.Exp(random.Float64()*30 - 14)
		if random.IntN(4) == 0 { // close to a tie
			ms = (math.Floor(ms*1e6) + 0.5) / 1e6
		}
		nanos := new(big.Rat).SetFloat64(ms / 1000)
		nanos.Mul(nanos, big.NewRat(1_000_000_000, 1))
		twice := new(big.Rat).Mul(nanos, big.NewRat(2, 1))
		whole := new(big.Int).Quo(nanos.Num(), nanos.Denom())
		switch rest := new(big.Rat).Sub(twice, new(big.Rat).SetInt(new(big.Int).Mul(whole, big.NewInt(2)))); rest.Cmp(big.NewRat(1, 1)) {
		case 1:
			whole.Add(whole, big.NewInt(1))
		case 0:
			whole.Add(whole, big.NewInt(int64(whole.Bit(0))))
		}
		n := whole.Int64()
		want := (float64(n/1e9) + float64(n%1e9)/1e9) * 1000
		got := timing.Quantise(ms)
		require.Equal(t, want, got, "%v ms", ms)
		require.Equal(t, got, timing.Quantise(got))
	}
}

// The reference values of engine-vllm.md 13.
func TestPolynomial(t *testing.T) {
	m := timing.Polynomial{PoolTokens: 1000}
	for tokens, want := range map[int]float64{1: 16.516604, 16: 16.744463, 100: 18.023974, 256: 20.415971} {
		require.InDelta(t, want, m.Prefill(timing.Prefill{Requests: 1, SumLen: tokens}), 1e-12)
	}
	require.InDelta(t, 26.31, m.Decode(timing.Decode{Requests: 1, SumContext: 500}), 1e-12)
	require.InDelta(t, 34.01, m.Decode(timing.Decode{Requests: 3, SumContext: 5000}), 1e-12)
	require.Zero(t, m.Prefill(timing.Prefill{}))
	require.Zero(t, m.Decode(timing.Decode{}))
	// Means are floored before they are subtracted.
	require.Equal(t, m.Prefill(timing.Prefill{Requests: 2, SumLen: 20}), m.Prefill(timing.Prefill{Requests: 2, SumLen: 21}))
}

func TestFixed(t *testing.T) {
	f := timing.NewFixed(20, 5)
	require.Equal(t, 20.0, f.Prefill(timing.Prefill{Requests: 3, SumLen: 300}))
	require.Zero(t, f.Prefill(timing.Prefill{Requests: 1, SumLen: 10, SumPrefix: 10}))
	require.Equal(t, 5.0, f.Decode(timing.Decode{Requests: 7, SumContext: 1}))
}
