package convert

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

const oneCall = `{"id":"p","block_size":4,"hash_id_scope":"local","requests":[{"type":"n","t":1,"model":"m","in":9,"out":7,"hash_ids":[1,2],"api_time":0.25}]}`

// Standard output gets the very bytes that a file gets.
func TestStandardOutput(t *testing.T) {
	dir := t.TempDir()
	input, out := filepath.Join(dir, "a.json"), filepath.Join(dir, "out.jsonl")
	require.NoError(t, os.WriteFile(input, []byte(oneCall), 0o644))
	_, err := Weka(t.Context(), WekaOptions{Input: input, Output: out})
	require.NoError(t, err)
	want, err := os.ReadFile(out)
	require.NoError(t, err)

	var stdout bytes.Buffer
	result, err := Weka(t.Context(), WekaOptions{Input: input, Output: "-", Stdout: &stdout})
	require.NoError(t, err)
	require.True(t, result.Verified)
	require.Equal(t, string(want), stdout.String())
}

// Of a corpus that is refused, standard output gets nothing.
func TestStandardOutputOfRefused(t *testing.T) {
	input := filepath.Join(t.TempDir(), "a.json")
	require.NoError(t, os.WriteFile(input, []byte(oneCall+oneCall), 0o644))
	var stdout bytes.Buffer
	_, err := Weka(t.Context(), WekaOptions{Input: input, Output: "-", Stdout: &stdout})
	require.ErrorContains(t, err, "something follows the document")
	require.Zero(t, stdout.Len())
}

// A spool that is damaged between its verification and its way out is
// noticed.
func TestDamagedSpoolIsNoticed(t *testing.T) {
	for _, damaged := range []bool{false, true} {
		out, err := openOutput(WekaOptions{Output: "-"})
		require.NoError(t, err)
		n, err := out.Write([]byte("some rows"))
		require.NoError(t, err)
		if damaged {
			_, err = out.file.WriteAt([]byte("S"), 0)
			require.NoError(t, err)
		}
		var stdout bytes.Buffer
		err = out.publish(&stdout, int64(n))
		if damaged {
			require.ErrorContains(t, err, "not what was verified")
		} else {
			require.NoError(t, err)
			require.Equal(t, "some rows", stdout.String())
		}
	}
}
