package config_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/replay/config"
)

func TestOverrides(t *testing.T) {
	p := accept(t, documented, "engine.model=a=b", "traffic.stop.requests=9", "traffic.stop.requests=4", "evaluation.sla.e2e_ms=1e3")
	require.Equal(t, "a=b", p.Engine.Model)
	require.Equal(t, 4, p.Traffic.Stop.Requests)
	require.InDelta(t, 1000, *p.SLA.E2EMs, 0)

	p = accept(t, documented, "engine.backend_version=", "engine.workers.aggregated.kv_cache.prefix_caching=off", `engine.model="7"`)
	require.Nil(t, p.Engine.BackendVersion)
	require.False(t, p.Engine.Workers.Aggregated.KVCache.PrefixCaching)
	require.Equal(t, "7", p.Engine.Model)

	p = accept(t, documented, mooncake, "traffic.source.paths=[a, b]", "traffic.source.format=dynamo", "traffic.source={type: trace, paths: ['x y']}")
	require.Equal(t, []string{"x y"}, p.Traffic.Source.Trace.Paths)
}

// An override can mend a file that is invalid as it stands.
func TestOverrideMends(t *testing.T) {
	_, err := parse("traffic: 3\n"+smallEngine, documented, mooncake)
	require.NoError(t, err)
}

// A mapping that aliases share is changed only where the path leads.
func TestOverrideOfSharedMapping(t *testing.T) {
	p, err := parse(`engine:
  mode: disaggregated
  model: m
  hardware: h
  kv_transfer: {}
  workers:
    prefill: &w {scheduler: {max_sequences: 3}}
    decode: *w
`, documented, "engine.workers.decode.scheduler.max_sequences=5")
	require.NoError(t, err)
	require.Equal(t, 3, p.Engine.Workers.Prefill.Scheduler.MaxSequences)
	require.Equal(t, 5, p.Engine.Workers.Decode.Scheduler.MaxSequences)
}

func TestBadOverrides(t *testing.T) {
	for set, want := range map[string]string{
		"engine.mode":                  "engine.mode: there is no =; expected PATH=VALUE",
		"=1":                           "the path is empty",
		"":                             "there is no =",
		"engine..mode=1":               "engine..mode: a name in the path is empty",
		"engine.=1":                    "a name in the path is empty",
		"traffic.source.paths.0=x":     "traffic.source.paths.0: the path holds the number 0",
		"7=x":                          "the path holds the number 7",
		"optimization.target=x":        "optimization belongs to recommendation",
		"optimizer=":                   "optimizer belongs to recommendation",
		"engine.model.x=1":             "engine.model.x: engine.model is the text \"any\"; expected a mapping on the way",
		"engine.mode=[a":               "--set engine.mode=[a: engine.mode: malformed YAML",
		"engine.mode=a\n---\nb":        "engine.mode: a second YAML document",
		"engine.foo=1":                 "--set engine.foo=1: engine.foo: unknown field",
		"engine.workers.agregated=":    "write aggregated",
		"traffic.source.input_tokens=": "traffic.source.input_tokens: null",
		"traffic=":                     "traffic: null; expected a mapping",
	} {
		require.Contains(t, refuse(t, documented, set).Error(), want, set)
	}
	require.Contains(t, refuse(t, documented, " engine.mode=aggregated").Error(), "  engine: unknown section") // blanks are not trimmed
	_, err := parse("traffic:\n"+smallEngine, documented, "traffic.stop.requests=2")
	require.ErrorContains(t, err, "traffic is null")
	_, err = parse(smallEngine, documented, "traffic.stop.requests=2")
	require.ErrorContains(t, err, "traffic.source: missing")
	require.ErrorContains(t, err, "traffic.load: missing")
	_, err = parse(smallEngine, documented, "a", "b") // all that are bad, not only the first
	require.Len(t, problemsOf(t, err), 2)
	_, err = parse("", config.Options{}, "engine.model=m")
	require.ErrorContains(t, err, "the file is empty")
}
