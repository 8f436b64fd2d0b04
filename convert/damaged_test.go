package convert_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/convert"
	"tracekit/formats/weka"
)

// twoPlays is a corpus with every field that a row can have.
const twoPlays = `{"id":"first","block_size":4,"hash_id_scope":"local","requests":[
{"type":"n","t":1,"model":"m","in":9,"out":7,"hash_ids":[1,2],"api_time":0.25},
{"type":"n","t":3,"model":"m","in":13,"out":5,"hash_ids":[1,2,3],"api_time":0.5}]}
{"id":"second","block_size":4,"hash_id_scope":"local","requests":[
{"type":"n","t":1,"model":"m","in":9,"out":7,"hash_ids":[1,2],"api_time":0.25}]}
`

// converter converts twoPlays into an empty folder and lets damage change the
// file, which is then called .out.jsonl.….partial, before it is read back.
func converter(t *testing.T, overwrite bool, damage func(text []byte) []byte) (out string, result convert.WekaResult, err error) {
	input := filepath.Join(t.TempDir(), "a.jsonl")
	require.NoError(t, os.WriteFile(input, []byte(twoPlays), 0o644))
	dir := t.TempDir()
	out = filepath.Join(dir, "out.jsonl")
	if overwrite {
		require.NoError(t, os.WriteFile(out, []byte("what was there"), 0o644))
	}
	result, err = convert.Weka(t.Context(), convert.WekaOptions{
		Input: input, Output: out, Overwrite: overwrite, Weka: weka.Options{Jobs: 2},
		OnStage: func(stage convert.Stage, _ int64) {
			if stage != convert.StageVerify || damage == nil {
				return
			}
			partial, err := filepath.Glob(filepath.Join(dir, ".out.jsonl.*.partial"))
			require.NoError(t, err)
			require.Len(t, partial, 1)
			text, err := os.ReadFile(partial[0])
			require.NoError(t, err)
			changed := damage(bytes.Clone(text))
			require.NotEqual(t, text, changed)
			require.NoError(t, os.WriteFile(partial[0], changed, 0o644))
		},
	})
	return out, result, err
}

// Whatever byte of what was written is not what was meant, it is noticed,
// named, and nothing is left of the file.
func TestDamagedWriteIsNoticed(t *testing.T) {
	replace := func(old, new string) func([]byte) []byte {
		return func(text []byte) []byte { return bytes.Replace(text, []byte(old), []byte(new), 1) }
	}
	replaceLast := func(old, new string) func([]byte) []byte {
		return func(text []byte) []byte {
			at := bytes.LastIndex(text, []byte(old))
			return append(append(bytes.Clone(text[:at]), new...), text[at+len(old):]...)
		}
	}
	for _, tt := range []struct {
		name   string
		damage func([]byte) []byte
		says   []string
	}{
		{"output length", replace(`"output_length":5`, `"output_length":4`), []string{`:play:first"`, `:request:outer:1"`, "max_output_tokens", "5 was meant", "4 was read"}},
		{"time", replace(`"not_before_ms":2000.0`, `"not_before_ms":2000.5`), []string{`:play:first"`, `:request:outer:1"`, "not_before_ms", "2000.0 was meant", "2000.5 was read"}},
		{"api time", replace(`,"recorded_api_time_ms":500.0`, ``), []string{`:play:first"`, `:request:outer:1"`, "recorded_api_time_ms", "500.0 was meant", "null was read"}},
		{"edge", replace(`"delay_ms":1750.0`, `"delay_ms":1750.1`), []string{`:play:first"`, `:request:outer:1"`, "dependencies[0]", "1750.0", "1750.1"}},
		{"input length", replace(`"input_length":13`, `"input_length":14`), []string{`:play:first"`, `:request:outer:1"`, "input_length", "13 was meant"}},
		{"model of the last row", replaceLast(`"model":"m"`, `"model":"n"`), []string{`:play:second"`, `:request:outer:0"`, "model", `"m" was meant`, `"n" was read`}},
		{"order of the plays", func(text []byte) []byte {
			return []byte(strings.NewReplacer(`"source_play_ordinal":0`, `"source_play_ordinal":1`, `"source_play_ordinal":1`, `"source_play_ordinal":0`).Replace(string(text)))
		}, []string{"source_play_ordinal"}},
		{"hash id", func(text []byte) []byte {
			at := bytes.LastIndex(text, []byte(`"hash_ids":[`)) + len(`"hash_ids":[`) + 2
			text[at] = '0' + (text[at]-'0'+1)%10
			return text
		}, []string{`:play:second"`, "hash_ids[0]"}},
		{"block size of the header", replace(`"block_size":4`, `"block_size":5`), []string{"does not read back"}},
		{"digest of the header", replace(`"digest":"`, `"digest":"x`), []string{"another header"}},
		{"last row lost", func(text []byte) []byte {
			return text[:bytes.LastIndexByte(text[:len(text)-1], '\n')+1]
		}, []string{`:play:second"`, "request_id"}},
		{"cut off", func(text []byte) []byte { return text[:len(text)-20] }, []string{"does not read back"}},
		{"no JSON", replace(`"model"`, `"model`), []string{"does not read back"}},
	} {
		for _, overwrite := range []bool{false, true} {
			out, result, err := converter(t, overwrite, tt.damage)
			require.Error(t, err, tt.name)
			require.ErrorContains(t, err, "what was written", tt.name)
			for _, words := range tt.says {
				require.ErrorContains(t, err, words, tt.name)
			}
			require.False(t, result.Verified)
			left, readErr := os.ReadDir(filepath.Dir(out))
			require.NoError(t, readErr)
			if !overwrite {
				require.Empty(t, left, tt.name)
				continue
			}
			require.Len(t, left, 1, tt.name)
			text, readErr := os.ReadFile(out)
			require.NoError(t, readErr)
			require.Equal(t, "what was there", string(text))
		}
	}
}

// Undamaged, the file is in its place alone, and was verified.
func TestConverted(t *testing.T) {
	for _, overwrite := range []bool{false, true} {
		out, result, err := converter(t, overwrite, nil)
		require.NoError(t, err)
		require.True(t, result.Verified)
		require.Equal(t, 2, result.Plays)
		require.Equal(t, 3, result.Requests)
		require.Equal(t, int64(strings.Count(twoPlays, "")-1)-2, result.BytesRead) // but for two line ends
		text, err := os.ReadFile(out)
		require.NoError(t, err)
		require.Equal(t, 4, strings.Count(string(text), "\n"))
		require.Equal(t, int64(len(text)), result.BytesWritten)
		left, err := os.ReadDir(filepath.Dir(out))
		require.NoError(t, err)
		require.Len(t, left, 1)
	}
}

// A file that is there stays there, unless it may be replaced.
func TestExistingOutputStays(t *testing.T) {
	dir := t.TempDir()
	input, out := filepath.Join(dir, "a.jsonl"), filepath.Join(dir, "out")
	require.NoError(t, os.WriteFile(input, []byte(twoPlays), 0o644))
	require.NoError(t, os.WriteFile(out, []byte("what was there"), 0o644))
	_, err := convert.Weka(t.Context(), convert.WekaOptions{Input: input, Output: out})
	require.ErrorContains(t, err, "exists already")
	for _, output := range []string{input, filepath.Join(dir, ".", "a.jsonl")} {
		_, err = convert.Weka(t.Context(), convert.WekaOptions{Input: input, Output: output, Overwrite: true})
		require.ErrorContains(t, err, "is the input")
		_, err = convert.Weka(t.Context(), convert.WekaOptions{Input: dir, Output: output, Overwrite: true})
		require.Error(t, err)
	}
	for path, want := range map[string]string{input: twoPlays, out: "what was there"} {
		text, err := os.ReadFile(path)
		require.NoError(t, err)
		require.Equal(t, want, string(text))
	}
}
