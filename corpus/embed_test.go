package corpus

import (
	"encoding/csv"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the demonstration corpus anew")

// demoKnobs makes plays as small as they can be and still show everything.
var demoKnobs = func() *wekaKnobs {
	k := plainKnobs
	k.profile = 4
	k.firstID = 1
	k.sessions = []weighted[wekaSession]{{1, wekaSession{first: evenly(40, 70), turns: evenly(8, 20)}}}
	k.prefix = always(24)
	k.smallWindow = always(180)
	k.compacted = evenly(40, 60)
	k.subagents.turns = 1200
	k.subagents.atLeastOnce = true
	k.subagents.batches = []int{1, 1}
	k.subagents.kinds = []weighted[wekaSubagentKind]{
		{3, wekaSubagentKind{name: "Explore", background: 2000, main: true}},
		{2, wekaSubagentKind{name: "general-purpose", background: 5000, main: true}},
	}
	k.subagents.calls = evenly(2, 5)
	k.subagents.first = evenly(30, 50)
	k.subagents.most = 200
	return &k
}()

const demoPlays = 4

func demoPlay(ordinal int) []byte {
	var printer wekaPrinter
	return printer.append(nil, buildWekaPlay(demoKnobs, 1, ordinal, nil), demoKnobs.style, ordinal)
}

func TestDemoIsWhatTheGeneratorMakes(t *testing.T) {
	if *update {
		for ordinal := range demoPlays {
			path := filepath.Join("demo", wekaPlayName(ordinal, 4)+".json")
			require.NoError(t, os.WriteFile(path, demoPlay(ordinal), 0o666))
		}
		t.Skip("files written; embedded are still the old ones")
	}
	names, err := fs.Glob(Demo(), "*")
	require.NoError(t, err)
	require.Len(t, names, demoPlays)
	total := 0
	for ordinal, name := range names {
		text, err := fs.ReadFile(Demo(), name)
		require.NoError(t, err)
		assert.Equal(t, string(demoPlay(ordinal)), string(text))
		total += len(text)
	}
	assert.Less(t, total, 150_000)
}

func TestDemoShowsEverything(t *testing.T) {
	shown := map[string]int{}
	for _, doc := range documents(t, Demo()) {
		assert.Empty(t, offences(&doc, false), doc.ID)
		assert.Empty(t, offences(&doc, true), doc.ID)
		assert.Equal(t, []string{"ursa-large-5"}, doc.Models)
		notice(&doc, shown)
	}
	for _, what := range []string{"completed", "async_launched", "join", "beside", "compaction", "together"} {
		assert.Positive(t, shown[what], what)
	}
}

func TestRealWeka(t *testing.T) {
	docs := documents(t, RealWeka())
	rows := identities(t)
	require.Len(t, docs, 12)
	require.Len(t, rows, len(docs))
	shown := map[string]int{}
	for name, doc := range docs {
		require.Contains(t, rows, name)
		row := rows[name]
		calls := doc.calls()
		found := offences(&doc, true)
		if row.accepted {
			assert.Empty(t, found, name)
			silent := 0
			for _, c := range calls {
				if c.Out == 0 {
					silent++
				}
			}
			assert.Equal(t, row.requests, len(calls), name)
			assert.Equal(t, row.silent, silent, name)
		} else {
			assert.Contains(t, found, "undeclared model", name)
			shown["refused"]++
		}
		for _, what := range offences(&doc, false) {
			shown[what]++
		}
		notice(&doc, shown)
	}
	for _, what := range []string{"refused", "missing api_time", "several models", "overlap", "compaction", "silent", "completed"} {
		assert.Positive(t, shown[what], what)
	}

	size := int64(0)
	err := fs.WalkDir(RealWeka(), ".", func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			var info fs.FileInfo
			info, err = entry.Info()
			size += info.Size()
		}
		return err
	})
	require.NoError(t, err)
	assert.Less(t, size, int64(1_200_000))
	_, err = fs.Stat(RealWeka(), "README.md")
	assert.NoError(t, err)
}

// notice counts the shapes a document shows.
func notice(doc *document, shown map[string]int) {
	var last *docEntry
	var subagents []docEntry // since the last outer request
	for i := range doc.Requests {
		e := &doc.Requests[i]
		if e.Type == "subagent" {
			shown[e.Status]++
			subagents = append(subagents, *e)
			continue
		}
		if len(subagents) > 1 {
			shown["together"]++
		}
		for _, h := range subagents {
			end := h.Requests[len(h.Requests)-1]
			switch done := end.T + *end.APITime; {
			case h.Status == "completed" && done <= e.T:
				shown["join"]++
			case h.Status != "completed" && done > e.T:
				shown["beside"]++
			}
		}
		if e.Out == 0 {
			shown["silent"]++
		}
		if last != nil {
			if last.APITime != nil && e.T < last.T+*last.APITime {
				shown["overlap"]++
			}
			if n := shared(last.HashIDs, e.HashIDs); n > 0 && 2*n < len(last.HashIDs) && len(e.HashIDs) < len(last.HashIDs)/2 {
				shown["compaction"]++
			}
		}
		last, subagents = e, nil
	}
}

// shared returns the number of equal leading ids.
func shared(a, b []int) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	return n
}

func documents(t *testing.T, folder fs.FS) map[string]document {
	t.Helper()
	names, err := fs.Glob(folder, "*.json")
	require.NoError(t, err)
	docs := map[string]document{}
	for _, name := range names {
		text, err := fs.ReadFile(folder, name)
		require.NoError(t, err)
		doc := parse(t, text)
		assert.Equal(t, strings.TrimSuffix(name, ".json"), doc.ID)
		docs[name] = doc
	}
	return docs
}

type identity struct {
	accepted         bool
	requests, silent int
}

func identities(t *testing.T) map[string]identity {
	t.Helper()
	file, err := RealWeka().Open("identity.tsv")
	require.NoError(t, err)
	defer file.Close()
	reader := csv.NewReader(file)
	reader.Comma = '\t'
	records, err := reader.ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"file", "accepted", "requests", "zero_outputs", "graph_digest", "source_digest"}, records[0])
	rows := map[string]identity{}
	for _, r := range records[1:] {
		row := identity{accepted: r[1] == "yes"}
		if row.accepted {
			row.requests, err = strconv.Atoi(r[2])
			require.NoError(t, err)
			row.silent, err = strconv.Atoi(r[3])
			require.NoError(t, err)
			require.Len(t, r[4], 64, fmt.Sprint(r))
		}
		rows[r[0]] = row
	}
	return rows
}
