package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/internal/semantics"
	"tracekit/replay/config"
)

// Whatever the text, Parse gives a whole prediction or problems with a place,
// and the same ones each time.
func FuzzLoad(f *testing.F) {
	cases, err := filepath.Glob(goldenCases + "/*/config.yaml")
	require.NoError(f, err)
	for _, path := range append(cases, "testdata/example.yaml") {
		text, err := os.ReadFile(path)
		require.NoError(f, err)
		f.Add(string(text), "engine.mode=aggregated", true, true)
	}
	f.Add(base, "traffic.source={type: trace, paths: [a]}", false, true)
	f.Add("a: &a {<<: *a}\n? b\n: !!str |\n  x\n", "a.b=c", false, false)
	f.Fuzz(func(t *testing.T, text, set string, documented, dynamo bool) {
		opts := config.Options{Semantics: semantics.AISimulate013, Stack: config.StackEngine}
		if documented {
			opts.Semantics = semantics.Documented
		}
		if dynamo {
			opts.Stack = config.StackDynamo
		}
		if set != "" {
			opts.Sets = []string{set}
		}
		p, err := config.Parse("f.yaml", []byte(text), opts)
		_, again := config.Parse("f.yaml", []byte(text), opts)
		if err == nil {
			require.NoError(t, again)
			require.NotEmpty(t, p.Engine.Model)
			require.NotEmpty(t, p.Engine.Workers.All())
			for _, w := range p.Engine.Workers.All() {
				require.Positive(t, w.KVCache.BlockSize)
				require.Positive(t, w.Parallelism.Replicas)
			}
			_ = config.Unsupported(p)
			return
		}
		require.EqualError(t, again, err.Error())
		lines := 1 + strings.Count(text, "\n") + strings.Count(text, "\r")
		for _, problem := range problemsOf(t, err) {
			require.NotEmpty(t, problem.File)
			require.NotEmpty(t, problem.Found)
			require.NotContains(t, problem.Error(), "\x1b")
			require.LessOrEqual(t, problem.Line, lines)
			_ = problem.Snippet()
		}
	})
}
