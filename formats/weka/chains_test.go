package weka

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tracekit/internal/strictjson"
)

// randomCalls draws calls in request order whose prompts share prefixes.
func randomCalls(t *rapid.T) []*call {
	var lists [][]uint64
	calls := make([]*call, rapid.IntRange(1, 30).Draw(t, "calls"))
	for i := range calls {
		var list []uint64
		if len(lists) > 0 && rapid.IntRange(0, 4).Draw(t, "related") > 0 {
			list = rapid.SampledFrom(lists).Draw(t, "list")
			list = list[:rapid.IntRange(0, len(list)).Draw(t, "kept")]
		}
		list = slices.Concat(list, rapid.SliceOfN(rapid.SampledFrom([]uint64{1, 2, 11, 12, 111}), 0, 3).Draw(t, "more"))
		lists = append(lists, list)
		texts := make([]string, len(list))
		for k, id := range list {
			texts[k] = strconv.FormatUint(id, 10)
		}
		start := float64(i)
		calls[i] = &call{
			request: &request{model: rapid.SampledFrom([]string{"a", "b"}).Draw(t, "model"), hashes: strictjson.Integers{Text: []byte(strings.Join(texts, ",")), Len: len(list)}},
			id:      fmt.Sprint("outer:", i), start: start, end: start + rapid.Float64Range(0, 4).Draw(t, "api time"), position: i,
		}
	}
	return calls
}

// What chainUp keeps of each chain while it goes on, instead of comparing
// lists, is what comparing them gives.
func TestChainsShareWhatListsShare(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		calls := randomCalls(t)
		for n := 1; n <= len(calls); n++ {
			var last *call
			for _, c := range calls[:n] {
				if c.hashes.Len > 0 {
					last = c
				}
			}
			for _, c := range chainUp(calls[:n]) {
				if c.tail == nil {
					continue
				}
				want := 0
				tail, other := slices.Collect(c.tail.hashes.All), slices.Collect(last.hashes.All)
				for want < min(len(tail), len(other)) && tail[want] == other[want] {
					want++
				}
				require.Equal(t, want, c.shared, "chain %d after %d calls", c.index, n)
			}
		}
	})
}

// The last call before another, found by bisection, is the one that a look at
// every call finds.
func TestLastBefore(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		calls := randomCalls(t)
		for _, c := range calls { // many equal ends, and starts on either side of the tolerance
			c.start = float64(rapid.IntRange(0, 4).Draw(t, "start")) + rapid.SampledFrom([]float64{0, 5e-7, 1e-6, 2e-6}).Draw(t, "offset")
			c.end = c.start + float64(rapid.IntRange(0, 3).Draw(t, "api time"))
		}
		later := func(a, b *call) bool {
			if a.end != b.end {
				return a.end > b.end
			}
			if a.start != b.start {
				return a.start > b.start
			}
			return a.id > b.id
		}
		var byEnd []*call
		for _, c := range calls {
			at := 0
			for at < len(byEnd) && later(c, byEnd[at]) {
				at++
			}
			byEnd = slices.Insert(byEnd, at, c)
		}
		for _, r := range calls {
			var want *call
			for _, c := range calls {
				if c.start < r.start && c.end <= r.start+epsilon && (want == nil || later(c, want)) {
					want = c
				}
			}
			require.Same(t, want, lastBefore(byEnd, r))
		}
	})
}
