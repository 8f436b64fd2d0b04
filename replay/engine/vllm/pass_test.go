package vllm_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/replay/engine"
	"tracekit/replay/engine/vllm"
	"tracekit/replay/kvcache"
	"tracekit/replay/timing"
)

// spy is a timing model that remembers what it was asked.
type spy struct {
	timing.Model
	prefill timing.Prefill
	decode  timing.Decode
}

func (s *spy) Prefill(p timing.Prefill) float64 {
	s.prefill = p
	return s.Model.Prefill(p)
}

func (s *spy) Decode(d timing.Decode) float64 {
	s.decode = d
	return s.Model.Decode(d)
}

// bench is a rank whose passes are taken one by one.
type bench struct {
	*vllm.Rank
	spy      *spy
	now      float64
	wave     int
	requests []*engine.Request
}

// newBench makes a rank with blocks of 16 tokens, 256 tokens and 32 sequences
// in a pass, 20 and 5 ms, unless change says otherwise.
func newBench(change func(c *vllm.Config)) *bench {
	c := vllm.Config{
		Blocks: 1000, BlockSize: 16, MaxBatched: 256, MaxSequences: 32, PrefixCaching: true, ChunkedPrefill: true,
		PrefillInterval: 1, Ranks: 1, Timing: timing.NewFixed(20, 5),
	}
	if change != nil {
		change(&c)
	}
	s := &spy{Model: c.Timing}
	c.Timing = s
	return &bench{Rank: vllm.New(c), spy: s}
}

// submit makes a request with a prompt like no other.
func (b *bench) submit(input, output int) *engine.Request {
	return b.submitPrompt(output, kvcache.Run{ID: uint64(1000 + len(b.requests)), Len: input})
}

func (b *bench) submitPrompt(output int, runs ...kvcache.Run) *engine.Request {
	r := &engine.Request{Ordinal: len(b.requests) + 1, Output: output}
	for _, run := range runs {
		r.Tokens.Append(run)
	}
	r.Input = r.Tokens.Len
	b.requests = append(b.requests, r)
	b.Submit(r)
	return r
}

// next takes a pass and describes it: when it begins and ends; the prompts
// that it computes, their tokens and those of them known before; the decoding
// requests and their tokens; the requests that emit a token, with a dot if
// that was their last.
func (b *bench) next() string {
	b.spy.prefill, b.spy.decode = timing.Prefill{}, timing.Decode{}
	p := b.Pass(b.now, b.wave)
	b.wave++
	end := (b.now + p.PrefillMs) + p.DecodeMs
	var s strings.Builder
	fmt.Fprintf(&s, "%v-%v", b.now, end)
	if n := b.spy.prefill; n.Requests > 0 {
		fmt.Fprintf(&s, " prefill %d: %d of %d", n.Requests, n.SumLen-n.SumPrefix, n.SumLen)
	}
	if d := b.spy.decode; d.Requests > 0 {
		fmt.Fprintf(&s, " decode %d: %d", d.Requests, d.SumContext)
	}
	for _, r := range p.Finished {
		fmt.Fprintf(&s, " finished %d", r.Ordinal)
	}
	for i, r := range p.Tokens {
		fmt.Fprintf(&s, " %d", r.Ordinal)
		if p.Ended[i] {
			s.WriteByte('.')
		}
	}
	for _, r := range p.Rejected {
		fmt.Fprintf(&s, " rejected %d", r.Ordinal)
	}
	if !p.Progress {
		s.WriteString(" idle")
	}
	b.now = end
	return s.String()
}

// until takes passes until one begins at ms, which it describes.
func (b *bench) until(t *testing.T, ms float64) string {
	t.Helper()
	for b.now < ms {
		b.next()
	}
	require.Equal(t, ms, b.now)
	return b.next()
}

// admissions tells when a request was admitted, and what it reused.
func admissions(r *engine.Request) string {
	var all []string
	for _, a := range r.Admissions {
		all = append(all, fmt.Sprintf("%v:%d", a.AtMs, a.Reused))
	}
	return strings.Join(all, " ")
}

// Prompts share the budget of a pass; one is cut (engine-vllm.md 16.1).
func TestSharedBudget(t *testing.T) {
	b := newBench(nil)
	for _, r := range [][2]int{{100, 4}, {90, 6}, {150, 5}, {64, 3}, {33, 2}} {
		b.submit(r[0], r[1])
	}
	for _, want := range []string{
		"0-20 prefill 3: 256 of 256 1 2",
		"20-45 prefill 3: 181 of 247 decode 2: 192 1 2 3 4 5",
		"45-50 decode 5: 444 1 2 3 4 5.",
		"50-55 decode 4: 414 1. 2 3 4.",
		"55-60 decode 2: 247 2 3",
		"60-65 decode 2: 249 2. 3.",
	} {
		require.Equal(t, want, b.next())
	}
	require.False(t, b.Busy())
	require.Equal(t, "0:0", admissions(b.requests[2]))
	require.Equal(t, "20:0", admissions(b.requests[3]))
}

// What was admitted last makes room, to itself last of all (16.2).
func TestPreemption(t *testing.T) {
	b := newBench(func(c *vllm.Config) { c.Blocks = 18 })
	b.submit(60, 70)
	b.submit(50, 60)
	b.submit(64, 50)
	require.Equal(t, "0-20 prefill 3: 174 of 174 1 2 3", b.next())
	b.submit(48, 40)
	require.Equal(t, "20-45 prefill 1: 48 of 48 decode 3: 177 1 2 3 4", b.next())
	require.Equal(t, "105-110 decode 4: 277 1 2 3 4", b.until(t, 105))
	require.Equal(t, "110-115 decode 3: 219 1 2 3", b.next(), "4 has made room")
	require.Equal(t, "195-200 decode 3: 270 1 2 3", b.until(t, 195))
	require.Equal(t, "200-205 decode 2: 176 1 2", b.next(), "3 has made room for itself")
	require.Equal(t, "330-335 decode 2: 228 1 2.", b.until(t, 330))
	// Of the 97 tokens of request 3 48 are still known: 16 of the prompt and
	// 33 generated ones are computed again, and it goes on as a decode.
	require.Equal(t, "335-360 prefill 1: 16 of 64 decode 2: 217 1 3", b.next())
	require.Equal(t, "400-405 decode 2: 235 1. 3", b.until(t, 400))
	require.Equal(t, "405-430 prefill 1: 48 of 48 decode 2: 169 3 4", b.next())
	require.Equal(t, "455-460 decode 2: 181 3. 4", b.until(t, 455))
	require.Equal(t, "550-555 decode 1: 87 4.", b.until(t, 550))
	for i, want := range []string{"0:0", "0:0", "0:0 335:48", "20:0 405:0"} {
		require.Equal(t, want, admissions(b.requests[i]))
	}
}

// A lone request under polynomial timing (16.3).
func TestPolynomialRequest(t *testing.T) {
	b := newBench(func(c *vllm.Config) { c.Blocks, c.Timing = 96, timing.Polynomial{PoolTokens: 1536} })
	b.now = 2000
	b.submit(100, 4)
	require.Equal(t, "2000-2018.023974 prefill 1: 100 of 100 1", b.next())
	require.Contains(t, b.next(), " decode 1: 101 1")
	require.InDelta(t, 2018.023974+9.180146, b.now, 1e-6)
}

// The prefill is charged for the mean prompt, rounded down: 3 and 4 tokens
// cost as 3 and 3 do.
func TestPolynomialMeans(t *testing.T) {
	cost := func(inputs ...int) float64 {
		b := newBench(func(c *vllm.Config) { c.Timing = timing.Polynomial{PoolTokens: 1536} })
		for _, n := range inputs {
			b.submit(n, 1)
		}
		b.next()
		return b.now
	}
	require.Equal(t, cost(3, 3), cost(3, 4))
	require.NotEqual(t, cost(3, 3), cost(4, 4))
	require.Equal(t, cost(6), cost(3, 4))
}

// Without budget the queue still rejects, and lets in what needs no tokens:
// a known prompt without output.
func TestWithoutBudget(t *testing.T) {
	b := newBench(func(c *vllm.Config) { c.BlockSize, c.MaxBatched, c.MaxModelLength, c.Blocks = 4, 16, 40, 9 })
	same := kvcache.Run{ID: 7, Len: 16}
	b.submitPrompt(3, same)
	b.submit(40, 1)         // no shorter than the context
	b.submit(37, 1)         // more than the pool
	b.submitPrompt(0, same) // known, and visible in the same pass
	b.submitPrompt(0, same) // the same, but the pass has ended with the one before
	b.submit(4, 1)
	require.Equal(t, "0-20 prefill 1: 16 of 16 finished 4 1 rejected 2 rejected 3", b.next())
	require.Equal(t, "20-45 prefill 1: 4 of 4 decode 1: 17 finished 5 1 6.", b.next())
	require.Equal(t, "0:16", admissions(b.requests[3]))
	require.Equal(t, "20:16", admissions(b.requests[4]))
	require.Empty(t, b.requests[1].Admissions)
	require.Equal(t, "45-50 decode 1: 18 1.", b.next())
	require.False(t, b.Busy())
}

// A pass of nothing but rejections takes no time, and is progress.
func TestOnlyRejections(t *testing.T) {
	b := newBench(func(c *vllm.Config) { c.MaxModelLength = 10 })
	b.submit(10, 1)
	b.submit(11, 1)
	require.Equal(t, "0-0 rejected 1 rejected 2", b.next())
	require.Equal(t, "0-0 idle", b.next())
}

// No prompt at all: the first token costs a decode of no context.
func TestEmptyPrompt(t *testing.T) {
	b := newBench(nil)
	b.submit(0, 2)
	require.Equal(t, "0-5 decode 1: 0 1", b.next())
	require.Equal(t, "5-10 decode 1: 1 1.", b.next())
}

// The context ends a request that asks for more.
func TestContextEndsRequest(t *testing.T) {
	b := newBench(func(c *vllm.Config) { c.MaxModelLength = 10 })
	b.submit(8, 5)
	require.Equal(t, "0-20 prefill 1: 8 of 8 1", b.next())
	require.Equal(t, "20-25 decode 1: 9 1.", b.next())
	require.False(t, b.Busy())
}

// Blocks and slots are free when a pass is decided, not when it ends.
func TestFreedWhenDecided(t *testing.T) {
	b := newBench(func(c *vllm.Config) { c.MaxSequences, c.Blocks = 1, 4 })
	b.submit(64, 1)
	require.Equal(t, "0-20 prefill 1: 64 of 64 1.", b.next())
	require.False(t, b.Busy())
	b.submit(64, 1)
	require.Equal(t, "20-40 prefill 1: 64 of 64 2.", b.next())
}

// A prompt is known to the next one of the same pass. Its last block is
// computed again, for a token must come out of it.
func TestVisibleInTheSamePass(t *testing.T) {
	for _, c := range []struct {
		name           string
		input, output  int
		pass, reused   string
		withoutCaching string
	}{
		{"whole blocks", 64, 2, "0-20 prefill 2: 80 of 128 1 2", "0:48", "0-20 prefill 2: 128 of 128 1 2"},
		{"part of a block left", 70, 2, "0-20 prefill 2: 76 of 140 1 2", "0:64", "0-20 prefill 2: 140 of 140 1 2"},
		{"no output", 64, 0, "0-20 prefill 1: 64 of 64 finished 1 finished 2", "0:64", "0-20 prefill 2: 128 of 128 finished 1 finished 2"},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, caching := range []bool{true, false} {
				b := newBench(func(k *vllm.Config) { k.PrefixCaching = caching })
				for range 2 {
					b.submitPrompt(c.output, kvcache.Run{ID: 5, Len: c.input, Constant: true})
				}
				if got := b.next(); caching {
					require.Equal(t, c.pass, got)
					require.Equal(t, c.reused, admissions(b.requests[1]))
				} else {
					require.Equal(t, c.withoutCaching, got)
					require.Equal(t, "0:0", admissions(b.requests[1]))
				}
			}
		})
	}
}

// The last token that a request generates is never computed, so the block
// that it fills is not known.
func TestLastTokenIsNotKnown(t *testing.T) {
	for _, c := range []struct{ output, reused int }{{1, 0}, {2, 16}, {17, 16}, {18, 32}} {
		b := newBench(nil)
		first := b.submit(15, c.output)
		for b.Busy() {
			b.next()
		}
		follower := b.submitPrompt(1, append(first.Tokens.Runs, kvcache.Run{ID: 99, Len: 16})...)
		b.next()
		require.Equal(t, c.reused, follower.Admissions[0].Reused, "%d tokens", c.output)
	}
}

// A request that has made room finds what it generated, too: it reuses more
// than its prompt.
func TestReuseBeyondPrompt(t *testing.T) {
	b := newBench(func(c *vllm.Config) { c.BlockSize, c.Blocks = 4, 10 })
	b.submit(8, 20)
	second := b.submit(4, 20)
	for b.Busy() {
		b.next()
	}
	// After 12 decodes they hold 5 and 4 blocks. The first takes the free one,
	// and the second makes room for itself, with all 4 known; the first needs
	// one of them before it ends.
	require.Len(t, second.Admissions, 2)
	require.Equal(t, 12, second.Admissions[1].Reused)
}

// A request that has grown beyond the pool is not rejected: it waits in front
// for ever, and says why.
func TestGrownBeyondPool(t *testing.T) {
	b := newBench(func(c *vllm.Config) { c.Blocks = 4 })
	b.submit(40, 100)
	b.submit(16, 1)
	require.Equal(t, "0-20 prefill 2: 56 of 56 1 2.", b.next())
	require.Equal(t, "135-140 decode 1: 64 1", b.until(t, 135))
	require.Equal(t, "140-140", b.next(), "it makes room for itself")
	b.submit(16, 1)
	require.Equal(t, "140-140 idle", b.next())
	lines := strings.Join(b.Blocked(), "\n")
	require.Contains(t, lines, "request 1, 65 tokens known, needs 5 blocks of 16; the pool has 4, 4 of them available")
	require.Contains(t, lines, "request 3, 16 tokens known")
}

// Without chunks a prompt waits until a pass has room for all of it that is
// not known.
func TestWithoutChunks(t *testing.T) {
	b := newBench(func(c *vllm.Config) { c.ChunkedPrefill, c.MaxBatched = false, 100 })
	b.submitPrompt(2, kvcache.Run{ID: 5, Len: 64, Constant: true})
	b.submit(64, 1)
	b.submit(16, 1) // waits behind it
	require.Equal(t, "0-20 prefill 1: 64 of 64 1", b.next())
	require.Equal(t, "20-45 prefill 2: 80 of 80 decode 1: 65 1. 2. 3.", b.next())
	b.submitPrompt(1, kvcache.Run{ID: 5, Len: 64, Constant: true}, kvcache.Run{ID: 6, Len: 100})
	require.Equal(t, "45-65 prefill 1: 100 of 164 4.", b.next())
	b.submit(101, 1)
	require.Equal(t, "65-65 idle", b.next())
	require.Contains(t, b.Blocked()[0], "its prompt of 101 tokens is more than the 100 of a pass, and chunked prefill is off")
}

// The budget goes to the requests that run, first to last, whether they
// prefill or decode; what it does not reach does nothing.
func TestBudgetByOrder(t *testing.T) {
	b := newBench(func(c *vllm.Config) { c.MaxBatched = 10 })
	b.submit(4, 9)
	b.submit(20, 2)
	b.submit(3, 2)
	require.Equal(t, "0-20 prefill 2: 10 of 10 1", b.next())
	require.Equal(t, "20-45 prefill 1: 9 of 15 decode 1: 5 1", b.next())
	require.Equal(t, "45-70 prefill 2: 8 of 23 decode 1: 6 1 2 3", b.next())
	require.Equal(t, "70-75 decode 3: 32 1 2. 3.", b.next())
}

// With several ranks prompts wait for a wave in which all ranks prefill,
// unless nothing decodes or some have waited already (engine-vllm.md 9).
func TestPrefillInterval(t *testing.T) {
	b := newBench(func(c *vllm.Config) { c.Ranks, c.PrefillInterval, c.MaxSequences = 2, 3, 2 })
	b.submit(32, 20)
	require.Equal(t, "0-20 prefill 1: 32 of 32 1", b.next(), "wave 0")
	b.submit(32, 1)
	require.Equal(t, "20-25 decode 1: 33 1", b.next(), "wave 1")
	require.Equal(t, "25-30 decode 1: 34 1", b.next(), "wave 2")
	b.submit(32, 3)
	b.submit(32, 1)
	require.Equal(t, "30-55 prefill 1: 32 of 32 decode 1: 35 1 2.", b.next(), "wave 3")
	// Two were left waiting: the next waves need not wait.
	require.Equal(t, "55-80 prefill 1: 32 of 32 decode 1: 36 1 3", b.next(), "wave 4")
	require.Equal(t, "80-85 decode 2: 70 1 3", b.next(), "wave 5")
	require.Equal(t, "85-90 decode 2: 72 1 3.", b.next(), "wave 6")

	// A lone rank never waits.
	b = newBench(func(c *vllm.Config) { c.PrefillInterval = 3 })
	b.submit(32, 20)
	b.next()
	b.submit(32, 1)
	require.Equal(t, "20-45 prefill 1: 32 of 32 decode 1: 33 1 2.", b.next())

	// Nothing decodes: nothing to wait for.
	b = newBench(func(c *vllm.Config) { c.Ranks, c.PrefillInterval = 2, 3 })
	b.wave = 1
	b.submit(32, 1)
	require.Equal(t, "0-20 prefill 1: 32 of 32 1.", b.next())
}

// A prompt that is half done waits for its wave like a new one.
func TestPrefillIntervalInChunks(t *testing.T) {
	b := newBench(func(c *vllm.Config) { c.Ranks, c.PrefillInterval, c.MaxBatched = 2, 3, 20 })
	b.submit(16, 20)
	require.Equal(t, "0-20 prefill 1: 16 of 16 1", b.next(), "wave 0")
	b.submit(30, 1)
	for _, want := range []string{
		"20-25 decode 1: 17 1", "25-30 decode 1: 18 1",
		"30-55 prefill 1: 19 of 19 decode 1: 19 1",
		"55-60 decode 1: 20 1", "60-65 decode 1: 21 1",
		"65-90 prefill 1: 11 of 30 decode 1: 22 1 2.",
	} {
		require.Equal(t, want, b.next())
	}
}

// A request that has made room is no backlog: it waits for its wave.
func TestPrefillIntervalAfterPreemption(t *testing.T) {
	b := newBench(func(c *vllm.Config) {
		c.Ranks, c.PrefillInterval, c.BlockSize, c.Blocks, c.PrefixCaching = 2, 4, 4, 8, false
	})
	b.submit(5, 5)
	b.submit(5, 20)
	b.submit(5, 20)
	for _, want := range []string{
		"0-20 prefill 3: 15 of 15 1 2 3",
		"20-25 decode 3: 18 1 2 3", "25-30 decode 3: 21 1 2 3", "30-35 decode 3: 24 1 2 3",
		"35-40 decode 2: 18 1. 2", // wave 4: 3 makes room for itself, and 1 for it
		"40-45 decode 1: 10 2", "45-50 decode 1: 11 2", "50-55 decode 1: 12 2",
		"55-80 prefill 1: 5 of 5 decode 2: 22 2 3",
	} {
		require.Equal(t, want, b.next())
	}
	require.Equal(t, "0:0 55:0", admissions(b.requests[2]))
}

// What a request shares with one that runs needs no room; what it knows of
// one that has ended does.
func TestRoomForSharedBlocks(t *testing.T) {
	for _, c := range []struct {
		name   string
		output int // of the request that knows the prefix: 1 ends it
		other  bool
		blocks int
		admits bool
	}{
		{"2 more than the 3 of the first", 3, false, 5, true},
		{"too few", 3, false, 4, false},
		{"4, the first has ended", 1, false, 4, true},
		{"4 besides 2 of another", 1, true, 6, true},
		{"too few besides another", 1, true, 5, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(func(k *vllm.Config) { k.BlockSize, k.Blocks = 4, c.blocks })
			prefix := kvcache.Run{ID: 5, Len: 8, Constant: true}
			b.submitPrompt(c.output, prefix, kvcache.Run{ID: 6, Len: 2})
			if c.other {
				b.submit(4, 9)
			}
			b.next()
			follower := b.submitPrompt(1, prefix, kvcache.Run{ID: 7, Len: 8})
			b.next()
			if c.admits {
				require.Equal(t, "20:8", admissions(follower))
			} else {
				require.Empty(t, follower.Admissions)
			}
		})
	}
}
