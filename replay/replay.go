package replay

import (
	"context"
	"io"
	"math"

	"tracekit/replay/cluster"
	"tracekit/replay/config"
	"tracekit/replay/engine"
	"tracekit/replay/report"
	"tracekit/replay/workload"
)

// Options tell how a prediction is run. The result depends on Capture only.
type Options struct {
	Capture bool      // keep a row of every request
	Hub     string    // folder of downloaded models; empty for none
	Notes   io.Writer // what a person should know, line by line; nil for nowhere
	// OnProgress, if set, is told now and then how far virtual time is, in
	// milliseconds, and how many requests have ended.
	OnProgress func(nowMs float64, ended int)
	// Plain takes every pass by itself. The result is the same.
	Plain bool
}

// Run replays what the prediction describes. An error about a setting is a
// *[SettingError], one about a trace a *[formats.Error], a replay that cannot
// go on a *[cluster.StuckError].
func Run(ctx context.Context, p *config.Prediction, opts Options) (*report.Report, error) {
	if opts.Notes == nil {
		opts.Notes = io.Discard
	}
	pool, err := resolve(p, p.Engine.Workers.Aggregated, opts)
	if err != nil {
		return nil, err
	}
	traffic, err := openTraffic(ctx, p, pool, opts)
	if err != nil {
		return nil, err
	}
	collector := report.New(report.Options{
		Dynamo:               p.Stack == config.StackDynamo,
		Capture:              opts.Capture,
		SLA:                  slaOf(p.SLA),
		ZerosIfNoneCompleted: p.Stack == config.StackDynamo && p.Semantics.EmptyRunIsValid(),
		Workers:              [3]report.WorkerSize{report.Aggregated: {Tensor: pool.parallelism.Tensor, AttentionData: pool.parallelism.AttentionData}},
	})
	workers := pool.workers()
	collector.Workers(report.Aggregated, len(workers), 0)
	limit := math.Inf(1)
	if seconds := p.Traffic.Stop.MaxVirtualTimeSeconds; seconds != nil {
		limit = 1000 * *seconds
	}
	end, err := cluster.Run(ctx, cluster.Options{
		Source:  &watched{Source: traffic.source, rank: &pool.rank, notes: opts.Notes},
		Workers: workers,
		Observer: &observer{
			Collector: collector, ranks: pool.parallelism.AttentionData, lanes: p.Traffic.Load.AgenticLanes != nil,
		},
		CapMs:      limit,
		StopAtCap:  p.Semantics.CutoffStopsTheClock(),
		Plain:      opts.Plain,
		OnProgress: opts.OnProgress,
	})
	if err != nil {
		return nil, err
	}
	facts := report.Facts{EndMs: end, Provenance: map[string]report.Provenance{
		string(pool.worker.Role): {Estimator: "configured", TimingSource: string(pool.worker.Timing.Type), Reason: "no performance tables are used"},
	}}
	if traffic.agentic != nil {
		facts.Agentic = traffic.agentic()
	}
	return collector.Report(facts), nil
}

func slaOf(s *config.SLA) *report.SLA {
	if s == nil {
		return nil
	}
	return &report.SLA{TTFTMs: s.TTFTMs, ITLMs: s.ITLMs, E2EMs: s.E2EMs}
}

// observer turns what the cluster sees into what the report counts.
type observer struct {
	*report.Collector
	ranks  int
	lanes  bool
	record report.Record // reused: the collector copies it
}

// Ended implements [cluster.Observer].
func (o *observer) Ended(r *engine.Request) {
	rec := &o.record
	*rec = report.Record{
		Ordinal: r.Ordinal, ArrivalMs: r.ArrivalMs,
		InputLength: r.Input, RequestedOutput: r.Output, OutputLength: r.Emitted,
		FirstTokenMs: r.FirstToken, SecondTokenMs: r.SecondToken, LastTokenMs: r.LastToken,
		Status: statusOf(r.Status), TerminalMs: r.TerminalMs,
		Admissions: rec.Admissions[:0],
		Routing:    append(rec.Routing[:0], report.Routing{Pool: report.Aggregated, Worker: r.Worker, Rank: r.Rank}),
	}
	for _, a := range r.Admissions {
		rec.Admissions = append(rec.Admissions, report.Admission{Pool: report.Aggregated, AtMs: a.AtMs, ReusedTokens: a.Reused})
	}
	if l := workload.LabelOf(r); l != nil {
		o.label(rec, l)
	}
	o.Collector.Ended(rec)
}

func (o *observer) label(rec *report.Record, l *workload.Label) {
	rec.HasSession, rec.SessionID, rec.Turn = l.HasSession, l.Session, l.Turn
	if !l.Graph {
		return
	}
	rec.DispatchedMs = l.DispatchedMs
	labels := &report.AgenticLabels{RequestID: l.RequestID, PlayID: l.PlayID, RootID: l.RootID, ParentID: l.ParentID}
	if o.lanes {
		labels.LaneID = laneName(l.Lane)
	}
	rec.Agentic = labels
}

func statusOf(s engine.Status) report.Status {
	switch s {
	case engine.Rejected:
		return report.Rejected
	case engine.Canceled:
		return report.Canceled
	case engine.Failed:
		return report.Failed
	}
	return report.Completed
}
