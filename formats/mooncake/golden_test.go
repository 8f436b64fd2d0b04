package mooncake_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/formats"
	"tracekit/formats/mooncake"
	"tracekit/internal/semantics"
)

// The loaded form of the golden cases (formats.md 10).
type parsedFile struct {
	Sessions []parsedSession `json:"sessions"`
}

type parsedSession struct {
	StartMs *float64     `json:"first_arrival_ms"`
	Name    string       `json:"session_id"`
	Turns   []parsedTurn `json:"turns"`
}

type parsedTurn struct {
	DelayMs        float64   `json:"delay_ms"`
	InputLength    uint64    `json:"input_length"`
	OutputLength   uint64    `json:"output_length"`
	GeneratedName  bool      `json:"synthetic_session_id"`
	Blocks         []int     `json:"token_per_block"` // ids by first appearance
	OutputTokenIDs *[]uint64 `json:"output_token_ids"`
	ReplayKey      string    `json:"replay_key"`
	Priority       int32     `json:"priority"`
	StrictPriority uint32    `json:"strict_priority"`
	PolicyClass    *string   `json:"policy_class"`
}

// parsed is the loaded form of a file.
func parsed(file *mooncake.File) (all parsedFile) {
	numbers := numbering(file)
	for _, s := range file.Sessions() {
		session := parsedSession{Name: s.Name}
		if s.HasStart {
			session.StartMs = &s.StartMs
		}
		for _, turn := range s.Turns {
			p := parsedTurn{
				DelayMs: turn.DelayMs, InputLength: turn.InputLength, OutputLength: turn.OutputLength, GeneratedName: !s.Named,
				ReplayKey: turn.ReplayKey, Priority: turn.Priority, StrictPriority: turn.StrictPriority, PolicyClass: turn.PolicyClass,
			}
			for id := range turn.HashIDs.All {
				p.Blocks = append(p.Blocks, numbers[id])
			}
			if turn.OutputTokenIDs != nil {
				ids := []uint64{}
				for id := range turn.OutputTokenIDs.All {
					ids = append(ids, id)
				}
				p.OutputTokenIDs = &ids
			}
			session.Turns = append(session.Turns, p)
		}
		all.Sessions = append(all.Sessions, session)
	}
	return all
}

// numbering numbers the hash ids of a file by first appearance, in file order.
func numbering(file *mooncake.File) map[uint64]int {
	lines := map[int]mooncake.Turn{}
	last := 0
	for _, s := range file.Sessions() {
		for _, turn := range s.Turns {
			lines[turn.Line] = turn
			last = max(last, turn.Line)
		}
	}
	numbers := map[uint64]int{}
	for line := range last + 1 {
		for id := range lines[line].HashIDs.All {
			if _, known := numbers[id]; !known {
				numbers[id] = len(numbers)
			}
		}
	}
	return numbers
}

func TestGoldenCases(t *testing.T) {
	folders, err := filepath.Glob("../../testdata/golden/formats/*moon-*/trace.jsonl")
	require.NoError(t, err)
	require.Len(t, folders, 16)
	for _, path := range folders {
		t.Run(filepath.Base(filepath.Dir(path)), func(t *testing.T) { goldenCase(t, path) })
	}
}

func goldenCase(t *testing.T, path string) {
	folder := filepath.Dir(path)
	text, err := os.ReadFile(filepath.Join(folder, "expected.json"))
	require.NoError(t, err)
	var want struct {
		Rejects      bool        `json:"rejects"`
		ParseRejects bool        `json:"parse_rejects"`
		Parsed       *parsedFile `json:"parsed"`
	}
	require.NoError(t, json.Unmarshal(text, &want))
	config, err := os.ReadFile(filepath.Join(folder, "config.yaml"))
	require.NoError(t, err)
	opts := mooncake.Options{Semantics: semantics.AISimulate013}
	if strings.Contains(string(config), "paths:\n    - trace.jsonl\n    block_size: 64\n") {
		opts.BlockSize = 64
	}
	load := mooncake.TraceTimestamps
	if strings.Contains(string(config), "type: concurrency") {
		load = mooncake.Concurrency
	}

	source, err := formats.Open(t.Context(), path, nil, 0)
	require.NoError(t, err)
	file, err := mooncake.Read(t.Context(), source, opts)
	require.Equal(t, want.ParseRejects, err != nil, err)
	if err != nil {
		return
	}
	require.Equal(t, *want.Parsed, parsed(file))
	sessions := file.Sessions()
	if load == mooncake.TraceTimestamps {
		sessions = file.Normalised(1)
	}
	require.Equal(t, want.Rejects, file.CheckStart(sessions, load) != nil)
}
