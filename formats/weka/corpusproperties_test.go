package weka_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tracekit/formats/weka"
	"tracekit/graph"
)

// acyclic draws a document that lowers.
var acyclic = rapid.Custom(func(t *rapid.T) string {
	text := randomDocument(t, weka.BasisAbsolute)
	if hasCycle(plainLower(text, "a.json", 0, weka.BasisAbsolute)) {
		t.Skip("a cycle")
	}
	// All documents of a corpus have one block size.
	for _, size := range []string{"1", "2"} {
		text = bytes.Replace(text, []byte(`"block_size":`+size), []byte(`"block_size":4`), 1)
	}
	return string(text)
})

// folder writes files into a new folder; rapid has no TempDir.
func folder(t *testing.T, rt *rapid.T, files map[string]string) string {
	dir := t.TempDir()
	for name, text := range files {
		write(rt, dir, name, text)
	}
	return dir
}

func open(t require.TestingT, ctx *testing.T, path string, opts weka.Options) *weka.Trace {
	trace, err := weka.Open(ctx.Context(), path, opts)
	require.NoError(t, err)
	return trace
}

func summaryOf(t require.TestingT, ctx *testing.T, path string, opts weka.Options) graph.Summary {
	summary, err := open(t, ctx, path, opts).Summary(ctx.Context())
	require.NoError(t, err)
	return summary
}

// nodesOf returns all nodes in corpus order, without ordinals.
func nodesOf(t require.TestingT, ctx *testing.T, path string, opts weka.Options) (nodes []graph.Node) {
	for play, err := range open(t, ctx, path, opts).Plays(ctx.Context()) {
		require.NoError(t, err)
		for _, n := range play.Nodes {
			n.Ordinal = 0
			nodes = append(nodes, flat(n))
		}
	}
	return nodes
}

// The digest does not depend on how many documents are worked on at once.
func TestJobsDoNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		documents := rapid.SliceOfN(acyclic, 1, 6).Draw(rt, "documents")
		dir := folder(t, rt, map[string]string{"a.jsonl": strings.Join(documents, "\n"), "b.json": documents[0]})
		var first graph.Summary
		for i, jobs := range []int{0, 1, 2, 7} {
			opts := program(weka.BasisAbsolute)
			opts.Jobs = jobs
			got := summaryOf(rt, t, dir, opts)
			if i == 0 {
				first = got
			}
			require.Equal(rt, first, got, "%d jobs", jobs)
		}
	})
}

// Lines mean nothing in a .jsonl file: documents may share one or span many.
func TestLinesDoNotMatter(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		documents := rapid.SliceOfN(acyclic, 1, 5).Draw(rt, "documents")
		var first graph.Summary
		for i, form := range []func(string) string{
			func(d string) string { return d + "\n" },
			func(d string) string { return d },
			func(d string) string { return "\r\n\t " + d + "  " },
			func(d string) string {
				var spread bytes.Buffer
				require.NoError(rt, json.Indent(&spread, []byte(d), " ", "\t"))
				return spread.String()
			},
		} {
			var text strings.Builder
			for _, d := range documents {
				text.WriteString(form(d))
			}
			got := summaryOf(rt, t, filepath.Join(folder(t, rt, map[string]string{"a.jsonl": text.String()}), "a.jsonl"), program(weka.BasisAbsolute))
			if i == 0 {
				first = got
				continue
			}
			// White space is part of the source and of nothing else.
			require.NotEqual(rt, first.Source.Digest, got.Source.Digest)
			got.Source = first.Source
			require.Equal(rt, first, got)
		}
	})
}

// A folder gives the plays of its files, one file after the other in text
// order of their names, each as it is alone.
func TestFolderIsItsFiles(t *testing.T) {
	names := []string{"A.json", "a-b.json", "a.json", "a.jsonl", "a0.json", "z.JSON", "é.jsonl"}
	require.True(t, slices.IsSorted(names))
	rapid.Check(t, func(rt *rapid.T) {
		files := map[string]string{"ignored.txt": "x", "ignored.json.gz": "x"}
		for _, name := range rapid.SliceOfNDistinct(rapid.SampledFrom(names), 1, 4, rapid.ID).Draw(rt, "names") {
			files[name] = acyclic.Draw(rt, name)
			if strings.HasSuffix(name, "l") && rapid.Bool().Draw(rt, "several") {
				files[name] += acyclic.Draw(rt, name)
			}
		}
		dir := folder(t, rt, files)
		opts := program(weka.BasisAbsolute)
		var want []graph.Node
		for _, name := range names {
			if files[name] != "" {
				want = append(want, nodesOf(rt, t, filepath.Join(dir, name), opts)...)
			}
		}
		require.Equal(rt, want, nodesOf(rt, t, dir, opts))
	})
}

// Source names are sorted as whole texts, folders and all.
func TestCorpusOrder(t *testing.T) {
	dir := t.TempDir()
	want := []string{"B/z.json", "a-b.json", "a.json", "a/b.json", "a/b/c.json", "a0.json", "b.json/x.jsonl"}
	for _, name := range slices.Backward(want) {
		write(t, dir, name, strings.Replace(session(aCall), `"p"`, fmt.Sprintf("%q", name), 1))
	}
	var got []string
	for play, err := range open(t, t, dir, weka.Options{Jobs: 3}).Plays(t.Context()) {
		require.NoError(t, err)
		require.Equal(t, uint64(len(got)), play.Ordinal)
		_, id, _ := strings.Cut(play.ID, ":play:")
		got = append(got, id)
	}
	require.Equal(t, want, got)

	// How the path is written changes nothing.
	plain := summaryOf(t, t, dir, weka.Options{})
	require.NoError(t, os.Symlink(dir, filepath.Join(t.TempDir(), "link")))
	for _, path := range []string{dir + "/", dir + "/.", dir + "/a/..", dir + "/./"} {
		require.Equal(t, plain, summaryOf(t, t, path, weka.Options{}), path)
	}
}

// Renaming a file changes the names of its requests, and the ids of blocks
// one for one.
func TestRenamingAFile(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		text := acyclic.Draw(rt, "document")
		dir := folder(t, rt, map[string]string{"a.json": text, "b.json": text})
		opts := program(weka.BasisAbsolute)
		a, b := nodesOf(rt, t, filepath.Join(dir, "a.json"), opts), nodesOf(rt, t, filepath.Join(dir, "b.json"), opts)
		require.Equal(rt, len(a), len(b))
		rename := func(name string) string {
			ns, rest, _ := strings.Cut(strings.TrimPrefix(name, "weka:"), ":")
			require.Len(rt, ns, 16)
			return rest
		}
		forth, back := map[uint64]uint64{}, map[uint64]uint64{}
		for i := range a {
			x, y := &a[i], &b[i]
			require.NotEqual(rt, x.RequestID, y.RequestID)
			idsX, idsY := slices.Collect(x.HashIDs.All), slices.Collect(y.HashIDs.All)
			require.Equal(rt, len(idsX), len(idsY))
			for k := range idsX {
				if _, known := forth[idsX[k]]; !known {
					_, known := back[idsY[k]]
					require.False(rt, known)
					forth[idsX[k]], back[idsY[k]] = idsY[k], idsX[k]
				}
				require.Equal(rt, forth[idsX[k]], idsY[k])
			}
			for _, n := range []*graph.Node{x, y} {
				n.RequestID, n.PlayID, n.SessionID, n.HashIDs = rename(n.RequestID), rename(n.PlayID), rename(n.SessionID), graph.HashIDs{}
				for k := range n.Dependencies {
					n.Dependencies[k].Predecessor = rename(n.Dependencies[k].Predecessor)
				}
			}
		}
		require.Equal(rt, a, b)
		for one, other := range maps.All(forth) {
			require.NotEqual(rt, one, other)
		}
	})
}

// One nested request before its marker makes the whole corpus relative,
// wherever it is.
func TestBasisIsOfTheCorpus(t *testing.T) {
	late := session(aCall, aSubagent)
	witness := session(aCall, strings.Replace(aSubagent, `{"type":"s","t":2`, `{"type":"s","t":0`, 1))
	atZero := session(aCall, strings.Replace(aSubagent, `"t":2`, `"t":0`, 2))
	within := session(aCall, strings.Replace(aSubagent, `{"type":"s","t":2`, `{"type":"s","t":1.9999995`, 1))
	empty := session(aCall, strings.NewReplacer(aLateCall, "", "completed", "async_launched").Replace(aSubagent))
	for _, tt := range []struct {
		documents []string
		want      weka.Basis
	}{
		{[]string{session(aCall)}, weka.BasisNotApplicable},
		{[]string{empty, empty}, weka.BasisNotApplicable},
		{[]string{late}, weka.BasisAbsolute},
		{[]string{late, within, atZero, empty}, weka.BasisAbsolute},
		{[]string{witness}, weka.BasisRelative},
		{[]string{late, session(aCall), witness}, weka.BasisRelative},
		{[]string{witness, late}, weka.BasisRelative},
	} {
		dir := t.TempDir()
		for i, d := range tt.documents {
			write(t, dir, fmt.Sprint(i, ".json"), d)
		}
		trace := open(t, t, dir, weka.Options{Basis: weka.BasisAuto})
		require.Equal(t, tt.want, trace.Basis(), "%v", tt.documents)
		for play, err := range trace.Plays(t.Context()) {
			require.NoError(t, err)
			if tt.want == weka.BasisRelative && tt.documents[play.Ordinal] == late {
				require.Equal(t, 3000.0, play.Nodes[1].NotBeforeMs) // 2 s + 2 s, from 1 s
			}
		}
		// Asked for, a basis holds even where it means nothing, and is part of the digest.
		digests := map[string]bool{trace.Source().Digest: true}
		for _, basis := range []weka.Basis{weka.BasisRelative, weka.BasisAbsolute} {
			forced, err := weka.Open(t.Context(), dir, weka.Options{Basis: basis})
			require.NoError(t, err)
			require.Equal(t, basis, forced.Basis())
			digests[forced.Source().Digest] = true
		}
		want := 2
		if tt.want == weka.BasisNotApplicable {
			want = 3
		}
		require.Len(t, digests, want)
	}
}

// Play order is corpus order, canonical order that of the names' hashes; both
// hold the same plays.
func TestBothOrdersHoldTheSame(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		documents := rapid.SliceOfN(acyclic, 1, 6).Draw(rt, "documents")
		path := filepath.Join(folder(t, rt, map[string]string{"a.jsonl": strings.Join(documents, "")}), "a.jsonl")
		trace := open(rt, t, path, program(weka.BasisAbsolute))
		var canonical, played []graph.Node
		for node, err := range trace.Nodes(t.Context()) {
			require.NoError(rt, err)
			canonical = append(canonical, flat(*node))
		}
		for play, err := range trace.Plays(t.Context()) {
			require.NoError(rt, err)
			for _, n := range play.Nodes {
				played = append(played, flat(n))
			}
		}
		require.True(rt, slices.IsSortedFunc(canonical, byRequestID))
		slices.SortStableFunc(played, byRequestID)
		require.Equal(rt, played, canonical)
	})
}

func byRequestID(a, b graph.Node) int { return strings.Compare(a.RequestID, b.RequestID) }
