package agentic_test

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/formats"
	"tracekit/formats/agentic"
	"tracekit/graph"
)

// expectation is what the expected.json files say of a graph.
type expectation struct {
	Source             graph.Source      `json:"source"`
	GraphDigest        string            `json:"graph_digest"`
	CanonicalBytes     int               `json:"canonical_bytes"`
	BlockSize          uint64            `json:"block_size"`
	Plays              int               `json:"plays"`
	Requests           int               `json:"requests"`
	Sessions           int               `json:"sessions"`
	Roots              int               `json:"roots"`
	RawZeroOutputs     *int              `json:"raw_zero_outputs"`
	Models             []string          `json:"models"`
	Edges              json.RawMessage   `json:"edges"`
	Normalized         string            `json:"graph_digest_normalized"`
	Rejects            bool              `json:"rejects"`
	NormalizedSpeedup  map[string]string `json:"graph_digest_normalized_speedup"`
	CanonicalOfSpeedup map[string]string `json:"canonical_normalized_speedup"`
	SameDigestAs       string            `json:"same_digest_as"`
	DiffersFrom        string            `json:"differs_from"`

	ParseRejects bool         `json:"parse_rejects"`
	Parsed       *expectation `json:"parsed"`
}

// expected reads the expected.json of a folder. Lists of requests, which some
// have instead of their number, are left out.
func expected(t testing.TB, folder string) (e expectation) {
	var all map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(readFile(t, folder, "expected.json"), &all))
	if bytes.HasPrefix(all["requests"], []byte("[")) {
		delete(all, "requests")
	}
	text, err := json.Marshal(all)
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &e))
	return e
}

func requireSummary(t testing.TB, want expectation, got graph.Summary) {
	require.Equal(t, want.GraphDigest, got.GraphDigest)
	require.Equal(t, want.Source, got.Source)
	require.Equal(t, want.BlockSize, got.BlockSize)
	require.Equal(t, want.Plays, got.Plays)
	require.Equal(t, want.Requests, got.Requests)
	require.Equal(t, want.Sessions, got.Sessions)
	require.Equal(t, want.Roots, got.Roots)
	require.Equal(t, want.Models, got.Models)
	if want.RawZeroOutputs != nil {
		require.Equal(t, *want.RawZeroOutputs, got.ZeroOutputs)
	}
	edges, err := json.Marshal(got.Edges)
	require.NoError(t, err)
	require.JSONEq(t, string(want.Edges), string(edges))
}

// canonical returns the canonical bytes of a trace, transformed if asked for.
func canonical(t testing.TB, trace *agentic.Trace, transform func(*graph.Node)) []byte {
	var encoder graph.Encoder
	out := []byte(`{"block_size":` + jsonText(t, trace.Header().BlockSize) + `,"nodes":[`)
	start := len(out)
	for n, err := range trace.Nodes(t.Context()) {
		require.NoError(t, err)
		if transform != nil {
			transform(n)
		}
		out = encoder.Append(out, n)
	}
	out = append(out[:start], out[start+1:]...)
	return append(out, "]}"...)
}

func jsonText(t testing.TB, value any) string {
	text, err := json.Marshal(value)
	require.NoError(t, err)
	return string(text)
}

func digestOf(t testing.TB, trace *agentic.Trace, transform func(*graph.Node)) string {
	var encoder graph.Encoder
	digest := graph.NewDigest(trace.Header().BlockSize)
	for n, err := range trace.Nodes(t.Context()) {
		require.NoError(t, err)
		transform(n)
		require.NoError(t, encoder.Encode(digest, n))
	}
	return digest.Sum()
}

func TestIdentityCases(t *testing.T) {
	for _, folder := range cases(t, "identity/*/") {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			want := expected(t, folder)
			trace, err := openFile(t, filepath.Join(folder, "input.jsonl"), program)
			require.NoError(t, err)
			requireSummary(t, want, summary(t, trace))
			require.Equal(t, string(readFile(t, folder, "canonical.json")), string(canonical(t, trace, nil)))
			if want.SameDigestAs != "" {
				require.Equal(t, expected(t, filepath.Join(golden, "identity", want.SameDigestAs)).GraphDigest, want.GraphDigest)
			}
			if want.DiffersFrom != "" {
				require.NotEqual(t, expected(t, filepath.Join(golden, "identity", want.DiffersFrom)).GraphDigest, want.GraphDigest)
			}
			requireTransforms(t, folder, want, trace)
		})
	}
}

func requireTransforms(t *testing.T, folder string, want expectation, trace *agentic.Trace) {
	var origin graph.Origin
	for n, err := range trace.Nodes(t.Context()) {
		require.NoError(t, err)
		origin.Add(n)
	}
	normalised := func(n *graph.Node) { graph.Normalise(n, origin) }
	if want.Normalized != "" {
		require.Equal(t, want.Normalized, digestOf(t, trace, normalised))
	}
	for factor, digest := range want.NormalizedSpeedup {
		var q float64
		require.NoError(t, json.Unmarshal([]byte(factor), &q))
		faster := func(n *graph.Node) {
			normalised(n)
			graph.SpeedUp(n, q)
		}
		require.Equal(t, digest, digestOf(t, trace, faster), "speedup %s", factor)
		if file := want.CanonicalOfSpeedup[factor]; file != "" {
			require.Equal(t, string(readFile(t, folder, file)), string(canonical(t, trace, faster)))
		}
	}
}

func TestFormatCases(t *testing.T) {
	for _, folder := range append(cases(t, "formats/v2-*/"), cases(t, "formats/rej-v2-*/")...) {
		t.Run(filepath.Base(folder), func(t *testing.T) {
			want := expected(t, folder)
			trace, err := openFile(t, filepath.Join(folder, "trace.jsonl"), program)
			if want.ParseRejects {
				var place *formats.Error
				require.ErrorAs(t, err, &place)
				require.Equal(t, filepath.Join(folder, "trace.jsonl"), place.File)
				require.Positive(t, place.Line)
				require.Positive(t, place.Column)
				return
			}
			require.NoError(t, err)
			got := summary(t, trace)
			require.Equal(t, want.Parsed.GraphDigest, got.GraphDigest)
			require.Equal(t, want.Parsed.Sessions, got.Sessions)
			require.Equal(t, want.Parsed.Roots, got.Roots)
			require.Equal(t, want.Parsed.Plays, got.Plays)
		})
	}
}

// A converted file is the identity of reading and writing.
func TestConvertedFilesComeBackByteForByte(t *testing.T) {
	for _, folder := range cases(t, "weka/*/") {
		want := expected(t, folder)
		if want.Rejects {
			continue
		}
		t.Run(filepath.Base(folder), func(t *testing.T) {
			text := readFile(t, folder, "expected.v2.jsonl")
			trace := open(t, string(text), program)
			requireSummary(t, want, summary(t, trace))
			require.Equal(t, string(text), string(rewrite(t, trace)))
			requireTransforms(t, folder, want, trace)
		})
	}
}

// Play order is by ordinal when plays have them, else by id.
func TestPlayOrder(t *testing.T) {
	for file, want := range map[string]string{
		"formats/v2-ordinals/trace.jsonl":    "p9 p1 p0",
		"identity/plays-by-name/input.jsonl": "aa zz",
		"formats/v2-basic/trace.jsonl":       "p q",
	} {
		trace, err := openFile(t, filepath.Join(golden, file), program)
		require.NoError(t, err)
		var ids []string
		for play, err := range trace.Plays(t.Context()) {
			require.NoError(t, err)
			ids = append(ids, play.ID)
		}
		require.Equal(t, want, strings.Join(ids, " "), file)
	}
}
