package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// plays returns the first n plays of a profile as documents, without those so
// large that parsing them would take most of the time.
func plays(t *testing.T, profile WekaProfile, seed uint64, n int) []document {
	t.Helper()
	return playsIf(t, profile, seed, n, func(*wekaPlay) bool { return true })
}

// playsIf returns the first n plays for which want holds.
func playsIf(t *testing.T, profile WekaProfile, seed uint64, n int, want func(*wekaPlay) bool) []document {
	t.Helper()
	const most = 60_000 // ids
	docs := make([]document, 0, n)
	for ordinal := 0; len(docs) < n; ordinal++ {
		play := buildWekaPlay(profile.knobs(), seed, ordinal, nil)
		if want(play) && idsOf(play) < most {
			text := AppendWekaPlay(nil, ordinal, WekaOptions{Seed: seed, Profile: profile})
			docs = append(docs, parse(t, text))
		}
	}
	return docs
}

// idsOf returns how many ids all lists of the play have.
func idsOf(play *wekaPlay) int {
	n := 0
	for i := range play.entries {
		e := &play.entries[i]
		n += e.call.blocks()
		if e.subagent != nil {
			for j := range e.subagent.calls {
				n += e.subagent.calls[j].blocks()
			}
		}
	}
	return n
}

func hasSubagents(play *wekaPlay) bool {
	return slices.ContainsFunc(play.entries, func(e wekaEntry) bool { return e.subagent != nil })
}

func hasBackground(play *wekaPlay) bool {
	return slices.ContainsFunc(play.entries, func(e wekaEntry) bool { return e.subagent != nil && e.subagent.background })
}

// The bytes of a corpus are part of what users rely on: figures published for
// a seed must stay reproducible. If a change is meant, this is where it shows.
func TestBytesOfASeed(t *testing.T) {
	want := map[WekaProfile]string{
		ProfileRaw:    "03bca91a0ecaf5c1",
		ProfileAgentX: "76bc69723f47414a",
		ProfilePlain:  "818a33aaba75caa0",
	}
	for profile, digest := range want {
		var text []byte
		for ordinal := range 12 {
			text = AppendWekaPlay(text, ordinal, WekaOptions{Seed: 42, Profile: profile})
		}
		sum := sha256.Sum256(text)
		assert.Equal(t, digest, hex.EncodeToString(sum[:8]), profile)
	}
}

func TestAPlayDependsOnSeedProfileAndOrdinalAlone(t *testing.T) {
	seen := map[string]string{}
	for _, profile := range WekaProfiles() {
		for _, seed := range []uint64{0, 1, 1 << 63} {
			for _, ordinal := range []int{0, 1, 500} {
				opts := WekaOptions{Seed: seed, Profile: profile}
				text := AppendWekaPlay(nil, ordinal, opts)

				opts.Plays, opts.Jobs = 7, 3
				assert.Equal(t, "head"+string(text), string(AppendWekaPlay([]byte("head"), ordinal, opts)))

				body := string(text[bytes.IndexByte(text, ','):]) // without the id
				assert.NotContains(t, seen, body)
				seen[body] = string(profile)
			}
		}
	}
}

func TestPlayNames(t *testing.T) {
	for _, c := range []struct {
		ordinal, digits int
		want            string
	}{
		{0, 4, "trace_0001"}, {9998, 4, "trace_9999"}, {9999, 4, "trace_10000"}, {0, 5, "trace_00001"}, {99999, 5, "trace_100000"},
	} {
		assert.Equal(t, c.want, wekaPlayName(c.ordinal, c.digits))
	}
	text := AppendWekaPlay(nil, 12345, WekaOptions{Profile: ProfilePlain})
	assert.Equal(t, "trace_12346", parse(t, text).ID)
}

func TestAppendWekaPlayPanics(t *testing.T) {
	assert.Panics(t, func() { AppendWekaPlay(nil, 0, WekaOptions{}) })
	assert.Panics(t, func() { AppendWekaPlay(nil, -1, WekaOptions{Profile: ProfileRaw}) })
}

func TestAcceptance(t *testing.T) {
	cases := []struct {
		profile WekaProfile
		program bool
		plays   int
	}{
		{ProfilePlain, false, 40},
		{ProfilePlain, true, 10},
		{ProfileAgentX, true, 4},
	}
	for _, c := range cases {
		for seed := range uint64(3) {
			docs := plays(t, c.profile, seed, c.plays)
			docs = append(docs, playsIf(t, c.profile, seed, c.plays/2, hasSubagents)...)
			for _, doc := range docs {
				assert.Empty(t, offences(&doc, c.program), "%s, seed %d, %s", c.profile, seed, doc.ID)
			}
		}
	}
}

// Raw plays are refused for the reasons recorded ones are, and no other.
func TestAcceptanceOfRaw(t *testing.T) {
	refused := map[string]int{}
	docs := plays(t, ProfileRaw, 5, 20)
	docs = append(docs, playsIf(t, ProfileRaw, 5, 10, hasSubagents)...)
	for _, doc := range docs {
		found := offences(&doc, true)
		for _, what := range found {
			refused[what]++
		}
		subagents := slices.ContainsFunc(doc.Requests, func(e docEntry) bool { return e.Type == "subagent" })
		assert.Equal(t, subagents, slices.Contains(found, "undeclared model"), doc.ID)
	}
	delete(refused, "nested request before its marker") // the clock of recordings
	assert.Len(t, refused, 1)
	assert.Positive(t, refused["undeclared model"])
}

// In the model as in the text, no play of any seed breaks the order that keeps
// its graph free of cycles. The model is cheap enough to look at many.
func TestOrderOfEntries(t *testing.T) {
	for _, profile := range WekaProfiles() {
		knobs := profile.knobs()
		var spare []wekaEntry
		for ordinal := range 1500 {
			play := buildWekaPlay(knobs, uint64(ordinal), ordinal, spare)
			spare = play.entries
			require.Nil(t, play.entries[0].subagent, "a marker without an owner")
			last, marker, number := -1, -1, 0
			for i := range play.entries {
				e := &play.entries[i]
				if e.subagent == nil {
					at := e.call.start
					if at <= last || at < marker-knobs.clock/2 || at%knobs.clock != 0 {
						require.FailNow(t, "outer request out of order", "%s, play %d, entry %d", profile, ordinal, i)
					}
					last = at
					continue
				}
				number++
				h := e.subagent
				if h.number != number || h.launch < last || h.marker < h.launch || h.marker < marker && i > 0 && play.entries[i-1].subagent != nil {
					require.FailNow(t, "marker out of order", "%s, play %d, entry %d", profile, ordinal, i)
				}
				marker = h.marker
			}
		}
	}
}

// A session waits for its subagents, unless they run in the background: the
// next outer request of the published profiles joins the ones before it.
func TestSessionsWait(t *testing.T) {
	for _, profile := range WekaProfiles() {
		var waited, passed int
		for ordinal := range 400 {
			play := buildWekaPlay(profile.knobs(), 3, ordinal, nil)
			for i := range play.entries {
				h := play.entries[i].subagent
				if h == nil {
					continue
				}
				last := h.calls[len(h.calls)-1]
				end := h.launch + last.start + last.service
				for j := i + 1; j < len(play.entries); j++ {
					if next := &play.entries[j]; next.subagent == nil {
						if next.call.start >= end {
							waited++
						} else {
							require.True(t, h.background)
							passed++
						}
						break
					}
				}
			}
		}
		assert.Positive(t, waited, profile)
		if profile != ProfileRaw { // too few of them
			assert.Positive(t, passed, profile)
		}
	}
}

// Ids are dense, numbered in order of first appearance, and no list repeats one.
func TestIDs(t *testing.T) {
	for _, c := range []struct {
		profile WekaProfile
		plays   int
		first   int
	}{
		{ProfileRaw, 10, 1}, {ProfileAgentX, 3, 0}, {ProfilePlain, 20, 780},
	} {
		docs := plays(t, c.profile, 8, c.plays)
		docs = append(docs, playsIf(t, c.profile, 8, c.plays/2, hasSubagents)...)
		for _, doc := range docs {
			next := c.first
			number := func(call docEntry) {
				last := -1
				for _, id := range call.HashIDs {
					if id <= last || id > next {
						require.FailNow(t, "out of order", "%s: %d after %d, next new one is %d", doc.ID, id, last, next)
					}
					if id == next {
						next++
					}
					last = id
				}
			}
			nested := []docEntry{}
			for _, e := range doc.Requests {
				switch {
				case e.Type != "subagent":
					number(e)
				case c.profile == ProfileRaw:
					nested = append(nested, e.Requests...)
				default:
					for _, call := range e.Requests {
						number(call)
					}
				}
			}
			for _, call := range nested {
				number(call)
			}
		}
	}
}

func TestLengths(t *testing.T) {
	floor := func(c docEntry) bool { return c.In/64 == len(c.HashIDs) }
	ceil := func(c docEntry) bool { return (c.In+63)/64 == len(c.HashIDs) }
	exact := func(c docEntry) bool { return c.In == 64*len(c.HashIDs) }
	all := func(doc document, rule func(docEntry) bool) bool {
		return !slices.ContainsFunc(doc.calls(), func(c docEntry) bool { return !rule(c) })
	}
	for _, doc := range plays(t, ProfileRaw, 4, 10) {
		assert.True(t, all(doc, floor), doc.ID)
	}
	for _, doc := range plays(t, ProfilePlain, 4, 20) {
		assert.True(t, all(doc, ceil), doc.ID)
	}
	var exacts, ceils int
	for _, doc := range plays(t, ProfileAgentX, 4, 10) {
		assert.True(t, all(doc, ceil), doc.ID)
		if all(doc, exact) {
			exacts++
		} else {
			ceils++
		}
	}
	assert.Positive(t, exacts)
	assert.Positive(t, ceils)
}

func TestRawFields(t *testing.T) {
	var nested, background int
	docs := plays(t, ProfileRaw, 5, 20)
	docs = append(docs, playsIf(t, ProfileRaw, 5, 10, hasBackground)...)
	for _, doc := range docs {
		assert.NotNil(t, doc.ToolTokens)
		assert.NotNil(t, doc.SystemTokens)
		assert.Zero(t, doc.Requests[0].T)
		var parent, subagent docTokens
		count := 0
		for _, e := range doc.Requests {
			if e.Type == "subagent" {
				count++
				assert.Zero(t, e.Requests[0].T)
				assert.Equal(t, e.Status == "async_launched", e.DurationMS == nil)
				assert.Equal(t, []string{e.Requests[0].Model}, e.Models)
				for _, c := range e.Requests {
					nested++
					subagent.Input += c.In
					subagent.Output += c.Out
					assert.Equal(t, c.T, float64(int(c.T)))
				}
				if e.DurationMS == nil {
					background++
				}
				continue
			}
			parent.Input += e.In
			parent.Output += e.Out
			assert.Equal(t, e.T, float64(int(e.T)), "whole seconds")
			assert.NotEmpty(t, e.InputTypes)
			assert.NotNil(t, e.Stop)
			assert.Equal(t, e.Type == "s" && e.APITime != nil, e.TTFT != nil)
			assert.True(t, e.Type == "s" || e.APITime != nil)
		}
		want := docTotals{parent, subagent, docTokens{parent.Input + subagent.Input, parent.Output + subagent.Output}, count}
		require.Equal(t, &want, doc.Totals)
	}
	assert.Positive(t, nested)
	assert.Positive(t, background)
}

func TestPublishedFields(t *testing.T) {
	for _, doc := range plays(t, ProfileAgentX, 2, 6) {
		assert.Nil(t, doc.ToolTokens)
		assert.Nil(t, doc.Totals)
		used := map[string]bool{}
		for _, c := range doc.calls() {
			assert.NotNil(t, c.APITime)
			used[c.Model] = true
		}
		assert.Len(t, doc.Models, len(used))
		assert.LessOrEqual(t, len(used), 4)
		assert.True(t, slices.IsSorted(doc.Models))
	}
	text := AppendWekaPlay(nil, 0, WekaOptions{Profile: ProfileAgentX})
	assert.Regexp(t, `"requests":\[\{"t":0\.0,"in":\d+,"out":\d+,"api_time":[\d.]+,"think_time":0\.0,"type":"[ns]","model":"[^"]+","hash_ids":\[0,1,2,`, string(text))
}

func TestAppendSeconds(t *testing.T) {
	for ms, want := range map[int]string{
		missing: "", 0: "k0.0", 5: "k0.005", 40: "k0.04", 100: "k0.1", 1000: "k1.0", 134227: "k134.227", 8790: "k8.79", 60001: "k60.001",
	} {
		assert.Equal(t, want, string(appendSeconds(nil, "k", ms)))
	}
}

func BenchmarkAppendWekaPlay(b *testing.B) {
	for _, profile := range WekaProfiles() {
		b.Run(string(profile), func(b *testing.B) {
			w := wekaWorker{opts: WekaOptions{Seed: 1, Profile: profile}, knobs: profile.knobs()}
			var total int64
			for i := 0; b.Loop(); i++ {
				total += w.make(i % 50).Bytes
			}
			b.SetBytes(total / int64(b.N))
			b.ReportAllocs()
		})
	}
}
