package inspect

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/formats/weka"
	"tracekit/internal/semantics"
)

func TestWekaFactsOf(t *testing.T) {
	path := filepath.Join(t.TempDir(), "w.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"id":"p","block_size":4,"hash_id_scope":"local","requests":[
		{"type":"s","t":1,"model":"m","in":6,"out":2,"hash_ids":[7],"api_time":0.5},
		{"type":"subagent","t":2,"agent_id":"a","subagent_type":"x","status":"completed","requests":[
			{"type":"n","t":0,"model":"m","in":4,"out":0,"hash_ids":[9]}]}]}`), 0o600))
	trace, err := weka.Open(t.Context(), path, weka.Options{Semantics: semantics.AISimulate013})
	require.NoError(t, err)
	text, err := json.Marshal(WekaFactsOf(trace))
	require.NoError(t, err)
	require.JSONEq(t, `{"id_dialect":{"exact":1,"floor":1,"ceil":0,"other":0},"nested_timestamp_basis":"relative",
		"subagents":1,"nested_requests":1,"missing_api_time":1,"raw_zero_outputs":1}`, string(text))
}

func TestDialectName(t *testing.T) {
	for want, all := range map[string][]weka.Dialects{
		"-":     {{}},
		"floor": {{Floor: 2}, {Floor: 2, Exact: 9}},
		"ceil":  {{Ceil: 2}, {Ceil: 1, Exact: 9}},
		"exact": {{Exact: 1}},
		"mixed": {{Other: 1}, {Floor: 1, Ceil: 1}, {Exact: 1, Other: 1}},
	} {
		for _, d := range all {
			require.Equal(t, want, dialectName(d), "%+v", d)
		}
	}
}
