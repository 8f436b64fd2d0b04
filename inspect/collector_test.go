package inspect

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/graph"
)

// example is two plays with everything in them that a report counts:
//
//	p1, session s:  a ──sequence──► b ──sequence──► c ◄─┐
//	    session t:  └─spawn──► x ─────────join──────────┘
//	p2, session s:  z, of the same blocks as c
func example(t testing.TB) []*graph.Play {
	a := node("a", 1000, 1, 2)
	b := node("b", 3500, 1, 2, 3)
	c := node("c", 9000, 1, 2, 3, 4)
	x := node("x", 1500, 1, 7)
	x.SessionID, x.Model, x.MaxOutputTokens = "t", "small", 0
	c.MaxOutputTokens = 30
	b.Dependencies = []graph.Dependency{{Predecessor: "a", Trigger: graph.Completion, Relation: graph.Sequence}}
	c.Dependencies = []graph.Dependency{
		{Predecessor: "b", Trigger: graph.Completion, Relation: graph.Sequence},
		{Predecessor: "x", Trigger: graph.Completion, Relation: graph.Join},
	}
	x.Dependencies = []graph.Dependency{{Predecessor: "a", Trigger: graph.Dispatch, Relation: graph.Spawn}}
	z := node("z", 2500, 1, 2, 3, 4)
	return []*graph.Play{play(t, a, b, c, x), play(t, z)}
}

func exampleReport(t testing.TB) Report {
	c := New(Options{BlockSize: 10, ContextWindows: []uint64{20, 40, 70}, CacheSizes: []int{1, 2, 4, 8}})
	for _, p := range example(t) {
		c.Add(p)
	}
	return c.Report()
}

func TestReport(t *testing.T) {
	r := exampleReport(t)

	require.Equal(t, uint64(10), r.BlockSize)
	require.Equal(t, 2, r.Plays)
	require.Equal(t, 5, r.Requests)
	require.Equal(t, 2, r.Sessions, "s occurs in both plays")
	require.Equal(t, 2, r.Roots, "a and z")
	require.Equal(t, 1, r.ZeroOutputs, "x")
	require.Equal(t, []ModelCount{{"m", 4}, {"small", 1}}, r.Models)
	require.Equal(t, 4, r.Edges.Total())
	require.Equal(t, 2, r.Edges[graph.Sequence][graph.Completion])
	require.Equal(t, 1, r.Edges[graph.Spawn][graph.Dispatch])
	require.Equal(t, 1, r.Edges[graph.Join][graph.Completion])

	require.Equal(t, Distribution[int]{Count: 2, Min: 1, P10: 1, P25: 1, P50: 1, P75: 4, P90: 4, P99: 4, Max: 4, Mean: 2.5}, r.RequestsPerPlay)
	require.Equal(t, Distribution[int]{Count: 2, Min: 1, P10: 1, P25: 1, P50: 1, P75: 2, P90: 2, P99: 2, Max: 2, Mean: 1.5}, r.SessionsPerPlay)
	require.Equal(t, Distribution[int]{Count: 2, Min: 1, P10: 1, P25: 1, P50: 1, P75: 3, P90: 3, P99: 3, Max: 3, Mean: 2}, r.Depth)
	// a 2, b 1, x 1, c and z 0.
	require.Equal(t, Distribution[int]{Count: 5, P50: 1, P75: 1, P90: 2, P99: 2, Max: 2, P25: 0, Mean: 0.8}, r.FanOut)

	// 20 20 30 40 40 and 0 1 1 1 30.
	require.Equal(t, Distribution[uint64]{Count: 5, Min: 20, P10: 20, P25: 20, P50: 30, P75: 40, P90: 40, P99: 40, Max: 40, Mean: 30}, r.InputTokens)
	require.Equal(t, Distribution[uint64]{Count: 5, Min: 0, P10: 0, P25: 1, P50: 1, P75: 1, P90: 30, P99: 30, Max: 30, Mean: 6.6}, r.OutputTokens)
	// Input and output together: a 21, x 20, b 31, c 70, z 41.
	require.Equal(t, []WindowCount{{20, 4, 0.8}, {40, 2, 0.4}, {70, 0, 0}}, r.ContextWindows)

	require.Equal(t, []float64{1000, 9000, 8000}, []float64{r.FirstMs, r.LastMs, r.SpanMs})
	require.Equal(t, Distribution[float64]{Count: 2, Min: 0, P10: 0, P25: 0, P50: 0, P75: 8000, P90: 8000, P99: 8000, Max: 8000, Mean: 4000}, r.PlaySpanMs)
	// a, x 500 later, b 2000 later, c 5500 later.
	require.Equal(t, Distribution[float64]{Count: 3, Min: 500, P10: 500, P25: 500, P50: 2000, P75: 5500, P90: 5500, P99: 5500, Max: 5500, Mean: 8000. / 3}, r.GapInPlayMs)
	// The other play lies between x and b: 500 1000 1000 5500.
	require.Equal(t, Distribution[float64]{Count: 4, Min: 500, P10: 500, P25: 500, P50: 1000, P75: 1000, P90: 5500, P99: 5500, Max: 5500, Mean: 2000}, *r.GapInTraceMs)

	// a 1 2: new.            stack 1 2
	// x 1 7: 1 at 0.         stack 1 7 2
	// b 1 2 3: 0, 2.         stack 1 2 3 7
	// c 1 2 3 4: 0 1 2.      stack 1 2 3 4 7
	// z 1 2 3 4: 0 1 2 3.
	require.Equal(t, BlockSharing{
		References: 15, Distinct: 5, IdealHitRate: 10. / 15,
		Curve: []CachePoint{{1, 10, 4, 4. / 15}, {2, 20, 6, 6. / 15}, {4, 40, 10, 10. / 15}, {8, 80, 10, 10. / 15}},
	}, r.Blocks)

	require.Nil(t, r.Weka)
}

func TestNothing(t *testing.T) {
	r := New(Options{}).Report()
	require.Zero(t, r.Requests)
	require.Zero(t, r.Blocks.IdealHitRate)
	require.Nil(t, r.GapInTraceMs)
	require.Len(t, r.ContextWindows, len(commonWindows))
	require.Len(t, r.Blocks.Curve, len(commonSizes))
	text, err := json.Marshal(r)
	require.NoError(t, err)
	require.NotContains(t, string(text), "null")
}

// Plays that all begin at the same instant have clocks of their own, and gaps
// between them mean nothing.
func TestGapsBetweenPlaysNeedOneClock(t *testing.T) {
	c := New(Options{})
	c.Add(play(t, node("a", 0, 1), node("b", 5, 1)))
	c.Add(play(t, node("c", math.Copysign(0, -1), 1), node("d", 3, 1)))
	require.Nil(t, c.Report().GapInTraceMs)
	c.Add(play(t, node("e", 4, 1)))
	r := c.Report()
	require.Equal(t, 4, r.GapInTraceMs.Count) // 0 0 3 4 5
	require.Equal(t, 5./4, r.GapInTraceMs.Mean)
	require.False(t, math.Signbit(r.FirstMs))
}

func TestLengthsThatOverflow(t *testing.T) {
	n := node("a", 0, 1)
	n.InputLength, n.MaxOutputTokens = math.MaxUint64, math.MaxUint64
	c := New(Options{ContextWindows: []uint64{math.MaxUint64 - 1}})
	c.Add(play(t, n))
	require.Equal(t, 1, c.Report().ContextWindows[0].Requests)
}

// The order in which a play's nodes are given does not matter, and neither
// does their order when they arrive at the same instant.
func TestOrderOfNodesDoesNotMatter(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	for range 50 {
		nodes := someNodes(rng, 0)
		report := func() Report {
			c := New(Options{CacheSizes: []int{1, 10, 50, 100}})
			c.Add(play(t, slices.Clone(nodes)...))
			return c.Report()
		}
		want := report()
		for range 5 {
			rng.Shuffle(len(nodes), func(i, j int) { nodes[i], nodes[j] = nodes[j], nodes[i] })
			require.Equal(t, want, report())
		}
	}
}

// Letting go of the blocks of each play changes nothing if plays share none.
func TestPlaysShareNothing(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	for range 50 {
		sizes := []int{1, 3, 10, 30, 100, 300, 1000}
		keep := New(Options{CacheSizes: sizes})
		drop := New(Options{CacheSizes: sizes, PlaysShareNothing: true})
		for i := range 1 + rng.IntN(10) {
			nodes := someNodes(rng, uint64(i+1)<<32)
			keep.Add(play(t, slices.Clone(nodes)...))
			drop.Add(play(t, nodes...))
		}
		require.Equal(t, keep.Report(), drop.Report())
		require.Empty(t, drop.blocks.blocks.ids)
	}
}

// The text of a play may be overwritten once it was added.
func TestNothingOfAPlayIsKept(t *testing.T) {
	first, second := node("a", 0, 1, 2, 3), node("b", 1, 1, 2, 3)
	c := New(Options{CacheSizes: []int{10}})
	c.Add(play(t, first))
	copy(first.HashIDs.Head.Text, "7,8,9")
	c.Add(play(t, second))
	require.Equal(t, 3, c.Report().Blocks.Distinct)
	require.Equal(t, 3, c.Report().Blocks.Curve[0].Hits)
}

func TestReportsDoNotDisturb(t *testing.T) {
	plays := example(t)
	c := New(Options{})
	c.Add(plays[0])
	require.Equal(t, c.Report(), c.Report())
	c.Add(plays[1])
	d := New(Options{})
	d.Add(plays[0])
	d.Add(plays[1])
	require.Equal(t, d.Report(), c.Report())
}

func TestNoAllocationOncePlaysAreAlike(t *testing.T) {
	c := New(Options{PlaysShareNothing: true})
	p := play(t, someNodes(rand.New(rand.NewPCG(19, 20)), 0)...)
	c.Add(p)
	require.Zero(t, testing.AllocsPerRun(20, func() { c.Add(p) }))
}

// benchmarkPlays are plays whose prompts grow to 2,000 blocks.
func benchmarkPlays(b *testing.B, streams int) (plays []*graph.Play, references int) {
	for k := range 20 {
		var nodes []graph.Node
		texts := make([]graph.Integers, streams)
		rng := rand.New(rand.NewPCG(21, uint64(k)))
		for i := range 200 {
			text := &texts[i%streams]
			for text.Len < 1000+10*i/streams {
				if text.Len > 0 {
					text.Text = append(text.Text, ',')
				}
				text.Text = fmt.Append(text.Text, rng.Uint64())
				text.Len++
			}
			n := node(fmt.Sprintf("%04d", i), float64(i))
			n.HashIDs.Head = *text
			references += text.Len
			nodes = append(nodes, n)
		}
		plays = append(plays, play(b, nodes...))
	}
	return plays, references
}

func BenchmarkCollector(b *testing.B) {
	for _, streams := range []int{1, 2, 8} {
		for _, nothing := range []bool{true, false} {
			b.Run(fmt.Sprintf("streams=%d/nothing=%t", streams, nothing), func(b *testing.B) {
				plays, references := benchmarkPlays(b, streams)
				for b.Loop() {
					c := New(Options{PlaysShareNothing: nothing})
					for _, p := range plays {
						c.Add(p)
					}
				}
				b.ReportMetric(float64(references)*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mblocks/s")
			})
		}
	}
}
