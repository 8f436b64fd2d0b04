package weka

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"tracekit/formats"
)

// plainEnd is the byte-wise twin of documentScan.next: the length of the
// object that text begins with, and whether it is closed.
func plainEnd(text string) (used int, complete bool) {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case quoted && b == '\\':
			i++
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '{':
			depth++
		case b == '}':
			if depth--; depth == 0 {
				return i + 1, true
			}
		}
	}
	return len(text), false
}

// objects draws text that looks more or less like objects one after another.
var objects = rapid.Custom(func(t *rapid.T) string {
	piece := rapid.SampledFrom([]string{
		"{", "}", "{", "}", `"`, `\`, `\"`, `\\`, "\n", " ", "é", ",", ":", "[1,2,3]", `"a{b}"`, `"\\"`, `"x\"}"`, strings.Repeat("1234,", 30), strings.Repeat(" ", 70),
	})
	return "{" + strings.Join(rapid.SliceOfN(piece, 0, 40).Draw(t, "pieces"), "")
})

func TestDocumentScanAgainstTwin(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := objects.Draw(t, "text")
		want, closed := plainEnd(text)
		scan := documentScan{line: 1, column: 1}
		scan.begin()
		rest, used, complete := text, 0, false
		for len(rest) > 0 && !complete {
			cut := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			n := 0
			n, complete = scan.next([]byte(rest[:cut]))
			require.True(t, complete || n == cut)
			used += n
			rest = rest[n:]
		}
		require.Equal(t, want, used)
		require.Equal(t, closed, complete)
		require.Equal(t, 1+strings.Count(text[:used], "\n"), scan.line)
		require.Equal(t, used-strings.LastIndexByte(text[:used], '\n'), scan.column)
	})
}

// documentsOf reads a file of that text in windows of that size.
func documentsOf(t require.TestingT, text string, window, patience int) (documents []rawDocument, err error) {
	dir, err := os.MkdirTemp("", "weka-split-*")
	require.NoError(t, err)
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "a.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	file, err := os.Open(path)
	require.NoError(t, err)
	defer file.Close()
	source := &hashedFile{ctx: context.Background(), file: file, path: path, size: int64(len(text)), digest: newCorpusHash()}
	err = splitDocuments(source, window, patience, func(d rawDocument) bool {
		documents = append(documents, d)
		return true
	})
	return documents, errors.Join(err, source.unchanged())
}

// However small the window, the documents of a file, their order, places and
// texts are the same.
func TestSplitWhateverTheWindow(t *testing.T) {
	documents := []string{
		`{}`, `{"a":"}{"}`, `{"a":"\\","b":"\""}`, `{"é":"\ud83d\ude00"}`, "{\n\"a\":\n[1,2,3]}", `{"a":{"b":{"c":{}}}}`, `{"ids":[` + strings.Repeat("12345,", 60) + `1]}`,
	}
	rapid.Check(t, func(t *rapid.T) {
		var text strings.Builder
		var want []rawDocument
		for range rapid.IntRange(1, 8).Draw(t, "documents") {
			text.WriteString(rapid.StringMatching(`[ \t\r\n]{0,3}`).Draw(t, "space"))
			before := text.String()
			document := rapid.SampledFrom(documents).Draw(t, "document")
			want = append(want, rawDocument{
				index: len(want), offset: int64(len(before)), text: []byte(document),
				line: 1 + strings.Count(before, "\n"), column: len(before) - strings.LastIndexByte(before, '\n'),
			})
			text.WriteString(document)
		}
		text.WriteString(rapid.StringMatching(`[ \t\r\n]{0,3}`).Draw(t, "space"))
		window := rapid.OneOf(rapid.IntRange(1, 20), rapid.IntRange(20, 2000)).Draw(t, "window")
		patience := rapid.IntRange(1, 500).Draw(t, "patience")
		got, err := documentsOf(t, text.String(), window, patience)
		require.NoError(t, err)
		for i := range got {
			got[i].release = nil
		}
		require.Equal(t, want, got)
	})
}

// A document that a brace is missing in is handed on as soon as the parser
// sees that it is broken, and the rest of the file stays unread.
func TestSplitGivesUpOnBrokenDocuments(t *testing.T) {
	broken := `{"id":"p","requests":[{"type":"n" "t":1}` // a comma and two braces are missing
	got, err := documentsOf(t, broken+strings.Repeat("\n{}", 10_000), 64, 256)
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.Less(t, len(got[0].text), 1000)

	got, err = documentsOf(t, "{}\n[1,2]\n"+strings.Repeat("{}\n", 10_000), 64, 256)
	require.NoError(t, err)
	require.Len(t, got, 2)
	require.True(t, strings.HasPrefix(string(got[1].text), "[1,2]"))
	require.Less(t, len(got[1].text), 100)

	// A long document that is only unfinished is waited for.
	long := `{"id":"p","future":[` + strings.Repeat("1,", 5000) + `1]}`
	got, err = documentsOf(t, long, 64, 256)
	require.NoError(t, err)
	require.Len(t, got, 1)
	require.Equal(t, long, string(got[0].text))
}

// Cutting a long document anywhere, also between the halves of a surrogate
// pair, does not make it look broken.
func TestSplitIsPatientAnywhere(t *testing.T) {
	long := `{"id":"\ud83d\ude00é","block_size":4,"hash_id_scope":"local","requests":[{"type":"n","t":1.5e0,"model":"m","in":4,"out":2,"hash_ids":[ 1,22 ],"api_time":null}],"x":[true,-0.5]}`
	for window := 1; window < len(long); window++ {
		got, err := documentsOf(t, long, window, 1)
		require.NoError(t, err)
		require.Len(t, got, 1, "window %d", window)
		require.Equal(t, long, string(got[0].text), "window %d", window)
	}
}

func TestSplitEmptyFile(t *testing.T) {
	for _, text := range []string{"", " ", "\n\n \t\r\n"} {
		_, err := documentsOf(t, text, 4, 16)
		var problem *formats.Error
		require.ErrorAs(t, err, &problem, "%q", text)
		require.Equal(t, "there is no document in this file", problem.Found)
	}
}
