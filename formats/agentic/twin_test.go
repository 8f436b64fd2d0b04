package agentic_test

import (
	"bytes"
	"encoding/json"
	"io"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"tracekit/formats"
	"tracekit/formats/agentic"
)

// accepts is the plain twin of Open: the same rules over the standard
// library's JSON, everything in memory, without places. It serves texts
// without surrogate escapes and without deep nesting, which the standard
// library treats otherwise (plain tells which those are).
func accepts(text string) bool {
	if !utf8.ValidString(text) {
		return false
	}
	var lines []map[string]any
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSuffix(line, "\r")
		if strings.TrimSpace(line) == "" {
			continue
		}
		object, ok := twinLine(line, len(lines) == 0)
		if !ok {
			return false
		}
		lines = append(lines, object)
	}
	return len(lines) > 1 && twinGraph(lines[0], lines[1:])
}

func plain(text string) bool {
	return !strings.Contains(strings.ToLower(text), `\ud`) && strings.Count(text, "[")+strings.Count(text, "{") < 5000
}

// fieldKinds are the known fields of rows; an upper-case letter is required.
var fieldKinds = map[string]string{
	"request_id": "S", "play_id": "S", "session_id": "S", "model": "S", "not_before_ms": "R",
	"input_length": "U", "output_length": "U", "hash_ids": "L", "source_play_ordinal": "u", "output_token_ids": "t",
	"recorded_api_time_ms": "r", "priority": "i", "strict_priority": "w", "policy_class": "s", "dependencies": "d",
}

var aliases = map[string]string{"input_tokens": "input_length", "output_tokens": "output_length"}

var (
	headerKinds     = map[string]string{"schema": "S", "version": "W", "block_size": "U", "hash_id_scope": "S", "source": "O"}
	sourceKinds     = map[string]string{"format": "S", "digest": "S"}
	dependencyKinds = map[string]string{"request_id": "S", "trigger": "S", "delay_ms": "R", "relation": "S"}
)

func twinLine(line string, header bool) (map[string]any, bool) {
	d := json.NewDecoder(strings.NewReader(line))
	d.UseNumber()
	kinds := fieldKinds
	if header {
		kinds = headerKinds
	}
	object, ok := twinObject(d, kinds)
	if !ok {
		return nil, false
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, false
	}
	return object, true
}

// twinObject reads an object: known fields once and of their kind, others of
// any.
func twinObject(d *json.Decoder, kinds map[string]string) (map[string]any, bool) {
	if token, err := d.Token(); err != nil || token != json.Delim('{') {
		return nil, false
	}
	object := map[string]any{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, false
		}
		key := token.(string)
		if name, ok := aliases[key]; ok && kinds["hash_ids"] != "" {
			key = name
		}
		kind, known := kinds[key]
		if !known {
			var ignored json.RawMessage
			if d.Decode(&ignored) != nil {
				return nil, false
			}
			continue
		}
		if _, twice := object[key]; twice {
			return nil, false
		}
		value, ok := twinValue(d, kind)
		if !ok {
			return nil, false
		}
		object[key] = value
	}
	if _, err := d.Token(); err != nil {
		return nil, false
	}
	for name, kind := range kinds {
		if kind == strings.ToUpper(kind) && object[name] == nil {
			return nil, false
		}
	}
	return object, true
}

// twinValue reads a value of a kind; nil is an absent one.
func twinValue(d *json.Decoder, kind string) (any, bool) {
	switch kind {
	case "O":
		return twinObject(d, sourceKinds)
	case "d":
		if token, err := d.Token(); err != nil || token != json.Delim('[') {
			return nil, false
		}
		edges := []map[string]any{}
		for d.More() {
			edge, ok := twinObject(d, dependencyKinds)
			if !ok {
				return nil, false
			}
			edges = append(edges, edge)
		}
		_, err := d.Token()
		return edges, err == nil
	}
	var raw json.RawMessage
	if d.Decode(&raw) != nil {
		return nil, false
	}
	// A required value that is null is missed by the caller.
	if string(raw) == "null" {
		return nil, true
	}
	switch strings.ToLower(kind) {
	case "s":
		var text string
		err := json.Unmarshal(raw, &text)
		return text, err == nil
	case "u":
		return twinInteger(raw, "0", "18446744073709551615")
	case "w":
		return twinInteger(raw, "0", "4294967295")
	case "i":
		return twinInteger(raw, "-2147483648", "2147483647")
	case "r":
		value, err := strconv.ParseFloat(string(raw), 64)
		return value, err == nil && !math.IsInf(value, 0) && (raw[0] == '-' || raw[0] >= '0' && raw[0] <= '9')
	}
	most := map[string]string{"l": "18446744073709551615", "t": "4294967295"}[strings.ToLower(kind)]
	var elements []json.RawMessage
	if raw[0] != '[' || json.Unmarshal(raw, &elements) != nil {
		return nil, false
	}
	for _, element := range elements {
		if _, ok := twinInteger(element, "0", most); !ok {
			return nil, false
		}
	}
	return len(elements), true
}

func twinInteger(raw []byte, least, most string) (*big.Int, bool) {
	number := func(text string) *big.Int {
		n, _ := new(big.Int).SetString(text, 10)
		return n
	}
	value := number(string(raw))
	if value == nil || bytes.ContainsAny(raw, "+_ ") || string(raw) == "-0" {
		return nil, false
	}
	return value, value.Cmp(number(least)) >= 0 && value.Cmp(number(most)) <= 0
}

func twinGraph(header map[string]any, rows []map[string]any) bool {
	source := header["source"].(map[string]any)
	blockSize := header["block_size"].(*big.Int)
	if header["schema"] != agentic.Schema || header["version"].(*big.Int).Int64() != agentic.Version || blockSize.Sign() == 0 ||
		header["hash_id_scope"] != agentic.HashIDScope || twinBlank(source["format"]) || twinBlank(source["digest"]) {
		return false
	}
	byID := map[string]map[string]any{}
	for _, row := range rows {
		id := row["request_id"].(string)
		input := row["input_length"].(*big.Int)
		blocks := new(big.Int).Add(input, blockSize)
		blocks.Sub(blocks, big.NewInt(1)).Div(blocks, blockSize)
		tokens, authored := row["output_token_ids"].(int)
		apiTime, _ := row["recorded_api_time_ms"].(float64)
		switch {
		case twinBlank(row["request_id"]), twinBlank(row["play_id"]), twinBlank(row["session_id"]), twinBlank(row["model"]),
			byID[id] != nil, input.Sign() == 0, blocks.Cmp(big.NewInt(int64(row["hash_ids"].(int)))) != 0,
			authored && row["output_length"].(*big.Int).Cmp(big.NewInt(int64(tokens))) != 0,
			row["not_before_ms"].(float64) < 0, apiTime < 0:
			return false
		}
		byID[id] = row
	}
	return twinEdges(rows, byID) && twinOrdinals(rows)
}

func twinBlank(text any) bool { return strings.TrimSpace(text.(string)) == "" }

func twinEdges(rows []map[string]any, byID map[string]map[string]any) bool {
	const (
		open = 1 + iota
		done
	)
	state := map[string]int{}
	var visit func(id string) bool
	visit = func(id string) bool {
		if state[id] != 0 {
			return state[id] == done
		}
		state[id] = open
		edges, _ := byID[id]["dependencies"].([]map[string]any)
		for _, edge := range edges {
			name := edge["request_id"].(string)
			relation, trigger := edge["relation"].(string), edge["trigger"].(string)
			allowed := slices.Contains([]string{"sequence", "spawn", "join", "replay_barrier"}, relation) &&
				(trigger == "completion" || trigger == "dispatch" && relation == "spawn")
			if !allowed || edge["delay_ms"].(float64) < 0 || byID[name] == nil || byID[name]["play_id"] != byID[id]["play_id"] || !visit(name) {
				return false
			}
		}
		state[id] = done
		return true
	}
	for _, row := range rows {
		if !visit(row["request_id"].(string)) {
			return false
		}
	}
	return true
}

func twinOrdinals(rows []map[string]any) bool {
	plays := map[string]string{}
	for _, row := range rows {
		ordinal := ""
		if n, given := row["source_play_ordinal"].(*big.Int); given {
			ordinal = n.String()
		}
		play := row["play_id"].(string)
		if known, seen := plays[play]; seen && known != ordinal {
			return false
		}
		plays[play] = ordinal
	}
	var all []string
	none := 0
	for _, ordinal := range plays {
		if ordinal == "" {
			none++
		}
		all = append(all, ordinal)
	}
	if none > 0 {
		return none == len(plays)
	}
	for i := range len(plays) {
		if !slices.Contains(all, strconv.Itoa(i)) {
			return false
		}
	}
	return true
}

// checkAgainstTwin opens a text and requires the twin's verdict, and that a
// trace which is accepted survives being written and read again.
func checkAgainstTwin(t testing.TB, text string) {
	source, err := formats.Open(t.Context(), "-", strings.NewReader(text), formats.DefaultMaxBytes)
	if err != nil {
		return // it begins like a packed file
	}
	trace, err := agentic.OpenInBlocks(t.Context(), source, agentic.Options{Jobs: 2}, 100)
	if plain(text) {
		require.Equal(t, accepts(text), err == nil, "error: %v\n%q", err, text)
	}
	if err != nil {
		var place *formats.Error
		require.ErrorAs(t, err, &place)
		return
	}
	defer trace.Close()
	first := summary(t, trace)
	written := rewrite(t, trace)
	again := open(t, string(written), agentic.Options{Jobs: 1})
	require.Equal(t, first, summary(t, again))
	require.Equal(t, string(written), string(rewrite(t, again)))
}

func FuzzOpen(f *testing.F) {
	for _, folder := range append(cases(f, "identity/*"), cases(f, "formats/*v2-*")...) {
		for _, name := range []string{"input.jsonl", "trace.jsonl"} {
			if text, err := readAny(folder, name); err == nil {
				f.Add(text)
			}
		}
	}
	f.Fuzz(func(t *testing.T, text []byte) { checkAgainstTwin(t, string(text)) })
}

// Texts that are nearly good are judged as the twin does: every golden text
// with one place of it damaged.
func TestTwinOnDamagedTexts(t *testing.T) {
	pieces := []string{"", "0", "-", "1e999", "null", `"`, ",", "{", "}", "[", "]", " ", "\n", `\`, "\x80", ".5", "\u00a0", `"a"`}
	for _, name := range []string{"formats/v2-basic/trace.jsonl", "identity/all-fields/input.jsonl", "identity/chain-explicit-defaults/input.jsonl"} {
		text := string(readFile(t, golden, name))
		checkAgainstTwin(t, text)
		for at := 0; at < len(text); at += 7 {
			piece := pieces[at/7%len(pieces)]
			checkAgainstTwin(t, text[:at]+piece+text[at:])
			checkAgainstTwin(t, text[:at]+piece+text[at+1:])
		}
	}
}
