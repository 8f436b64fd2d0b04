package report_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/replay/report"
)

func ms(x float64) *float64 { return &x }

// onePool is an aggregated deployment of workers with two GPUs.
func onePool() report.Options {
	o := report.Options{Dynamo: true, Capture: true}
	o.Workers[report.Aggregated] = report.WorkerSize{Tensor: 2, AttentionData: 1}
	return o
}

// threeRequests is the worked example of report.md 4.
func threeRequests() []report.Record {
	admitted := func(atMs float64, reused int) []report.Admission {
		return []report.Admission{{Pool: report.Aggregated, AtMs: atMs, ReusedTokens: reused}}
	}
	return []report.Record{
		{Ordinal: 1, InputLength: 64, RequestedOutput: 4, OutputLength: 4, Admissions: admitted(0, 0),
			FirstTokenMs: 12.5, SecondTokenMs: 16.5, LastTokenMs: 37, TerminalMs: 37},
		{Ordinal: 2, ArrivalMs: 14, InputLength: 80, RequestedOutput: 6, OutputLength: 6, Admissions: admitted(16.5, 48),
			FirstTokenMs: 33, SecondTokenMs: 37, LastTokenMs: 53, TerminalMs: 53},
		{Ordinal: 3, ArrivalMs: 60, InputLength: 40, RequestedOutput: 1, OutputLength: 1, Admissions: admitted(60, 32),
			FirstTokenMs: 72.5, LastTokenMs: 72.5, TerminalMs: 72.5},
	}
}

func replayThree(options report.Options) *report.Report {
	options.SLA = &report.SLA{TTFTMs: ms(16), ITLMs: ms(6)}
	c := report.New(options)
	c.Workers(report.Aggregated, 1, 0)
	for _, r := range threeRequests() {
		c.Arrived()
		c.Ended(&r)
	}
	for _, tokens := range []int{64, 32, 8} {
		c.Prefilled(tokens)
	}
	c.Gaps(4, 2)
	c.Gaps(16.5, 1)
	c.Gaps(4, 5)
	return c.Report(report.Facts{EndMs: 72.5})
}

func TestWorkedExample(t *testing.T) {
	s := replayThree(onePool()).Summary
	near := func(want, got float64) { t.Helper(); require.InEpsilon(t, want, got, 1e-7) }

	require.Equal(t, []int{3, 3, 184, 11, 104}, []int{s.Requests, s.Completed, s.InputTokens, s.OutputTokens, s.CommittedPrefillTokens})
	require.Equal(t, 72.5, s.DurationMs)
	near(41.37931, s.RequestThroughput)
	near(151.72414, s.OutputThroughput)
	near(2537.93103, s.InputThroughput)
	near(2689.65517, s.TotalThroughput)
	require.Equal(t, 1, s.Goodput.Requests)
	near(13.793103, s.Goodput.RequestThroughput)
	near(13.793103, s.Goodput.OutputThroughput)
	near(0.43478261, s.ReusedRatio)
	near(0.43478261, s.FirstReusedRatio)
	near(0.0725, s.DecodeWorkerSeconds)
	require.Equal(t, 2, s.DecodeGPUsPerWorker)
	near(4.0277778e-5, s.GPUHours)

	same := func(want, got report.Distribution) {
		t.Helper()
		require.Equal(t, want.Samples, got.Samples)
		w := []float64{want.Mean, want.Min, want.Max, want.Std, want.Median, want.P75, want.P90, want.P95, want.P99}
		g := []float64{got.Mean, got.Min, got.Max, got.Std, got.Median, got.P75, got.P90, got.P95, got.P99}
		require.InDeltaSlice(t, w, g, 1e-6)
	}
	same(report.Distribution{Samples: 3, Mean: 14.666666667, Min: 12.5, Max: 19, Std: 3.0641294, Median: 12.5, P75: 19, P90: 19, P95: 19, P99: 19}, s.TTFT)
	same(report.Distribution{Samples: 3, Mean: 29.5, Min: 12.5, Max: 39, Std: 12.0485130, Median: 37, P75: 39, P90: 39, P95: 39, P99: 39}, s.E2E)
	average := 24.5 / 3
	same(report.Distribution{Samples: 2, Mean: 6.083333333, Min: 4, Max: average, Std: 2.083333333, Median: average, P75: average, P90: average, P95: average, P99: average}, s.TPOT)
	same(report.Distribution{Samples: 2, Mean: 4, Min: 4, Max: 4, Median: 4, P75: 4, P90: 4, P95: 4, P99: 4}, s.TTST)
	four, long, fast := 4.0028234008342665, 16.494061950301727, 249.8851320153793
	same(report.Distribution{Samples: 8, Mean: 5.5625, Min: 4, Max: 16.5, Std: 4.1339864, Median: four, P75: four, P90: four, P95: long, P99: long}, s.ITL)
	same(report.Distribution{Samples: 8, Mean: 226.3257576, Min: 60.606060606, Max: 250, Std: 62.6361579, Median: fast, P75: fast, P90: fast, P95: fast, P99: fast}, s.UserThroughput)
}

// written returns all that a report can write.
func written(t *testing.T, r *report.Report) string {
	t.Helper()
	var out bytes.Buffer
	require.NoError(t, r.WritePrediction(&out))
	require.NoError(t, r.WriteRows(&out))
	require.NoError(t, r.WriteSummaryJSON(&out))
	require.NoError(t, r.WriteTable(&out, "out/prediction.json"))
	return out.String()
}

// The bytes do not depend on the order in which things were told.
func TestOrderDoesNotMatter(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	var records []report.Record
	for i := range 200 {
		arrival := float64(random.IntN(40)) * 0.7
		records = append(records, report.Record{
			Ordinal: i + 1, ArrivalMs: arrival, InputLength: i, OutputLength: 3, FirstTokenMs: arrival + random.Float64(),
			SecondTokenMs: arrival + 1 + random.Float64(), LastTokenMs: arrival + 2.1 + random.Float64(), TerminalMs: arrival + 3.1,
			Admissions: []report.Admission{{AtMs: arrival, ReusedTokens: i / 2}},
		})
	}
	replay := func() string {
		c := report.New(onePool())
		c.Workers(report.Aggregated, 3, 0)
		for i := range records {
			r := &records[i]
			c.Arrived()
			c.Ended(r)
			c.Gaps(r.SecondTokenMs-r.FirstTokenMs, 1)
			c.Gaps(r.LastTokenMs-r.SecondTokenMs, 1)
		}
		return written(t, c.Report(report.Facts{EndMs: 40}))
	}
	want := replay()
	for range 5 {
		random.Shuffle(len(records), func(i, j int) { records[i], records[j] = records[j], records[i] })
		require.Equal(t, want, replay())
	}
}

func TestGoodputAtTheBounds(t *testing.T) {
	three := threeRequests()
	none := report.Record{OutputLength: 0, TerminalMs: 10, Admissions: []report.Admission{{}}}
	for name, c := range map[string]struct {
		sla    report.SLA
		record report.Record
		good   int
	}{
		"ttft holds":                   {report.SLA{TTFTMs: ms(19)}, three[1], 1},
		"ttft is missed":               {report.SLA{TTFTMs: ms(18.999)}, three[1], 0},
		"e2e holds":                    {report.SLA{E2EMs: ms(39)}, three[1], 1},
		"e2e is missed":                {report.SLA{E2EMs: ms(38.9)}, three[1], 0},
		"average gap holds":            {report.SLA{ITLMs: ms(4)}, three[1], 1},
		"average gap, not the longest": {report.SLA{ITLMs: ms(8.2)}, three[0], 1},
		"one token has no gap":         {report.SLA{ITLMs: ms(0)}, three[2], 1},
		"no token, e2e alone":          {report.SLA{E2EMs: ms(10)}, none, 1},
		"no token, too late":           {report.SLA{E2EMs: ms(9)}, none, 0},
		"no token, another bound":      {report.SLA{E2EMs: ms(10), TTFTMs: ms(10)}, none, 0},
	} {
		t.Run(name, func(t *testing.T) {
			options := onePool()
			options.SLA = &c.sla
			collector := report.New(options)
			collector.Ended(&c.record)
			require.Equal(t, c.good, collector.Report(report.Facts{}).Summary.Goodput.Requests)
		})
	}
}

// A request counts as completed only if a worker ever admitted it.
func TestOnlyCompletedOnesCount(t *testing.T) {
	c := report.New(onePool())
	for _, status := range []report.Status{report.Rejected, report.Canceled, report.Failed, report.Completed} {
		c.Arrived()
		c.Ended(&report.Record{Status: status, InputLength: 5, OutputLength: 1, LastTokenMs: 7, TerminalMs: 7})
	}
	r := c.Report(report.Facts{})
	require.Equal(t, 4, r.Summary.Requests)
	require.Zero(t, r.Summary.Completed)
	require.Zero(t, r.Summary.InputTokens)
	require.Zero(t, r.Summary.TTFT.Samples)
	var rows bytes.Buffer
	require.NoError(t, r.WriteRows(&rows))
	require.Equal(t, 4, strings.Count(rows.String(), "\n"))
}

// Workers come and go; those that start up or drain hold their GPUs too.
func TestWorkerTime(t *testing.T) {
	options := report.Options{Disaggregated: true}
	options.Workers[report.Prefill] = report.WorkerSize{Tensor: 2, AttentionData: 3}
	options.Workers[report.Decode] = report.WorkerSize{Tensor: 1, AttentionData: 1}
	c := report.New(options)
	c.Workers(report.Prefill, 1, 0)
	c.Workers(report.Decode, 4, 0)
	c.Workers(report.Prefill, 3, 1000)
	c.Workers(report.Prefill, 0, 3000)
	s := c.Report(report.Facts{EndMs: 5000}).Summary
	require.Equal(t, 7.0, s.PrefillWorkerSeconds)
	require.Equal(t, 20.0, s.DecodeWorkerSeconds)
	require.Equal(t, 6, s.PrefillGPUsPerWorker)
	require.InEpsilon(t, (7*6+20)/3600.0, s.GPUHours, 1e-15)
}

// A million captured records, as a large synthetic replay has them.
func BenchmarkMillion(b *testing.B) {
	const million = 1_000_000
	for _, capture := range []bool{false, true} {
		b.Run(fmt.Sprintf("capture=%t", capture), func(b *testing.B) {
			for b.Loop() {
				r := replayMany(million, capture)
				var sink counter
				if err := r.WritePrediction(&sink); err != nil {
					b.Fatal(err)
				}
				if err := r.WriteRows(&sink); err != nil {
					b.Fatal(err)
				}
				b.SetBytes(int64(sink))
			}
		})
	}
}

// counter counts what is written to it.
type counter int

func (c *counter) Write(p []byte) (int, error) { *c += counter(len(p)); return len(p), nil }

func replayMany(n int, capture bool) *report.Report {
	options := onePool()
	options.Capture = capture
	c := report.New(options)
	admissions, routing := make([]report.Admission, 1), make([]report.Routing, 1)
	record := report.Record{Admissions: admissions, Routing: routing, InputLength: 1024, RequestedOutput: 128, OutputLength: 128}
	for i := range n {
		record.Ordinal = i + 1
		record.ArrivalMs = float64(i/256) * 21.37
		admissions[0].AtMs = record.ArrivalMs + 1.25
		record.FirstTokenMs = record.ArrivalMs + 33.3
		record.SecondTokenMs = record.ArrivalMs + 41.9
		record.LastTokenMs = record.ArrivalMs + 1200.123
		record.TerminalMs = record.LastTokenMs
		c.Arrived()
		c.Gaps(record.SecondTokenMs-record.FirstTokenMs, 127)
		c.Ended(&record)
	}
	return c.Report(report.Facts{EndMs: 1e6})
}
