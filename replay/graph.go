package replay

import (
	"context"
	"fmt"
	"io"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"

	"tracekit/formats"
	"tracekit/formats/agentic"
	"tracekit/formats/weka"
	"tracekit/graph"
	"tracekit/replay/config"
	"tracekit/replay/engine"
	"tracekit/replay/report"
	"tracekit/replay/workload"
	"tracekit/trace"
)

// openGraph reads a trace that is a graph.
func openGraph(ctx context.Context, p *config.Prediction, t *config.Trace, opts Options) (*traffic, error) {
	opened, _, err := trace.Open(ctx, t.Paths[0], trace.Options{
		Format: t.Format, Semantics: p.Semantics, Jobs: 2, MaxBytes: formats.DefaultMaxBytes, Basis: weka.Basis(t.NestedBasis),
	})
	if err != nil {
		return nil, err
	}
	defer opened.Close()
	plays, nodes, err := collectPlays(opened.Plays(ctx))
	if err != nil {
		return nil, err
	}
	identity := graph.Identity{Plays: len(plays), Requests: len(nodes), Models: modelsOf(nodes)}
	basis := ""
	switch opened := opened.(type) {
	case *weka.Trace:
		identity.Source, identity.BlockSize = opened.Source(), opened.BlockSize()
		basis = string(opened.Basis())
		tellBasis(opts.Notes, t.NestedBasis, basis)
	case *agentic.Trace:
		head := opened.Header()
		identity.Source, identity.BlockSize = head.Source, head.BlockSize
	}
	if len(identity.Models) > 1 && p.Semantics.OneModelPerReplay() {
		return nil, &formats.Error{File: t.Paths[0], Found: "the requests name several models: " + strings.Join(identity.Models, ", "),
			Rule: "a replay runs all requests on one model", Remedy: "split the trace by model, or pass --semantics aisimulate-0.13"}
	}
	if t.Format == formats.Weka && t.BlockSize != nil && uint64(*t.BlockSize) != identity.BlockSize {
		return nil, &formats.Error{File: t.Paths[0], Path: "block_size", Found: fmt.Sprintf("the corpus has blocks of %d tokens", identity.BlockSize),
			Rule: fmt.Sprintf("traffic.source.block_size says %d", *t.BlockSize), Remedy: "leave block_size out"}
	}
	identity.GraphDigest = replayDigest(nodes, identity.BlockSize, p.Traffic.Load.Speedup)
	lanes := 0
	if p.Traffic.Load.AgenticLanes != nil {
		lanes = *p.Traffic.Load.AgenticLanes
	}
	ids := newBlockIDs(slices.ContainsFunc(nodes, func(n *graph.Node) bool { return n.OutputTokenIDs != nil }),
		func(yield func(func(func(uint64) bool))) {
			for _, n := range nodes {
				yield(n.HashIDs.All)
			}
		})
	source := workload.NewGraph(plays, workload.GraphOptions{
		Speedup: p.Traffic.Load.Speedup, Lanes: lanes, SharedQueue: p.Semantics.LanesShareAQueue(),
		Request: func(n *graph.Node, _ int) *engine.Request {
			return &engine.Request{
				Input: int(n.InputLength), Output: int(n.MaxOutputTokens),
				Tokens:   ids.prompt(n.HashIDs.All, int(identity.BlockSize), int(n.InputLength)),
				Authored: authored(n.OutputTokenIDs),
			}
		},
	})
	return &traffic{source: source, agentic: func() *report.AgenticFacts {
		events, digest := source.Lifecycle()
		return &report.AgenticFacts{
			Graph: identity, TargetModel: p.Engine.Model, Plays: outcomes(source),
			LifecycleEvents: events, LifecycleDigest: digest, WekaTimestampBasis: basis,
		}
	}}, nil
}

// tellBasis says which clock of nested requests was asked for and which was
// found.
func tellBasis(notes io.Writer, asked config.NestedBasis, found string) {
	if asked == "" {
		asked = "none"
	}
	fmt.Fprintf(notes, "nested timestamps: %s asked for, %s found\n", asked, strings.ReplaceAll(found, "_", " "))
}

// modelsOf returns the distinct models, sorted.
func modelsOf(nodes []*graph.Node) []string {
	seen := map[string]bool{}
	for _, n := range nodes {
		seen[n.Model] = true
	}
	return slices.Sorted(maps.Keys(seen))
}

// collectPlays holds all plays, and their nodes in canonical order.
func collectPlays(sequence iter.Seq2[*graph.Play, error]) (plays []*graph.Play, nodes []*graph.Node, err error) {
	for p, err := range sequence {
		if err != nil {
			return nil, nil, err
		}
		plays = append(plays, p)
		for i := range p.Nodes {
			nodes = append(nodes, &p.Nodes[i])
		}
	}
	slices.SortFunc(nodes, func(a, b *graph.Node) int { return strings.Compare(a.RequestID, b.RequestID) })
	return plays, nodes, nil
}

// replayDigest is the digest of the graph as it is replayed: normalised, then
// sped up (graph-identity.md 5).
func replayDigest(nodes []*graph.Node, blockSize uint64, speedup float64) string {
	var origin graph.Origin
	for _, n := range nodes {
		origin.Add(n)
	}
	digest := graph.NewDigest(blockSize)
	var encoder graph.Encoder
	for _, n := range nodes {
		replayed := *n
		replayed.Dependencies = slices.Clone(n.Dependencies)
		graph.Normalise(&replayed, origin)
		graph.SpeedUp(&replayed, speedup)
		_ = encoder.Encode(digest, &replayed) // a digest never fails
	}
	return digest.Sum()
}

func outcomes(source *workload.Graph) (plays []report.PlayOutcome) {
	known := func(ms float64) report.Optional[float64] {
		if math.IsNaN(ms) {
			return report.Optional[float64]{}
		}
		return report.Some(ms)
	}
	for _, o := range source.Outcomes() {
		play := report.PlayOutcome{
			PlayID: o.PlayID, Status: report.PlayIncomplete,
			CausalTerminalMs: known(o.CausalTerminalMs), SettledAtMs: known(o.SettledMs),
		}
		switch {
		case o.Completed:
			play.Status, play.RootDispatchedMs = report.PlayCompleted, o.RootAdmittedMs
		case o.Failed:
			play.Status = report.PlayFailed
			play.FailureRequestID, play.FailureStatus = o.Failure.RequestID, statusOf(o.Failure.Status)
		}
		plays = append(plays, play)
	}
	return plays
}

func laneName(lane int) string { return fmt.Sprintf("lane:%d", lane) }
