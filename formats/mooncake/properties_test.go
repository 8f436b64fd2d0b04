package mooncake_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tracekit/formats/mooncake"
)

// drawnRow is one request of a random session, with times that are exact.
type drawnRow struct {
	timestamp int
	text      string // fields but for hash ids and times
	ids       []string
}

func drawRow(t *rapid.T) drawnRow {
	r := drawnRow{timestamp: rapid.IntRange(0, 1000).Draw(t, "gap")}
	for range rapid.IntRange(1, 5).Draw(t, "blocks") {
		r.ids = append(r.ids, fmt.Sprint(rapid.Uint64().Draw(t, "id")))
	}
	r.text = fmt.Sprintf(`"input_length":%d,"output_length":2`, 64*len(r.ids)-rapid.IntRange(0, 63).Draw(t, "short"))
	r.text += rapid.SampledFrom([]string{"", `,"priority":-3`, `,"policy_class":""`, `,"output_token_ids":[3,4]`, `,"strict_priority":7`}).Draw(t, "more")
	return r
}

// drawSessions draws sessions of rows whose timestamps grow.
func drawSessions(t *rapid.T) (sessions [][]drawnRow) {
	for range rapid.IntRange(1, 5).Draw(t, "sessions") {
		rows := rapid.SliceOfN(rapid.Custom(drawRow), 1, 4).Draw(t, "rows")
		for i := 1; i < len(rows); i++ {
			rows[i].timestamp += rows[i-1].timestamp
		}
		sessions = append(sessions, rows)
	}
	return sessions
}

// write puts sessions into a file: turns in the order of pick, which chooses
// among the sessions begun and the next one, all times later by shift, with so
// many hash ids too many.
func write(sessions [][]drawnRow, shift float64, spare int, comma string, pick func(n int) int) string {
	next := make([]int, len(sessions))
	begun := 0
	var b strings.Builder
	for left := len(sessions); left > 0; {
		var open []int
		for s := range min(begun+1, len(sessions)) {
			if next[s] < len(sessions[s]) {
				open = append(open, s)
			}
		}
		s := open[pick(len(open))]
		begun = max(begun, s+1)
		row := sessions[s][next[s]]
		ids := append(append([]string(nil), row.ids...), make([]string, spare)...)
		for i := range spare {
			ids[len(row.ids)+i] = fmt.Sprint(i)
		}
		fmt.Fprintf(&b, `{"session_id":"s%d",%s,"timestamp":%v,"hash_ids":[%s]}`+"\n", s, row.text, float64(row.timestamp)+shift, strings.Join(ids, comma))
		if next[s]++; next[s] == len(sessions[s]) {
			left--
		}
	}
	return b.String()
}

func first(int) int { return 0 }

// The identity stays when all timestamps shift, when there are spare ids, when
// rows of sessions interleave otherwise, and however arrays are printed.
func TestWhatDoesNotMatter(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		sessions := drawSessions(r)
		shift := float64(rapid.IntRange(-4000, 4000).Draw(r, "shift")) / 4
		spare := rapid.IntRange(0, 3).Draw(r, "spare")
		pick := func(n int) int { return rapid.IntRange(0, n-1).Draw(r, "pick") }
		opts := mooncake.Options{BlockSize: 64, Semantics: rapid.SampledFrom(modes).Draw(r, "semantics")}
		want := digest(t, write(sessions, 0, 0, ",", first), opts)
		require.Equal(t, want, digest(t, write(sessions, shift, 0, ",", first), opts))
		require.Equal(t, want, digest(t, write(sessions, 0, spare, ", ", first), opts))
		require.Equal(t, want, digest(t, write(sessions, 0, 0, " ,\t", pick), opts))
	})
}

// What the graph is made of does matter.
func TestWhatMatters(t *testing.T) {
	want := digest(t, worked, blocks64)
	for _, change := range [][2]string{
		{"100", "101"}, {`"a"`, `"b"`}, {"130", "131"}, {`length":5`, `length":6`}, {"[1,2,3]", "[1,2,4]"}, {"[9,", "[8,"}, {"160", "161"},
	} {
		require.NotEqual(t, want, digest(t, strings.ReplaceAll(worked, change[0], change[1]), blocks64), change)
	}
	require.NotEqual(t, want, digest(t, strings.ReplaceAll(worked, "200", "130"), mooncake.Options{BlockSize: 65}))
}

// A random file gives the same graph as its conversion.
func TestSameAsV2(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		text := write(drawSessions(r), 0.125, 1, ",", func(n int) int { return rapid.IntRange(0, n-1).Draw(r, "pick") })
		for _, mode := range modes {
			requireSameAsV2(t, open(t, text, mooncake.Options{BlockSize: 64, Semantics: mode}), mode == modes[1])
		}
	})
}
