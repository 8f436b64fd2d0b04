package inspect

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/formats/weka"
)

func TestWriteTable(t *testing.T) {
	r := exampleReport(t)
	r.Models[1].Model = "evil\x1b[2J"
	r.Weka = &WekaFacts{
		IDDialect: weka.Dialects{Floor: 3, Exact: 2}, NestedTimestampBasis: weka.BasisRelative,
		Subagents: 1, NestedRequests: 1, MissingAPITime: 1234, RawZeroOutputs: 1,
	}
	var out strings.Builder
	require.NoError(t, r.WriteTable(&out))
	require.Equal(t, strings.TrimPrefix(exampleTable, "\n"), out.String())
}

const exampleTable = `
plays           2
requests        5
sessions        2
roots           2
zero outputs    1
time span     8 s

model          requests
m                     4
"evil\x1b[2J"         1

edges           dispatch  completion
sequence               0           2
spawn                  1           0
join                   0           1
replay_barrier         0           0

                     count  min  p10  p25  p50  p75  p90  p99  max   mean
requests per play        2    1    1    1    1    4    4    4    4    2.5
sessions per play        2    1    1    1    1    2    2    2    2    1.5
depth of a play          2    1    1    1    1    3    3    3    3    2.0
fan-out                  5    0    0    0    1    1    2    2    2    0.8
input, tokens            5   20   20   20   30   40   40   40   40   30.0
output, tokens           5    0    0    1    1    1   30   30   30    6.6
span of a play, s        2    0    0    0    0    8    8    8    8      4
gap in a play, s         3  0.5  0.5  0.5    2  5.5  5.5  5.5  5.5  2.667
gap in the trace, s      4  0.5  0.5  0.5    1    1  5.5  5.5  5.5      2

context window, tokens  requests above   share
20                                   4  80.0 %
40                                   2  40.0 %
70                                   0   0.0 %

block size, tokens         10
blocks of all prompts      15
distinct blocks             5
ideal hit rate         66.7 %

cache, blocks  tokens  hits  hit rate
1                  10     4    26.7 %
2                  20     6    40.0 %
4                  40    10    66.7 %
8                  80    10    66.7 %

Weka documents
id dialect            floor
  floor                   3
  ceil                    0
  exact                   2
  other                   0
nested timestamps  relative
subagents                 1
nested requests           1
without api_time      1,234
zero outputs              1
`

func TestWriteTableOfNothing(t *testing.T) {
	var out strings.Builder
	require.NoError(t, New(Options{}).Report().WriteTable(&out))
	require.Contains(t, out.String(), "input, tokens")
}

type brokenWriter struct{ err error }

func (w brokenWriter) Write([]byte) (int, error) { return 0, w.err }

func TestWriteTableTellsOfErrors(t *testing.T) {
	broken := errors.New("disk full")
	require.ErrorIs(t, New(Options{}).Report().WriteTable(brokenWriter{broken}), broken)
}

func TestNumbersForPeople(t *testing.T) {
	for n, want := range map[uint64]string{0: "0", 999: "999", 1000: "1,000", 1234567: "1,234,567", 1<<64 - 1: "18,446,744,073,709,551,615"} {
		require.Equal(t, want, integer(n))
	}
	for ms, want := range map[float64]string{0: "0", 1: "0.001", 1500: "1.5", 77_611_000: "77,611", 440_383_797: "440,383.797", 10: "0.01"} {
		require.Equal(t, want, seconds(ms))
	}
	require.Equal(t, "36.6 %", percent(0.36641))
	require.Equal(t, "100.0 %", percent(1))
}
