package replay

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"tracekit/formats"
	"tracekit/formats/mooncake"
	"tracekit/replay/config"
	"tracekit/replay/engine"
	"tracekit/replay/kvcache"
	"tracekit/replay/report"
	"tracekit/replay/workload"
)

// traffic is a source, and what the report of a graph tells besides.
type traffic struct {
	source  workload.Source
	agentic func() *report.AgenticFacts // nil unless the source is a graph
}

// openTraffic makes the source that the prediction describes.
func openTraffic(ctx context.Context, p *config.Prediction, pool *pool, opts Options) (*traffic, error) {
	switch source := &p.Traffic.Source; source.Type {
	case config.SourceSynthetic:
		return &traffic{source: synthetic(p, source.Synthetic)}, nil
	case config.SourceSyntheticSession:
		return &traffic{source: syntheticSessions(p, source.Session, pool.rank.BlockSize)}, nil
	default:
		if source.Trace.Format == formats.Mooncake {
			s, err := mooncakeSource(ctx, p, source.Trace)
			return &traffic{source: s}, err
		}
		return openGraph(ctx, p, source.Trace, opts)
	}
}

// arrivalsOf returns the arrivals of a rate load; nil under concurrency.
func arrivalsOf(l *config.LoadShape) workload.Arrivals {
	switch l.Type {
	case config.LoadConstantRate:
		return workload.ConstantRate(l.PerSecond)
	case config.LoadPoisson:
		return workload.Poisson(l.PerSecond, l.Seed)
	}
	return nil
}

func synthetic(p *config.Prediction, s *config.Synthetic) workload.Source {
	request := func(i int) *engine.Request {
		r := syntheticRequest(i, s.InputTokens, s.OutputTokens)
		if p.Stack == config.StackEngine { // its synthetic requests are sessions of one turn
			r.Load = &workload.Label{Session: fmt.Sprintf("session_%d", i), HasSession: true}
		}
		return r
	}
	count := p.Traffic.Stop.Requests
	arrivals := arrivalsOf(&p.Traffic.Load)
	if arrivals == nil {
		return workload.NewConcurrentList(count, p.Traffic.Load.Concurrency, request)
	}
	return workload.NewTimedList(count, func(int) float64 { return arrivals.Next() }, request)
}

// Seeds of the draws that give sessions their groups.
const (
	groupSeedEngine = 0
	groupSeedDynamo = 42
)

func syntheticSessions(p *config.Prediction, s *config.Session, blockSize int) workload.Source {
	count := p.Traffic.Stop.Sessions
	var groups []uint32
	if s.SharedPrefixRatio > 0 && s.PrefixGroups > 0 {
		seed := uint64(groupSeedDynamo)
		if p.Stack == config.StackEngine {
			seed = groupSeedEngine
		}
		groups = workload.Groups(seed, count, s.PrefixGroups)
	}
	prompts := newSessionPrompts(s.NewInputTokensPerTurn, blockSize, s.SharedPrefixRatio, groups)
	// On the engine stack a prompt is the whole conversation so far.
	grows := p.Stack == config.StackEngine
	said := map[int]*kvcache.Tokens{}
	plan := workload.SessionPlan{
		Sessions:    count,
		Turns:       func(int) int { return s.Turns },
		DelayMs:     func(int, int) float64 { return s.InterTurnDelayMs },
		Concurrency: p.Traffic.Load.Concurrency,
		Request: func(session, turn int) *engine.Request {
			r := &engine.Request{Ordinal: session*s.Turns + turn + 1, Output: s.OutputTokensPerTurn}
			r.Load = &workload.Label{Session: fmt.Sprintf("session_%d", session), HasSession: true}
			if before := said[session]; before != nil {
				r.Tokens = kvcache.Tokens{Runs: slices.Clone(before.Runs), Len: before.Len}
			}
			prompts.append(&r.Tokens, session)
			r.Input = r.Tokens.Len
			if grows {
				said[session] = &kvcache.Tokens{Runs: slices.Clone(r.Tokens.Runs), Len: r.Tokens.Len}
				if turn+1 == s.Turns {
					delete(said, session)
				}
			}
			return r
		},
	}
	if grows {
		plan.Completed = func(session, _ int, r *engine.Request) {
			for _, run := range r.Generated(0, r.Emitted).Runs {
				said[session].Append(run)
			}
		}
	}
	if arrivals := arrivalsOf(&p.Traffic.Load); arrivals != nil {
		plan.StartMs = func(int) float64 { return arrivals.Next() }
	}
	return workload.NewSessions(plan)
}

// mooncakeSource reads a mooncake trace.
func mooncakeSource(ctx context.Context, p *config.Prediction, t *config.Trace) (workload.Source, error) {
	source, err := formats.Open(ctx, t.Paths[0], nil, formats.DefaultMaxBytes)
	if err != nil {
		return nil, err
	}
	defer source.Close()
	file, err := mooncake.Read(ctx, source, mooncake.Options{Semantics: p.Semantics, BlockSize: uint64(*t.BlockSize)})
	if err != nil {
		return nil, err
	}
	timed := p.Traffic.Load.Type == config.LoadTraceTimestamps
	sessions, load := file.Sessions(), mooncake.Concurrency
	switch {
	case timed:
		sessions, load = file.Normalised(p.Traffic.Load.Speedup), mooncake.TraceTimestamps
	case p.Stack == config.StackEngine:
		sessions = file.Normalised(1)
	}
	if err := file.CheckStart(sessions, load); err != nil {
		return nil, err
	}
	m := newMooncakeRequests(sessions, *t.BlockSize)
	if timed && p.Stack == config.StackDynamo && m.single {
		return m.list(), nil
	}
	plan := workload.SessionPlan{
		Sessions:    len(sessions),
		Turns:       func(s int) int { return len(sessions[s].Turns) },
		DelayMs:     func(s, t int) float64 { return sessions[s].Turns[t].DelayMs },
		Concurrency: p.Traffic.Load.Concurrency,
		Request: func(s, t int) *engine.Request {
			r := m.request(s, t)
			r.Load = &workload.Label{Session: sessions[s].Name, HasSession: true}
			return r
		},
	}
	if timed {
		plan.StartMs = func(s int) float64 { return sessions[s].StartMs }
	}
	return workload.NewSessions(plan), nil
}

// mooncakeRequests makes the requests of the turns of a trace.
type mooncakeRequests struct {
	sessions  []mooncake.Session
	first     []int // ordinal of the first turn of each session, from 0
	single    bool  // every session has one turn
	blockSize int
	ids       *blockIDs
}

func newMooncakeRequests(sessions []mooncake.Session, blockSize int) *mooncakeRequests {
	m := &mooncakeRequests{sessions: sessions, single: true, blockSize: blockSize}
	var turns []*mooncake.Turn
	anyAuthored := false
	for s := range sessions {
		m.first = append(m.first, len(turns))
		m.single = m.single && len(sessions[s].Turns) == 1
		for t := range sessions[s].Turns {
			turns = append(turns, &sessions[s].Turns[t])
			anyAuthored = anyAuthored || sessions[s].Turns[t].OutputTokenIDs != nil
		}
	}
	slices.SortFunc(turns, func(a, b *mooncake.Turn) int { return a.Line - b.Line })
	m.ids = newBlockIDs(anyAuthored, func(yield func(func(func(uint64) bool))) {
		for _, t := range turns {
			yield(t.HashIDs.All)
		}
	})
	return m
}

func (m *mooncakeRequests) request(s, t int) *engine.Request {
	turn := &m.sessions[s].Turns[t]
	return &engine.Request{
		Ordinal: m.first[s] + t + 1,
		Input:   int(turn.InputLength), Output: int(turn.OutputLength),
		Tokens:   m.ids.prompt(turn.HashIDs.All, m.blockSize, int(turn.InputLength)),
		Authored: authored(turn.OutputTokenIDs),
	}
}

// list is the requests in the order of their arrivals.
func (m *mooncakeRequests) list() workload.Source {
	order := make([]int, len(m.sessions))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		return cmp.Compare(m.sessions[a].StartMs, m.sessions[b].StartMs)
	})
	return workload.NewTimedList(len(order),
		func(i int) float64 { return m.sessions[order[i]].StartMs },
		func(i int) *engine.Request { return m.request(order[i], 0) })
}
