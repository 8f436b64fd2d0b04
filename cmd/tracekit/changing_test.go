package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/convert"
	"tracekit/corpus"
	"tracekit/formats"
	"tracekit/formats/weka"
	"tracekit/trace"
)

// A file changes while a command reads it, in every way and at every stage.
// The command notices, and makes nothing of it.

// appendTo makes a file longer by a space, which changes nothing else.
func appendTo(t *testing.T, path string) {
	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteString(" ")
	require.NoError(t, err)
	require.NoError(t, file.Close())
}

func truncate(t *testing.T, path string) { require.NoError(t, os.Truncate(path, 10)) }

// rewrite changes a digit of a file in place.
func rewrite(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	changed := strings.Replace(string(text), `"out":`, `"out":1`, 1)
	changed = changed[:len(text)]
	file, err := os.OpenFile(path, os.O_WRONLY, 0)
	require.NoError(t, err)
	_, err = file.WriteString(changed)
	require.NoError(t, err)
	require.NoError(t, file.Close())
}

// replace puts another file in its place.
func replace(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path+".new", append([]byte("\n"), text...), 0o666))
	require.NoError(t, os.Rename(path+".new", path))
}

func remove(t *testing.T, path string) { require.NoError(t, os.Remove(path)) }

// once returns a function that does something when it is first called.
func once(do func()) func(int) {
	done := false
	return func(int) {
		if !done {
			done = true
			do()
		}
	}
}

func demoFolder(t *testing.T) string {
	folder := filepath.Join(t.TempDir(), "traces")
	require.NoError(t, os.CopyFS(folder, corpus.Demo()))
	return folder
}

// longFile returns a .jsonl file that is read in several pieces.
func longFile(t *testing.T) string {
	var text []byte
	for ordinal := range 8 {
		text = append(corpus.AppendWekaPlay(text, ordinal, corpus.WekaOptions{Seed: 1, Profile: corpus.ProfilePlain}), '\n')
	}
	path := filepath.Join(t.TempDir(), "traces.jsonl")
	require.NoError(t, os.WriteFile(path, text, 0o666))
	require.Greater(t, len(text), 1<<19)
	return path
}

func TestCorpusChanges(t *testing.T) {
	const gone = "cannot be opened: no such file or directory"
	for _, c := range []struct {
		name   string
		change func(*testing.T, string)
		stage  convert.Stage
		gone   bool
	}{
		{"grows while it is checked", appendTo, convert.StageCheck, false},
		{"shrinks while it is checked", truncate, convert.StageCheck, false},
		{"is written over before it is converted", rewrite, convert.StageConvert, false},
		{"shrinks before it is converted", truncate, convert.StageConvert, false},
		{"is replaced before it is converted", replace, convert.StageConvert, false},
		{"is removed before it is converted", remove, convert.StageConvert, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			folder := demoFolder(t)
			for input, file := range map[string]string{folder: filepath.Join(folder, "trace_0001.json"), longFile(t): ""} {
				if file == "" {
					file = input
				}
				output := filepath.Join(t.TempDir(), "out.jsonl")
				stage := convert.Stage("")
				change := once(func() { c.change(t, file) })
				_, err := convert.Weka(t.Context(), convert.WekaOptions{
					Input: input, Output: output,
					OnStage: func(s convert.Stage, _ int64) {
						if stage = s; s == c.stage && s != convert.StageCheck {
							change(0)
						}
					},
					Weka: weka.Options{OnBytes: func(int) {
						if stage == convert.StageCheck && c.stage == stage {
							change(0)
						}
					}},
				})
				if c.gone {
					require.ErrorContains(t, err, gone)
				} else {
					require.ErrorIs(t, err, formats.ErrChanged)
				}
				require.ErrorContains(t, err, file)
				requireEmpty(t, filepath.Dir(output))
			}
		})
	}
}

// Somebody writes into the output before it is complete.
func TestOutputChanges(t *testing.T) {
	folder := t.TempDir()
	_, err := convert.Weka(t.Context(), convert.WekaOptions{
		Input: demoFolder(t), Output: filepath.Join(folder, "out.jsonl"),
		OnStage: func(stage convert.Stage, _ int64) {
			if stage != convert.StageVerify {
				return
			}
			partial, err := filepath.Glob(filepath.Join(folder, ".*.partial"))
			require.NoError(t, err)
			require.Len(t, partial, 1)
			text, err := os.ReadFile(partial[0])
			require.NoError(t, err)
			at := strings.Index(string(text), `"output_length":`) + len(`"output_length":`)
			text[at] = '1' + '8' - text[at] // another digit
			require.NoError(t, os.WriteFile(partial[0], text, 0o666))
		},
	})
	require.ErrorContains(t, err, "what was written reads back as another graph")
	require.ErrorContains(t, err, "max_output_tokens")
	requireEmpty(t, folder)
}

func TestGraphChanges(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "graph.jsonl")
	code, _, stderr := command("convert", "weka", "--input", longFile(t), "--output", whole)
	require.Zero(t, code, stderr)
	text, err := os.ReadFile(whole)
	require.NoError(t, err)

	for name, change := range map[string]func(*testing.T, string){"grows": appendTo, "shrinks": truncate} {
		for _, later := range []bool{false, true} {
			path := filepath.Join(t.TempDir(), "graph.jsonl")
			require.NoError(t, os.WriteFile(path, text, 0o666))
			change := once(func() { change(t, path) })
			opened := false
			opts := trace.Options{Jobs: 1, OnBytes: func(int) {
				if later == opened {
					change(0)
				}
			}}
			err := func() error {
				t, _, err := trace.Open(t.Context(), path, opts)
				if err != nil {
					return err
				}
				defer t.Close()
				opened = true
				_, err = t.Summary(context.Background())
				return err
			}()
			require.ErrorIs(t, err, formats.ErrChanged, "it %s, later: %v", name, later)
			require.ErrorContains(t, err, path)
		}
	}
}
