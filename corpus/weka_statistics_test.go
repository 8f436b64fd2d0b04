package corpus

import (
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
)

// sample gathers what statistics need, from the model alone.
type sample struct {
	in, out, gap, fresh, turns, both []int // gap in milliseconds

	outer, nested, plays             int
	unrecorded, silent, overlapped   int
	restarted                        int // calls that keep less than half of the previous list
	withSubagents, markers, together int
	background                       int
	models                           map[int]int
}

func take(profile WekaProfile, seed uint64, plays int) *sample {
	s := &sample{plays: plays, models: map[int]int{}}
	var spare []wekaEntry
	for ordinal := range plays {
		play := buildWekaPlay(profile.knobs(), seed, ordinal, spare)
		spare = play.entries
		s.add(play)
	}
	s.outer = len(s.in)
	return s
}

func (s *sample) add(play *wekaPlay) {
	var previous *wekaCall
	turns, subagents, batch := 0, 0, 0
	for i := range play.entries {
		e := &play.entries[i]
		if e.subagent != nil {
			subagents++
			batch++
			s.together = max(s.together, batch)
			s.nested += len(e.subagent.calls)
			for _, c := range e.subagent.calls {
				s.both = append(s.both, c.in+c.out)
			}
			if e.subagent.background {
				s.background++
			}
			continue
		}
		batch = 0
		c := &e.call
		turns++
		s.in = append(s.in, c.in)
		s.out = append(s.out, c.out)
		s.both = append(s.both, c.in+c.out)
		if c.service == missing {
			s.unrecorded++
		}
		if c.out == 0 {
			s.silent++
		}
		if previous != nil {
			s.gap = append(s.gap, c.start-previous.start)
			s.fresh = append(s.fresh, c.add)
			if c.start < previous.start+max(previous.service, 0) {
				s.overlapped++
			}
			if c.keep*2 < previous.blocks() {
				s.restarted++
			}
		}
		previous = c
	}
	s.turns = append(s.turns, turns)
	s.models[len(play.models)]++
	s.markers += subagents
	if subagents > 0 {
		s.withSubagents++
	}
}

// quantile returns the nearest-rank quantile.
func quantile(values []int, percent int) int {
	slices.Sort(values)
	return values[max((len(values)*percent+99)/100, 1)-1]
}

func share(part, of int) float64 { return float64(part) / float64(of) }

// Quantiles of the kv-cache-tester corpus (48,658 outer requests in 710 plays).
func TestStatisticsOfRaw(t *testing.T) {
	for seed := range uint64(3) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			s := take(ProfileRaw, seed, 8000)
			for _, c := range []struct {
				what     string
				values   []int
				p50, p90 int
			}{
				{"in", s.in, 104_644, 235_882},
				{"out", s.out, 216, 899},
				{"gap", s.gap, 18_000, 130_000},
				{"new blocks", s.fresh, 11, 63},
				{"turns", s.turns, 45, 155},
			} {
				assert.InEpsilon(t, c.p50, quantile(c.values, 50), 0.15, "p50 of %s", c.what)
				assert.InEpsilon(t, c.p90, quantile(c.values, 90), 0.15, "p90 of %s", c.what)
			}
			assert.InEpsilon(t, 68.5, share(s.outer, s.plays), 0.1, "requests per play")
			assert.InEpsilon(t, 0.0886, share(s.unrecorded, s.outer), 0.1, "without api_time")
			assert.InEpsilon(t, 0.0006, share(s.silent, s.outer), 0.3, "without output")
			assert.InEpsilon(t, 0.0011, share(s.overlapped, s.outer), 0.4, "overlapping")
			assert.InEpsilon(t, 0.0176, share(s.restarted, s.outer), 0.2, "keeping less than half")
			assert.InEpsilon(t, 0.0239, share(s.withSubagents, s.plays), 0.3, "plays with subagents")
			assert.InEpsilon(t, 10.7, share(s.nested, s.markers), 0.15, "requests per subagent")
			assert.InEpsilon(t, 0.0437, share(s.models[2]+s.models[3], s.plays), 0.3, "plays of several models")
		})
	}
}

// Facts of the published set of 472 plays, 113,254 requests and 1,053 subagents.
func TestStatisticsOfAgentX(t *testing.T) {
	for seed := range uint64(2) {
		s := take(ProfileAgentX, seed, 2000)
		assert.InEpsilon(t, 182, share(s.outer, s.plays), 0.15, "requests per play")
		assert.InEpsilon(t, 0.29, share(s.withSubagents, s.plays), 0.1, "plays with subagents")
		assert.InEpsilon(t, 7.7, share(s.markers, s.withSubagents), 0.25, "subagents per play that has any")
		assert.InEpsilon(t, 26.1, share(s.nested, s.markers), 0.1, "requests per subagent")
		assert.Equal(t, 5, s.together, "subagents at once")
		for _, limit := range []struct {
			tokens int
			share  float64
		}{{64 << 10, 0.120}, {128 << 10, 0.391}, {256 << 10, 0.695}, {512 << 10, 0.900}, {1 << 20, 0.996}} {
			slices.Sort(s.both)
			below, _ := slices.BinarySearch(s.both, limit.tokens)
			assert.InDelta(t, limit.share, share(below, len(s.both)), 0.08, "requests within %d tokens", limit.tokens)
		}
		for n := 1; n <= 4; n++ {
			assert.Positive(t, s.models[n], "plays of %d models", n)
		}
		assert.Len(t, s.models, 4)
		assert.Zero(t, s.unrecorded)
	}
}

// The size performance figures are stated for.
func TestSizeOfPlain(t *testing.T) {
	for seed := range uint64(3) {
		const n = 1000
		var stats WekaStats
		w := wekaWorker{opts: WekaOptions{Seed: seed, Profile: ProfilePlain}, knobs: ProfilePlain.knobs()}
		for ordinal := range n {
			stats.add(w.make(ordinal))
		}
		assert.InEpsilon(t, 42_800, stats.Requests, 0.03)
		assert.InEpsilon(t, 137e6, stats.Bytes, 0.05)

		s := take(ProfilePlain, seed, n)
		assert.Equal(t, stats.Requests, s.outer+s.nested)
		assert.InEpsilon(t, 0.06, share(s.markers, s.outer), 0.1)
		assert.Equal(t, map[int]int{1: n}, s.models)
		blocks := 0
		for _, tokens := range s.both {
			blocks += tokens / wekaBlock
		}
		assert.InEpsilon(t, 640, share(blocks, len(s.both)), 0.06, "ids per request")
	}
}
