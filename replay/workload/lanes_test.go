package workload

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/graph"
	"tracekit/replay/engine"
)

// lonePlay is a play of one request for each not-before time.
func lonePlay(t *testing.T, name string, notBefore ...float64) *graph.Play {
	var nodes []graph.Node
	for i, ms := range notBefore {
		nodes = append(nodes, graph.Node{RequestID: fmt.Sprintf("%s%d", name, i), PlayID: name, SessionID: "s", Model: "m", NotBeforeMs: ms})
	}
	p, err := graph.NewPlay(nodes)
	require.NoError(t, err)
	return p
}

// serve runs a graph on a service that takes each request the same time, and
// returns when each was admitted, by its id and lane.
func serve(g *Graph, ms float64) map[string]string {
	type running struct {
		r   *engine.Request
		end float64
	}
	admitted := map[string]string{}
	var active []running
	for now := 0.0; ; {
		for r := g.Admit(now, len(active)); r != nil; r = g.Admit(now, len(active)) {
			l := LabelOf(r)
			admitted[l.RequestID] = fmt.Sprintf("%v on %d", now, l.Lane)
			active = append(active, running{r, now + ms})
		}
		next, any := g.Next()
		for _, a := range active {
			if !any || a.end < next {
				next, any = a.end, true
			}
		}
		if !any {
			return admitted
		}
		now = next
		var ended []*engine.Request
		var rest []running
		for _, a := range active {
			if a.end == now {
				a.r.Status = engine.Completed
				ended = append(ended, a.r)
			} else {
				rest = append(rest, a)
			}
		}
		active = rest
		if len(ended) > 0 {
			g.Ended(now, ended)
		}
	}
}

// With a shared queue the free lane takes the next play; with strides each
// lane has plays of its own, and waits for none of the other lane's.
func TestLanes(t *testing.T) {
	plays := func() []*graph.Play {
		return []*graph.Play{
			lonePlay(t, "a", 0, 100), lonePlay(t, "b", 0), lonePlay(t, "c", 5), lonePlay(t, "d", 0), lonePlay(t, "e", 0, 30),
		}
	}
	request := func(*graph.Node, int) *engine.Request { return &engine.Request{} }
	shared := NewGraph(plays(), GraphOptions{Speedup: 1, Lanes: 2, SharedQueue: true, Request: request})
	require.Equal(t, map[string]string{
		"a0": "0 on 0", "a1": "100 on 0", "b0": "0 on 1", "c0": "10 on 1", "d0": "20 on 1", "e0": "30 on 1", "e1": "60 on 1",
	}, serve(shared, 10))
	own := NewGraph(plays(), GraphOptions{Speedup: 1, Lanes: 2, Request: request})
	require.Equal(t, map[string]string{
		"a0": "0 on 0", "a1": "100 on 0", "c0": "110 on 0", "e0": "120 on 0", "e1": "150 on 0", "b0": "0 on 1", "d0": "10 on 1",
	}, serve(own, 10))
	for _, o := range own.Outcomes() {
		require.True(t, o.Completed)
	}
	events, _ := own.Lifecycle()
	require.Equal(t, 3*7+5, events)

	// More lanes than plays: all start at once.
	many := NewGraph(plays(), GraphOptions{Speedup: 2, Lanes: 99, Request: request})
	require.Equal(t, "0 on 2", serve(many, 10)["c0"])
}

// A request that fails ends its play: what waits is skipped, and what was
// admitted runs on.
func TestFailureSkipsWhatWaits(t *testing.T) {
	edge := func(to string, trigger graph.Trigger) []graph.Dependency {
		return []graph.Dependency{{Predecessor: to, Trigger: trigger, Relation: graph.Spawn}}
	}
	p, err := graph.NewPlay([]graph.Node{
		{RequestID: "f0", PlayID: "p"},
		{RequestID: "f1", PlayID: "p", Dependencies: edge("f0", graph.Dispatch)},
		{RequestID: "f2", PlayID: "p", Dependencies: edge("f0", graph.Completion)},
		{RequestID: "f3", PlayID: "p", NotBeforeMs: 500},
	})
	require.NoError(t, err)
	g := NewGraph([]*graph.Play{p, lonePlay(t, "q", 0)}, GraphOptions{
		Speedup: 1, Lanes: 1, SharedQueue: true, Request: func(*graph.Node, int) *engine.Request { return &engine.Request{} },
	})
	first, second := g.Admit(0, 0), g.Admit(0, 1)
	require.Equal(t, []string{"f0", "f1"}, []string{LabelOf(first).RequestID, LabelOf(second).RequestID})
	first.Status = engine.Rejected
	g.Ended(30, []*engine.Request{first})
	_, ready := g.Next()
	require.False(t, ready, "the play has failed, and the lane is not free")
	second.Status = engine.Completed
	g.Ended(40, []*engine.Request{second})
	at, ready := g.Next()
	require.True(t, ready)
	require.Equal(t, 40.0, at)
	o := g.Outcomes()[0]
	require.True(t, o.Failed)
	require.Equal(t, "f0", o.Failure.RequestID)
	require.Equal(t, []float64{30, 40}, []float64{o.CausalTerminalMs, o.SettledMs})
}
