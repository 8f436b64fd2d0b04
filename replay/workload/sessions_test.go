package workload

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/replay/engine"
)

// arrivals runs a source on a service of ms for each request, with any number
// at a time, and returns when the turns of each session arrived, and the
// sessions in the order of admission.
func arrivals(t *testing.T, s Source, ms func(r *engine.Request) float64) (at map[string][]float64, order []string) {
	at = map[string][]float64{}
	var active []*engine.Request
	now := 0.0
	for {
		for r := s.Admit(now, len(active)); r != nil; r = s.Admit(now, len(active)) {
			l := LabelOf(r)
			require.Len(t, at[l.Session], l.Turn)
			at[l.Session] = append(at[l.Session], r.ArrivalMs)
			order = append(order, l.Session)
			r.TerminalMs = now + ms(r)
			active = append(active, r)
		}
		next, any := s.Next()
		if !any {
			next = math.Inf(1)
		}
		for _, r := range active {
			next = min(next, r.TerminalMs)
		}
		if math.IsInf(next, 1) {
			require.False(t, s.Left())
			return at, order
		}
		now = next
		var ended, rest []*engine.Request
		for _, r := range active {
			if r.TerminalMs > now {
				rest = append(rest, r)
				continue
			}
			r.Status = engine.Completed
			ended = append(ended, r)
		}
		if active = rest; len(ended) > 0 {
			s.Ended(now, ended)
		}
	}
}

// alone is how long a request takes by itself.
func alone(r *engine.Request) float64 { return 20 + 5*float64(r.Output-1) }

// session is a session of a test: what its turns generate, and the waits
// before them.
type session struct {
	name    string
	start   float64
	outputs []int
	delays  []float64
}

func planOf(sessions []session) SessionPlan {
	return SessionPlan{
		Sessions: len(sessions),
		Turns:    func(s int) int { return len(sessions[s].outputs) },
		StartMs:  func(s int) float64 { return sessions[s].start },
		DelayMs:  func(s, turn int) float64 { return sessions[s].delays[turn-1] },
		Request: func(s, turn int) *engine.Request {
			return &engine.Request{Output: sessions[s].outputs[turn], Load: &Label{Session: sessions[s].name, HasSession: true}}
		},
	}
}

// recorded is the trace of golden/loadgen/moon-sessions-timestamps.
func recorded() []session {
	return []session{
		{"a", 0, []int{3, 3, 2}, []float64{100, 0}},
		{"b", 20, []int{2, 4, 2}, []float64{45, 0.5}},
		{"request_6", 10, []int{2}, nil},
		{"c", 0, []int{9}, nil},
	}
}

// Delays count from the end of the turn before, not from recorded times
// (loadgen.md 5).
func TestSessionsByTimestamps(t *testing.T) {
	at, order := arrivals(t, NewSessions(planOf(recorded())), alone)
	require.Equal(t, map[string][]float64{"a": {0, 130, 160}, "b": {20, 90, 125.5}, "request_6": {10}, "c": {0}}, at)
	require.Equal(t, []string{"a", "c", "request_6", "b", "b", "b", "a", "a"}, order)
}

// Under concurrency a session keeps its place while it waits, too.
func TestSessionsByConcurrency(t *testing.T) {
	plan := planOf(recorded())
	plan.StartMs, plan.Concurrency = nil, 2
	at, order := arrivals(t, NewSessions(plan), alone)
	require.Equal(t, map[string][]float64{"a": {0, 130, 160}, "b": {0, 70, 105.5}, "request_6": {130.5}, "c": {155.5}}, at)
	require.Equal(t, []string{"a", "b", "b", "b", "a", "request_6", "c", "a"}, order)

	five := make([]session, 5)
	for i := range five {
		five[i] = session{fmt.Sprint(i), 0, []int{5, 5, 5}, []float64{30, 30}}
	}
	plan = planOf(five)
	plan.StartMs, plan.Concurrency = nil, 2
	at, _ = arrivals(t, NewSessions(plan), alone)
	require.Equal(t, map[string][]float64{
		"0": {0, 70, 140}, "1": {0, 70, 140}, "2": {180, 250, 320}, "3": {180, 250, 320}, "4": {360, 430, 500},
	}, at)
}

// What is ready at one time is admitted by session, then turn; a turn without
// a wait is ready at once.
func TestSessionTies(t *testing.T) {
	_, order := arrivals(t, NewSessions(planOf([]session{
		{"d", 60, []int{1}, nil},
		{"e", 0, []int{1, 1, 1}, []float64{20, 0}},
		{"f", 40, []int{1}, nil},
		{"g", 20, []int{1, 1}, []float64{0}},
	})), func(*engine.Request) float64 { return 20 })
	require.Equal(t, []string{"e", "g", "e", "f", "g", "d", "e"}, order)
}

// A session goes on after a rejection, and ends with a turn that is canceled
// or fails. Only a completed turn that another follows is told of.
func TestSessionsGoOn(t *testing.T) {
	for _, c := range []struct {
		status engine.Status
		turn   bool
		told   int
	}{
		{engine.Completed, true, 1}, {engine.Rejected, true, 0}, {engine.Canceled, false, 0}, {engine.Failed, false, 0},
	} {
		plan := planOf([]session{{"a", 0, []int{1, 1}, []float64{7}}, {"b", 0, []int{1}, nil}})
		plan.StartMs, plan.Concurrency = nil, 1
		told := 0
		plan.Completed = func(session, turn int, _ *engine.Request) {
			require.Equal(t, []int{0, 0}, []int{session, turn})
			told++
		}
		s := NewSessions(plan)
		r := s.Admit(0, 0)
		require.Nil(t, s.Admit(0, 1), "one session at a time")
		r.Status = c.status
		s.Ended(30, []*engine.Request{r})
		at, ready := s.Next()
		require.True(t, ready)
		if c.turn {
			require.Equal(t, 37.0, at)
			next := s.Admit(37, 0)
			require.Equal(t, []any{"a", 1}, []any{LabelOf(next).Session, LabelOf(next).Turn})
			next.Status = engine.Completed
			s.Ended(50, []*engine.Request{next})
		} else {
			require.Equal(t, 30.0, at)
		}
		require.Equal(t, c.told, told)
		require.Equal(t, "b", LabelOf(s.Admit(50, 0)).Session)
		require.False(t, s.Left())
	}
}

// A list is admitted in order, as time allows or as many as may be in flight.
func TestLists(t *testing.T) {
	request := func(i int) *engine.Request {
		return &engine.Request{Output: 1, Load: &Label{Session: fmt.Sprint(i)}}
	}
	starts := []float64{0, 5, 5, 90}
	timed := NewTimedList(len(starts), func(i int) float64 { return starts[i] }, request)
	at, order := arrivals(t, timed, alone)
	require.Equal(t, map[string][]float64{"0": {0}, "1": {5}, "2": {5}, "3": {90}}, at)
	require.Equal(t, []string{"0", "1", "2", "3"}, order)

	at, _ = arrivals(t, NewConcurrentList(5, 2, request), alone)
	require.Equal(t, map[string][]float64{"0": {0}, "1": {0}, "2": {20}, "3": {20}, "4": {40}}, at)
}
