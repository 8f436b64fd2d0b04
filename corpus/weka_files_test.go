package corpus

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestGenerateWeka(t *testing.T) {
	for profile, plays := range map[WekaProfile]int{ProfileRaw: 5, ProfileAgentX: 3, ProfilePlain: 12} {
		for _, jobs := range []int{0, 1, 3} {
			opts := WekaOptions{Plays: plays, Seed: 10, Profile: profile, Jobs: jobs}
			dir := t.TempDir()
			stats, err := GenerateWeka(t.Context(), dir, opts)
			require.NoError(t, err)

			var want WekaStats
			names, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Len(t, names, opts.Plays)
			for ordinal, name := range names {
				require.Equal(t, wekaPlayName(ordinal, 4)+".json", name.Name())
				text, err := os.ReadFile(filepath.Join(dir, name.Name()))
				require.NoError(t, err)
				require.True(t, bytes.Equal(AppendWekaPlay(nil, ordinal, opts), text))
				requests := bytes.Count(text, []byte(`"hash_ids":[`))
				want.add(WekaStats{Plays: 1, Requests: requests, Bytes: int64(len(text))})
			}
			assert.Equal(t, want, stats)
		}
	}
}

func TestGenerateWekaRefuses(t *testing.T) {
	for _, c := range []struct {
		opts WekaOptions
		want string
	}{
		{WekaOptions{Plays: 0, Profile: ProfileRaw}, "at least 1"},
		{WekaOptions{Plays: 1}, `unknown profile ""`},
		{WekaOptions{Plays: 1, Profile: "Raw"}, `want one of ["raw" "agentx" "plain"]`},
	} {
		dir := t.TempDir()
		_, err := GenerateWeka(t.Context(), dir, c.opts)
		assert.ErrorContains(t, err, c.want)
		names, _ := os.ReadDir(dir)
		assert.Empty(t, names)
	}
	missing := filepath.Join(t.TempDir(), "missing")
	_, err := GenerateWeka(t.Context(), missing, WekaOptions{Plays: 3, Profile: ProfilePlain})
	assert.ErrorIs(t, err, os.ErrNotExist)
}

func TestGenerateWekaStops(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	stats, err := GenerateWeka(ctx, t.TempDir(), WekaOptions{Plays: 3, Profile: ProfilePlain})
	assert.ErrorIs(t, err, context.Canceled)
	assert.Zero(t, stats)

	// A folder where a file should be ends the run at that play.
	dir := t.TempDir()
	require.NoError(t, os.Mkdir(filepath.Join(dir, "trace_0003.json"), 0o777))
	stats, err = GenerateWeka(t.Context(), dir, WekaOptions{Plays: 50, Profile: ProfilePlain, Jobs: 1})
	assert.ErrorContains(t, err, "trace_0003.json")
	assert.Equal(t, 2, stats.Plays)
	names, err := os.ReadDir(dir)
	require.NoError(t, err)
	assert.Len(t, names, 3)
}

func TestGenerateWekaLeavesNoPart(t *testing.T) {
	const full = "/dev/full" // opens, but takes no byte
	if _, err := os.Stat(full); err != nil {
		t.Skip("this system has no ", full)
	}
	dir := t.TempDir()
	require.NoError(t, os.Symlink(full, filepath.Join(dir, "trace_0002.json")))
	stats, err := GenerateWeka(t.Context(), dir, WekaOptions{Plays: 9, Profile: ProfilePlain, Jobs: 1})
	assert.Error(t, err)
	assert.Equal(t, 1, stats.Plays)
	names, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, names, 1)
	assert.Equal(t, "trace_0001.json", names[0].Name())
}

func TestGenerateWekaReplacesFiles(t *testing.T) {
	dir := t.TempDir()
	opts := WekaOptions{Plays: 1, Seed: 1, Profile: ProfilePlain}
	path := filepath.Join(dir, "trace_0001.json")
	require.NoError(t, os.WriteFile(path, make([]byte, 5<<20), 0o666))
	_, err := GenerateWeka(t.Context(), dir, opts)
	require.NoError(t, err)
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, string(AppendWekaPlay(nil, 0, opts)), string(text))
}

func TestWorkersStopAllocating(t *testing.T) {
	w := wekaWorker{opts: WekaOptions{Seed: 1, Profile: ProfilePlain}, knobs: ProfilePlain.knobs()}
	w.make(0)
	calls := w.make(0).Requests
	allocations := testing.AllocsPerRun(20, func() { w.make(0) })
	assert.Less(t, allocations, 20.0, "for %d requests", calls)
}

func BenchmarkGenerateWeka(b *testing.B) {
	for _, c := range []struct {
		profile WekaProfile
		plays   int
	}{{ProfileRaw, 40}, {ProfileAgentX, 8}, {ProfilePlain, 100}} {
		b.Run(string(c.profile), func(b *testing.B) {
			dir := b.TempDir()
			b.ReportAllocs()
			for b.Loop() {
				stats, err := GenerateWeka(b.Context(), dir, WekaOptions{Plays: c.plays, Seed: 1, Profile: c.profile})
				if err != nil {
					b.Fatal(err)
				}
				b.SetBytes(stats.Bytes)
			}
		})
	}
}
