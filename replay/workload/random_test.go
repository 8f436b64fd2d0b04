package workload

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The check values of loadgen.md 2.
func TestRandomAgainstCheckValues(t *testing.T) {
	r := newRandom(42)
	require.Equal(t, [8]uint32{0x7ba18fa4, 0x0a3d3258, 0xcca1b8ea, 0xb8140169, 0x75c88c2b, 0x54f7b418, 0xa16e448d, 0xf220dfe4}, r.key)
	for _, want := range []uint32{572990626, 2261546851, 1068323197, 2330987027} {
		require.Equal(t, want, r.uint32())
	}
	require.Equal(t, 0.5265574090027738, newRandom(42).real())

	r = newRandom(0)
	require.Equal(t, [8]uint32{0xf973f2ec, 0x45cdb581, 0x7346f087, 0xad6cad06, 0xe3a3d0d0, 0x67e71733, 0x72ea9bf2, 0xfe7d8ad7}, r.key)
	require.Equal(t, uint64(13486662071293341567), r.uint64())

	for n, want := range map[uint32][]uint32{
		2: {0, 1, 0, 1, 1, 1, 1, 0},
		3: {0, 1, 0, 1, 2, 1, 2, 1, 2, 0, 1, 1},
		5: {0, 2, 1, 2, 4, 3, 4, 2, 4, 0, 3, 2},
	} {
		r := newRandom(42)
		for _, w := range want {
			require.Equal(t, w, r.below(n))
		}
	}
}

// The examples of loadgen.md 3.
func TestArrivals(t *testing.T) {
	constant := ConstantRate(3)
	var got []float64
	for range 10 {
		got = append(got, constant.Next())
	}
	require.Equal(t, []float64{2333.333333333333, 2666.6666666666665, 3000}, got[7:])

	p := Poisson(8, 42)
	for _, want := range []float64{0, 93.46557720508706, 191.27442439892354, 317.75942105620504, 382.8482439450879, 387.21654291598713} {
		require.InDelta(t, want, p.Next(), 1e-9)
	}
}
