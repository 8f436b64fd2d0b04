package weka_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/formats"
	"tracekit/formats/weka"
)

// With KeepGoing the first error of each file is told, in corpus order,
// whatever kind it is of, and no other.
func TestKeepGoing(t *testing.T) {
	dir := t.TempDir()
	noIn := strings.Replace(session(aCall), `"in":4`, `"in":0`, 1)
	write(t, dir, "a.json", session(aCall))
	write(t, dir, "b.json", noIn)
	write(t, dir, "c.jsonl", session(aCall)+"\n"+noIn+"\n"+noIn+"\n[1]")
	write(t, dir, "d.jsonl", " \n")
	write(t, dir, "e.json", "")
	write(t, dir, "f.json", strings.Replace(session(aCall), `"block_size":4`, `"block_size":8`, 1))
	write(t, dir, "g.jsonl", session(aCall)+"\n[1,2,3]"+strings.Repeat(" 1", 500_000))
	write(t, dir, "h.json", session(aCall))
	write(t, dir, "i.json", strings.Replace(session(aCall), `"model":"m"`, `"model":"n"`, 1))
	want := []string{
		"b.json:1:62: play \"p\", request 0: requests[0].in", "c.jsonl:2:62: play \"p\", request 0: requests[0].in", "d.jsonl: there is no document", "e.json: there is no document",
		"f.json:1:24: play \"p\": block_size", "g.jsonl:2:1: found an array", "i.json:1:62: play \"p\", request 0: requests[0].model",
	}
	for _, jobs := range []int{1, 3} {
		for most := 1; most <= len(want)+1; most++ {
			_, err := weka.Open(t.Context(), dir, weka.Options{Jobs: jobs, KeepGoing: true, MaxErrors: most})
			var all *formats.Errors
			require.ErrorAs(t, err, &all)
			require.Len(t, all.All, min(most, len(want)))
			for i, problem := range all.All {
				require.ErrorContains(t, problem, dir+"/"+want[i])
			}
		}
		_, err := weka.Open(t.Context(), dir, weka.Options{Jobs: jobs})
		require.ErrorContains(t, err, want[0])
	}
}

// What only lowering finds is collected too.
func TestKeepGoingThroughLowering(t *testing.T) {
	dir := t.TempDir()
	for i, text := range []string{session(aCall), session(aSubagent), session(aCall), session(aSubagent, aCall), session(aCall)} {
		write(t, dir, fmt.Sprint(i, ".json"), text)
	}
	trace, err := weka.Open(t.Context(), dir, weka.Options{Jobs: 2, KeepGoing: true, MaxErrors: 10})
	require.NoError(t, err)
	_, err = trace.Summary(t.Context())
	var all *formats.Errors
	require.ErrorAs(t, err, &all)
	require.Len(t, all.All, 2)
	require.ErrorContains(t, all.All[0], "1.json:1:62: play \"p\", request 0: requests[0]: every entry is a subagent")
	require.ErrorContains(t, all.All[1], "3.json:1:62: play \"p\", request 0: requests[0]: no request comes before this subagent")

	// Without it, the first in corpus order is told, whatever the order of reading.
	trace, err = weka.Open(t.Context(), dir, weka.Options{Jobs: 2})
	require.NoError(t, err)
	_, err = trace.Summary(t.Context())
	require.ErrorContains(t, err, "1.json")
	require.False(t, errors.As(err, &all))
}
