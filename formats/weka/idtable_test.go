package weka

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// The table behaves as a map does, through growth and many rounds.
func TestIDTableAgainstMap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var table idTable
		if rapid.Bool().Draw(t, "late") {
			table.round = math.MaxUint32 - 2 // the counter of rounds wraps around
		}
		for range rapid.IntRange(1, 6).Draw(t, "rounds") {
			table.reset(rapid.IntRange(0, 600).Draw(t, "expected"))
			twin := map[uint64]uint64{}
			id := rapid.OneOf(rapid.Uint64Range(0, 50), rapid.Uint64(), rapid.Custom(func(t *rapid.T) uint64 {
				return rapid.Uint64Range(0, 50).Draw(t, "high") << 58 // the same home for many
			}))
			for _, first := range rapid.SliceOfN(id, 0, 20).Draw(t, "ids") {
				for k := range rapid.SampledFrom([]uint64{1, 1, 1, 300}).Draw(t, "run") { // runs of ids make it grow
					id := first + k
					want, known := twin[id]
					got, found := table.get(id)
					require.Equal(t, known, found, "id %d", id)
					require.Equal(t, want, got, "id %d", id)
					if !known {
						twin[id] = first ^ k<<32
						table.put(id, twin[id])
					}
				}
			}
			for id, want := range twin {
				got, found := table.get(id)
				require.True(t, found, "id %d", id)
				require.Equal(t, want, got, "id %d", id)
			}
			require.Equal(t, len(twin), table.count)
		}
	})
}

// When the counter of rounds has wrapped around, the ids of its first rounds
// stay forgotten.
func TestIDTableForgets(t *testing.T) {
	var table idTable
	for round := range uint64(3) {
		table.reset(10)
		table.put(7+round, 1)
	}
	table.round = math.MaxUint32
	for range 3 {
		table.reset(10)
		for id := range uint64(20) {
			_, known := table.get(id)
			require.False(t, known, "id %d", id)
		}
	}
}

// After warm-up, plays cost no memory.
func TestIDTableIsReused(t *testing.T) {
	var table idTable
	fill := func() {
		table.reset(100)
		for id := range uint64(5000) {
			table.put(id, id)
		}
	}
	fill()
	fill()
	table.reset(10_000)
	require.Zero(t, testing.AllocsPerRun(20, func() {
		table.reset(5000)
		for id := range uint64(5000) {
			table.put(id, id)
		}
	}))
}
