package replay_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/replay"
	"tracekit/replay/config"
)

// What a later prompt reuses does not depend on how blocks of the trace and
// blocks of the engine lie to each other, but on equal tokens (formats.md 1.3).
func TestReuseAcrossBlockSizes(t *testing.T) {
	for _, c := range []struct {
		trace, engine int
		first         int
		firstIDs      string
		later         int
		laterIDs      string
		reused        float64
	}{
		{512, 64, 1000, "3,4", 700, "3,9", 512},
		{512, 64, 1000, "3,4", 1000, "3,4", 960},
		{16, 32, 100, "3,4,5,6,7,8,9", 100, "3,4,5,6,1,2,8", 64},
		{16, 32, 100, "3,4,5,6,7,8,9", 112, "3,4,5,6,7,8,9", 96},
		{50, 64, 150, "3,4,5", 150, "3,4,6", 64},
		{50, 64, 150, "3,4,5", 100, "3,4", 64},
		// Neighbours that are alike are told apart by where they begin.
		{16, 32, 64, "3,3,3,3", 64, "3,3,3,4", 32},
		{16, 32, 96, "3,3,4,4,3,3", 96, "3,3,3,3,4,4", 32},
		{8, 32, 64, "3,3,4,4,5,5,5,5", 64, "3,4,4,4,5,5,5,5", 0},
	} {
		t.Run(fmt.Sprint(c.trace, c.engine, c.firstIDs, c.laterIDs), func(t *testing.T) {
			row := func(at, input int, ids string) string {
				return fmt.Sprintf(`{"timestamp":%d,"input_length":%d,"output_length":2,"hash_ids":[%s]}`, at, input, ids)
			}
			first, later := row(0, c.first, c.firstIDs), row(1000, c.later, c.laterIDs)
			for _, stack := range config.Stacks() {
				s := setup{block: c.engine, stack: stack, traffic: traceTraffic("mooncake", writeTrace(t, first, later), c.trace, "{type: trace_timestamps}")}
				p := predict(t, s.build(t), replay.Options{Capture: true})
				require.Equal(t, []any{0.0, c.reused}, p.column("reused_input_tokens"))
			}
		})
	}
}

// An authored token may equal those of a block, which are copies of the number
// of its id by first appearance in the file.
func TestAuthoredOutputsInBlocks(t *testing.T) {
	repeat := func(id int) string { return strings.TrimSuffix(strings.Repeat(fmt.Sprint(id, ","), 17), ",") }
	// The numbers of the ids 50, 70 and 80 are 0, 1 and 2: the row of 70 is
	// the second one, though its session comes last.
	rows := func(output string, later string) []string {
		if output != "" {
			output = `,"output_token_ids":[` + output + `]`
		}
		return []string{
			`{"session_id":"a","timestamp":0,"input_length":16,"output_length":17,"hash_ids":[50]` + output + `}`,
			`{"session_id":"b","timestamp":500,"input_length":16,"output_length":1,"hash_ids":[70]}`,
			`{"session_id":"a","delay":1000,"input_length":16,"output_length":1,"hash_ids":[80]}`,
			`{"session_id":"c","timestamp":5000,"input_length":48,"output_length":1,"hash_ids":[` + later + `]}`,
		}
	}
	for _, c := range []struct {
		output, later string
		reused        float64
	}{
		{"", "50,50,70", 16},
		{repeat(0), "50,50,70", 32},
		{repeat(1), "50,70,70", 32},
		{repeat(2), "50,80,70", 32},
		{repeat(1), "50,80,70", 16},
		{repeat(50), "50,50,70", 16},
		{repeat(70), "50,70,70", 16},
	} {
		s := setup{block: 16, stack: config.StackDynamo, traffic: traceTraffic("mooncake", writeTrace(t, rows(c.output, c.later)...), 16, "{type: trace_timestamps}")}
		p := predict(t, s.build(t), replay.Options{Capture: true})
		require.Equal(t, c.reused, p.rows[3]["reused_input_tokens"], "%s then %s", c.output, c.later)
	}
}

// The prefix that the sessions of a group share is whole blocks, a half being
// rounded up.
func TestSharedPrefixes(t *testing.T) {
	for _, c := range []struct {
		tokens, block int
		ratio         float64
		reused        float64
	}{
		{300, 64, 0.3, 128}, // 1.5 blocks
		{300, 64, 0.5, 192}, // 2.5
		{300, 64, 0.29, 64},
		{300, 64, 0.09, 0},
		{300, 64, 0.1, 64}, // 0.5
		{300, 64, 1, 256},  // the last block is not whole
		{320, 64, 1, 256},  // the last token is computed again
		{320, 64, 0, 0},
	} {
		for _, stack := range config.Stacks() {
			s := setup{block: c.block, stack: stack, traffic: fmt.Sprintf(`
  source: {type: synthetic-session, new_input_tokens_per_turn: %d, output_tokens_per_turn: 2, session: {turns: 2, shared_prefix_ratio: %v, prefix_groups: 1}}
  load: {concurrency: 1}
  stop: {sessions: 2}
`, c.tokens, c.ratio)}
			p := predict(t, s.build(t), replay.Options{Capture: true})
			// The first turn of the second session finds the prefix of its group.
			require.Equal(t, []any{0.0, c.reused}, []any{p.rows[0]["reused_input_tokens"], p.rows[2]["reused_input_tokens"]}, "%+v", c)
			if stack == config.StackDynamo {
				require.Equal(t, c.reused, p.rows[1]["reused_input_tokens"], "%+v", c)
			}
		}
	}
}

// Independent requests share nothing, whatever their number.
func TestSyntheticPromptsShareNothing(t *testing.T) {
	s := setup{block: 2, traffic: "  source: {type: synthetic, input_tokens: 64, output_tokens: 3}\n  load: {concurrency: 4}\n  stop: {requests: 60}\n"}
	for _, row := range predict(t, s.build(t), replay.Options{Capture: true}).rows {
		require.Equal(t, 0.0, row["reused_input_tokens"])
	}
}
