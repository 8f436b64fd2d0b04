package cluster_test

import (
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/replay/cluster"
	"tracekit/replay/engine"
	"tracekit/replay/engine/vllm"
	"tracekit/replay/kvcache"
	"tracekit/replay/timing"
	"tracekit/replay/workload"
)

// recorder keeps what an observer is told.
type recorder struct {
	requests  []*engine.Request
	gaps      map[float64]int
	arrived   int
	prefilled int
}

func (r *recorder) Gaps(ms float64, n int)    { r.gaps[ms] += n }
func (r *recorder) Arrived()                  { r.arrived++ }
func (r *recorder) Prefilled(tokens int)      { r.prefilled += tokens }
func (r *recorder) Ended(req *engine.Request) { r.requests = append(r.requests, req) }

// life is what a row tells of a request.
func life(r *engine.Request) string {
	return fmt.Sprint(r.Ordinal, r.ArrivalMs, r.Admissions, r.Emitted, r.FirstToken, r.SecondToken, r.LastToken, r.Status, r.TerminalMs, r.Worker, r.Rank)
}

// scenario is a small random replay that can be run again and again.
type scenario struct {
	config   vllm.Config
	workers  int
	lengths  [][2]int
	prompts  []kvcache.Tokens
	arrivals []float64 // nil under concurrency
	inFlight int
	sessions bool
	delay    float64
}

func draw(random *rand.Rand) scenario {
	s := scenario{workers: 1 + random.IntN(3), inFlight: 1 + random.IntN(6), delay: float64(random.IntN(3)) * 7.5}
	s.config = vllm.Config{
		Blocks: 8 + random.IntN(60), BlockSize: 2 + random.IntN(15), MaxBatched: 4 + random.IntN(200),
		MaxSequences: 1 + random.IntN(8), PrefixCaching: random.IntN(4) > 0, ChunkedPrefill: true,
		PrefillInterval: 1, Ranks: 1,
	}
	if random.IntN(3) == 0 {
		s.config.MaxModelLength = 20 + random.IntN(150)
	}
	s.config.Timing = timing.NewFixed(float64(random.IntN(30)), 0.5+float64(random.IntN(9))/3)
	if random.IntN(2) == 0 {
		s.config.Timing = timing.Polynomial{PoolTokens: s.config.Blocks * s.config.BlockSize}
	}
	room := s.config.Blocks * s.config.BlockSize
	at := 0.0
	for i := range 1 + random.IntN(30) {
		// What could never end is no scenario: a lone request must fit.
		input := 1 + random.IntN(max(room*2/3, 1))
		output := random.IntN(max(min(room-input, 120), 1))
		s.lengths = append(s.lengths, [2]int{input, output})
		var t kvcache.Tokens
		shared := min(input, random.IntN(4)*s.config.BlockSize*2)
		t.Append(kvcache.Run{ID: uint64(random.IntN(3)), Len: shared, Constant: true})
		t.Append(kvcache.Run{ID: uint64(1000 + i), Len: input - shared})
		s.prompts = append(s.prompts, t)
		at += float64(random.IntN(4)) * 13.25
		s.arrivals = append(s.arrivals, at)
	}
	switch random.IntN(3) {
	case 0:
		s.arrivals = nil
	case 1:
		s.sessions = true
	}
	return s
}

func (s scenario) run(t *testing.T, plain bool, capMs float64, stop bool) (*recorder, float64, error) {
	request := func(i int) *engine.Request {
		r := &engine.Request{Ordinal: i + 1, Input: s.lengths[i][0], Output: s.lengths[i][1]}
		r.Tokens = kvcache.Tokens{Runs: slices.Clone(s.prompts[i].Runs), Len: s.prompts[i].Len}
		return r
	}
	var source workload.Source
	switch n := len(s.lengths); {
	case s.sessions:
		turns := 1 + n/5
		source = workload.NewSessions(workload.SessionPlan{
			Sessions: n / turns, Turns: func(int) int { return turns }, Concurrency: s.inFlight,
			DelayMs: func(int, int) float64 { return s.delay },
			Request: func(session, turn int) *engine.Request { return request(session*turns + turn) },
		})
	case s.arrivals == nil:
		source = workload.NewConcurrentList(n, s.inFlight, request)
	default:
		source = workload.NewTimedList(n, func(i int) float64 { return s.arrivals[i] }, request)
	}
	var workers []*engine.Worker
	for id := range s.workers {
		workers = append(workers, engine.NewWorker(id, []engine.Scheduler{vllm.New(s.config)}))
	}
	seen := &recorder{gaps: map[float64]int{}}
	end, err := cluster.Run(t.Context(), cluster.Options{
		Source: source, Workers: workers, Observer: seen, CapMs: capMs, StopAtCap: stop, Plain: plain,
	})
	slices.SortFunc(seen.requests, func(a, b *engine.Request) int { return a.Ordinal - b.Ordinal })
	return seen, end, err
}

// Taking passes together changes nothing: every time, count and gap is that
// of the loop that takes each pass by itself, to the last bit.
func TestFastPathIsPlainPath(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 12))
	ended, preempted, gaps := 0, 0, 0
	for i := range 3000 {
		s := draw(random)
		limit := math.Inf(1)
		if random.IntN(4) == 0 {
			limit = random.Float64() * 400
		}
		plain, plainEnd, plainErr := s.run(t, true, limit, false)
		fast, fastEnd, fastErr := s.run(t, false, limit, false)
		require.Equal(t, plainErr == nil, fastErr == nil, "scenario %d: %v, %v", i, plainErr, fastErr)
		require.Equal(t, plainEnd, fastEnd, "scenario %d", i)
		require.Equal(t, plain.arrived, fast.arrived)
		require.Equal(t, plain.prefilled, fast.prefilled)
		require.Equal(t, len(plain.requests), len(fast.requests))
		for k := range plain.requests {
			require.Equal(t, life(plain.requests[k]), life(fast.requests[k]), "scenario %d", i)
			if len(plain.requests[k].Admissions) > 1 {
				preempted++
			}
		}
		require.Equal(t, plain.gaps, fast.gaps, "scenario %d", i)
		ended += len(plain.requests)
		for n := range maps.Values(plain.gaps) {
			gaps += n
		}
	}
	require.Greater(t, ended, 10_000)
	require.Greater(t, preempted, 100)
	require.Greater(t, gaps, 100_000)
}

// A replay that nothing can free says so, and names the request.
func TestStuck(t *testing.T) {
	s := scenario{workers: 1, inFlight: 1, lengths: [][2]int{{40, 100}}, prompts: make([]kvcache.Tokens, 1)}
	s.prompts[0].Append(kvcache.Run{Len: 40})
	s.config = vllm.Config{Blocks: 4, BlockSize: 16, MaxBatched: 100, MaxSequences: 4, PrefixCaching: true, ChunkedPrefill: true, PrefillInterval: 1, Ranks: 1, Timing: timing.NewFixed(20, 5)}
	for _, plain := range []bool{true, false} {
		_, _, err := s.run(t, plain, math.Inf(1), false)
		var stuck *cluster.StuckError
		require.ErrorAs(t, err, &stuck)
		require.ErrorContains(t, err, "worker 0: request 1, 65 tokens known, needs 5 blocks of 16; the pool has 4")
	}
}
