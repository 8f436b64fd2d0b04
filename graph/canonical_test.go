package graph_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/graph"
)

// ids makes an array of its text.
func ids(text string) graph.Integers {
	if text == "" {
		return graph.Integers{}
	}
	return graph.Integers{Text: []byte(text), Len: strings.Count(text, ",") + 1}
}

// node makes a node as in the worked examples of graph-identity.md 7.
func node(id string, notBefore float64, edges ...graph.Dependency) graph.Node {
	return graph.Node{RequestID: id, PlayID: "p", SessionID: "s", Model: "m", InputLength: 64, MaxOutputTokens: 1,
		HashIDs: graph.HashIDs{Head: ids("1")}, NotBeforeMs: notBefore, Dependencies: edges}
}

func exampleB() []graph.Node {
	class, authored := "gold", ids("5,7")
	a := graph.Node{RequestID: "a", PlayID: "é", HasOrdinal: true, SessionID: "s/1", Model: "m<x>", InputLength: 16, HashIDs: graph.HashIDs{Head: ids("3")}}
	b := graph.Node{RequestID: `b"2`, PlayID: "é", HasOrdinal: true, SessionID: "s/1", Model: "m<x>", InputLength: 17, MaxOutputTokens: 2,
		OutputTokenIDs: &authored, HashIDs: graph.HashIDs{Head: ids("18446744073709551615"), Tail: ids("0")},
		NotBeforeMs: 1e-6, RecordedAPITimeMs: 12, HasAPITime: true, Priority: -1, PolicyClass: &class,
		Dependencies: []graph.Dependency{
			{Predecessor: "a", Trigger: graph.Completion, DelayMs: 1e16, Relation: graph.Join},
			{Predecessor: "a", Trigger: graph.Dispatch, DelayMs: 1e-5, Relation: graph.Spawn},
		}}
	return []graph.Node{a, b}
}

func exampleC() []graph.Node {
	b := node("b", 350, graph.Dependency{Predecessor: "a", Trigger: graph.Completion, DelayMs: 25})
	b.RecordedAPITimeMs, b.HasAPITime = 90, true
	return []graph.Node{node("a", 100), b}
}

func exampleD() []graph.Node {
	nodes := exampleC()
	var origin graph.Origin
	for i := range nodes {
		origin.Add(&nodes[i])
	}
	for i := range nodes {
		graph.Normalise(&nodes[i], origin)
		graph.SpeedUp(&nodes[i], 3)
	}
	return nodes
}

// canonical returns what a digest is computed of.
func canonical(blockSize string, nodes []graph.Node) string {
	var e graph.Encoder
	var body []byte
	for i := range nodes {
		body = e.Append(body, &nodes[i])
	}
	return `{"block_size":` + blockSize + `,"nodes":[` + string(body[1:]) + "]}"
}

func digest(t testing.TB, blockSize uint64, nodes []graph.Node) string {
	var e graph.Encoder
	d := graph.NewDigest(blockSize)
	for i := range nodes {
		require.NoError(t, e.Encode(d, &nodes[i]))
	}
	return d.Sum()
}

// The worked examples of graph-identity.md 7, byte for byte.
func TestWorkedExamples(t *testing.T) {
	const (
		bare = `{"request_id":"a","play_id":"p","session_id":"s","model":"m","input_length":64,"max_output_tokens":1,"output_token_ids":null,"replay_key":null,"hash_ids":[1],`
		rest = `"priority":0,"strict_priority":0,"policy_class":null,"dependencies":[`
	)
	b := strings.Replace(bare, `"a"`, `"b"`, 1)
	r1 := strings.Replace(bare, `"a"`, `"r1"`, 1)
	normalised := exampleC()
	for i := range normalised {
		normalised[i].NotBeforeMs -= 100
	}
	for _, c := range []struct {
		name      string
		blockSize string
		nodes     []graph.Node
		canonical string
		size      int
		digest    string
	}{
		{"A", "64", []graph.Node{node("r1", 0)}, r1 + `"not_before_ms":0.0,` + rest + `]}`, 278,
			"68db06fdffe3a9b50eac108d83a91f97a61c065e0922d7ee68377f7d7647f49a"},
		{"B", "16", exampleB(), `{"request_id":"a","play_id":"é","source_play_ordinal":0,"session_id":"s/1","model":"m<x>","input_length":16,"max_output_tokens":0,"output_token_ids":null,"replay_key":null,"hash_ids":[3],"not_before_ms":0.0,"priority":0,"strict_priority":0,"policy_class":null,"dependencies":[]},` +
			`{"request_id":"b\"2","play_id":"é","source_play_ordinal":0,"session_id":"s/1","model":"m<x>","input_length":17,"max_output_tokens":2,"output_token_ids":[5,7],"replay_key":"b\"2","hash_ids":[18446744073709551615,0],"not_before_ms":1e-6,"recorded_api_time_ms":12.0,"priority":-1,"strict_priority":0,"policy_class":"gold","dependencies":[{"request_id":"a","trigger":"dispatch","delay_ms":0.00001,"relation":"spawn"},{"request_id":"a","trigger":"completion","delay_ms":1e+16,"relation":"join"}]}`, 800,
			"30c1d022843e75db0d2ef02d7dc1c5252c67eeafb34f768dd36579e5d5bd5736"},
		{"C", "64", exampleC(), bare + `"not_before_ms":100.0,` + rest + `]},` + b + `"not_before_ms":350.0,"recorded_api_time_ms":90.0,` + rest + `{"request_id":"a","trigger":"completion","delay_ms":25.0,"relation":"sequence"}]}`, 638,
			"d2a60534867d3d456e57e7f525fc1a380874ea0e551c9688a3affa641cfd3e69"},
		{"C normalised", "64", normalised, bare + `"not_before_ms":0.0,` + rest + `]},` + b + `"not_before_ms":250.0,"recorded_api_time_ms":90.0,` + rest + `{"request_id":"a","trigger":"completion","delay_ms":25.0,"relation":"sequence"}]}`, 636,
			"2948b40fe652d0925ee059a631efd9f0c1028ae53db6eee5ab8715c9441083c0"},
		{"D", "64", exampleD(), bare + `"not_before_ms":0.0,` + rest + `]},` + b + `"not_before_ms":83.33333333333333,"recorded_api_time_ms":90.0,` + rest + `{"request_id":"a","trigger":"completion","delay_ms":8.333333333333334,"relation":"sequence"}]}`, 661,
			"56f36d10b9cf4cb73d2ff80eefacfc7438556665a88695a6b0e48ecbcfef71b6"},
	} {
		t.Run(c.name, func(t *testing.T) {
			want := `{"block_size":` + c.blockSize + `,"nodes":[` + c.canonical + "]}"
			require.Equal(t, want, canonical(c.blockSize, c.nodes))
			require.Len(t, want, c.size)
			blockSize := map[string]uint64{"16": 16, "64": 64}[c.blockSize]
			require.Equal(t, c.digest, digest(t, blockSize, c.nodes))
		})
	}
}

// A digest takes canonical bytes cut anywhere.
func TestDigestIsCutAnywhere(t *testing.T) {
	var e graph.Encoder
	nodes := exampleC()
	whole := e.Append(e.Append(nil, &nodes[0]), &nodes[1])
	for size := 1; size <= len(whole); size += 13 {
		d := graph.NewDigest(64)
		_, err := d.Write(nil)
		require.NoError(t, err)
		for part := range slices.Chunk(whole, size) {
			n, err := d.Write(part)
			require.NoError(t, err)
			require.Equal(t, len(part), n)
		}
		require.Equal(t, digest(t, 64, nodes), d.Sum())
	}
}

// Edges are sorted by predecessor, trigger, relation and delay; duplicates
// stay, and the node keeps the order of its producer.
func TestCanonicalEdgeOrder(t *testing.T) {
	negativeZero := math.Copysign(0, -1)
	sorted := []graph.Dependency{
		{"Z", graph.Completion, 9, graph.ReplayBarrier},
		{"a", graph.Dispatch, 5, graph.Spawn},
		{"a", graph.Completion, negativeZero, graph.Sequence},
		{"a", graph.Completion, 0, graph.Sequence},
		{"a", graph.Completion, 0, graph.Sequence},
		{"a", graph.Completion, 3, graph.Sequence},
		{"a", graph.Completion, 1, graph.Spawn},
		{"a", graph.Completion, 1, graph.Join},
		{"a", graph.Completion, 1, graph.ReplayBarrier},
		{"é", graph.Dispatch, 0, graph.Spawn},
	}
	want := canonical("1", []graph.Node{node("n", 0, sorted...)})
	require.Contains(t, want, `"delay_ms":-0.0,"relation":"sequence"},{"request_id":"a","trigger":"completion","delay_ms":0.0`)
	random := rand.New(rand.NewPCG(1, 2))
	for range 50 {
		edges := slices.Clone(sorted)
		random.Shuffle(len(edges), func(i, j int) { edges[i], edges[j] = edges[j], edges[i] })
		before := slices.Clone(edges)
		require.Equal(t, want, canonical("1", []graph.Node{node("n", 0, edges...)}))
		require.Equal(t, before, edges)
	}
}

// Where the hash ids are cut into head and tail is not seen, nor is which
// form of the encoder wrote them.
func TestHashIDsInTwoPieces(t *testing.T) {
	var want []byte
	for _, h := range []graph.HashIDs{{Head: ids("1,2,3")}, {Tail: ids("1,2,3")}, {Head: ids("1"), Tail: ids("2,3")}, {Head: ids("1,2"), Tail: ids("3")}} {
		n := node("n", 0)
		n.HashIDs = h
		var e graph.Encoder
		got := e.Append(nil, &n)
		if want == nil {
			want = got
		}
		require.Equal(t, string(want), string(got))
		var written strings.Builder
		require.NoError(t, e.Encode(&written, &n))
		require.Equal(t, string(want), written.String())
		require.Equal(t, 3, h.Len())
		require.Equal(t, []uint64{1, 2, 3}, slices.Collect(h.All))
		for first := range h.All {
			require.EqualValues(t, 1, first)
			break
		}
	}
}

// An authored output gives a replay key, the trimmed request id, even if it
// is empty.
func TestReplayKey(t *testing.T) {
	n := node("\u2003 r \n", 0)
	require.Contains(t, canonical("1", []graph.Node{n}), `"output_token_ids":null,"replay_key":null`)
	n.OutputTokenIDs = &graph.Integers{}
	require.Contains(t, canonical("1", []graph.Node{n}), `"output_token_ids":[],"replay_key":"r"`)
}

// Encoding allocates nothing once its buffers have grown.
func TestEncodingAllocatesNothing(t *testing.T) {
	n := exampleB()[1]
	var e graph.Encoder
	var f graph.Fingerprinter
	d := graph.NewDigest(16)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		_ = e.Encode(d, &n)
		f.Node(&n)
	}))
}
