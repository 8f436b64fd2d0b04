package corpus

import (
	"bytes"
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// document is a Weka document as a reader sees it.
type document struct {
	ID           string
	Models       []string
	BlockSize    int        `json:"block_size"`
	Scope        string     `json:"hash_id_scope"`
	ToolTokens   *int       `json:"tool_tokens"`
	SystemTokens *int       `json:"system_tokens"`
	Requests     []docEntry `json:"requests"`
	Totals       *docTotals `json:"totals"`
}

type docEntry struct {
	T           float64
	Type        string
	Model       string
	In, Out     int
	HashIDs     []int    `json:"hash_ids"`
	InputTypes  []string `json:"input_types"`
	OutputTypes []string `json:"output_types"`
	Stop        *string
	APITime     *float64 `json:"api_time"`
	TTFT        *float64 `json:"ttft"`
	ThinkTime   *float64 `json:"think_time"`

	AgentID      string `json:"agent_id"`
	SubagentType string `json:"subagent_type"`
	Status       string
	DurationMS   *int `json:"duration_ms"`
	TotalTokens  *int `json:"total_tokens"`
	ToolUseCount *int `json:"tool_use_count"`
	Requests     []docEntry
	Models       []string
	ToolTokens   *int `json:"tool_tokens"`
	SystemTokens *int `json:"system_tokens"`
}

type docTotals struct {
	Parent, Subagent, Combined docTokens
	SubagentCount              int
}

type docTokens struct{ Input, Output int }

func (t *docTotals) UnmarshalJSON(text []byte) error {
	var raw struct {
		Parent   docTokens `json:"parent_tokens"`
		Subagent docTokens `json:"subagent_tokens"`
		Combined docTokens `json:"combined_tokens"`
		Count    int       `json:"subagent_count"`
	}
	err := json.Unmarshal(text, &raw)
	*t = docTotals{raw.Parent, raw.Subagent, raw.Combined, raw.Count}
	return err
}

func parse(t *testing.T, text []byte) document {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	var doc document
	require.NoError(t, decoder.Decode(&doc))
	_, err := decoder.Token()
	require.Error(t, err, "more than one document")
	return doc
}

// calls returns all requests, outer and nested, in order of the document.
func (d *document) calls() []docEntry {
	var all []docEntry
	for _, e := range d.Requests {
		if e.Type == "subagent" {
			all = append(all, e.Requests...)
		} else {
			all = append(all, e)
		}
	}
	return all
}

// offences lists what the documented rules object to in a document; with
// program set, what the aisimulate-0.13 rules object to, for a corpus whose
// nested clock is absolute. The last two rules say more than readers do: a
// document that keeps them cannot lower to a cycle.
func offences(d *document, program bool) []string {
	var found []string
	object := func(bad bool, what string) {
		if bad && !slices.Contains(found, what) {
			found = append(found, what)
		}
	}
	object(d.ID == "", "blank id")
	object(d.BlockSize != 64, "block size")
	object(d.Scope != "local", "scope")
	calls := d.calls()
	for _, c := range calls {
		object(c.Type != "n" && c.Type != "s", "type")
		object(c.T < 0, "negative time")
		object(c.In <= 0, "no input")
		object(c.Out < 0, "negative output")
		object(!slices.Contains(d.Models, c.Model), "undeclared model")
		object(c.APITime != nil && *c.APITime < 0, "negative api_time")
		object(!program && c.APITime == nil, "missing api_time")
		object(!program && c.Model != calls[0].Model, "several models")
	}
	owner := -1
	for i, e := range d.Requests {
		if e.Type != "subagent" {
			object(owner >= 0 && e.T < d.Requests[owner].T, "outer time goes back")
			owner = i
			continue
		}
		object(e.AgentID == "", "blank agent")
		object(e.Status != "completed" && e.Status != "async_launched", "status")
		object(len(e.Requests) == 0, "no nested request")
		object(e.DurationMS != nil && *e.DurationMS < 0, "negative duration")
		object(owner < 0, "no owner")
		object(owner >= 0 && e.T < d.Requests[owner].T, "marker before its owner")
		for _, c := range e.Requests {
			object(c.T < e.T, "nested request before its marker")
		}
	}
	object(owner < 0, "no outer request")
	return found
}

func TestOffencesAreFound(t *testing.T) {
	good := `{"id":"a","models":["m"],"block_size":64,"hash_id_scope":"local","requests":[` +
		`{"t":0.0,"type":"n","model":"m","in":64,"out":1,"hash_ids":[1],"api_time":1.0},` +
		`{"t":1.5,"type":"subagent","agent_id":"x","subagent_type":"y","status":"completed","requests":[` +
		`{"t":1.5,"type":"n","model":"m","in":64,"out":1,"hash_ids":[2],"api_time":1.0}]}]}`
	cases := []struct{ old, new, documented, program string }{
		{`"a"`, `"a"`, "", ""},
		{`"models":["m"]`, `"models":["k"]`, "undeclared model", "undeclared model"},
		{`"hash_ids":[2],"api_time":1.0`, `"hash_ids":[2]`, "missing api_time", ""},
		{`"requests":[{"t":1.5`, `"requests":[{"t":1.4`, "nested request before its marker", "nested request before its marker"},
		{`{"t":0.0`, `{"t":1.6`, "marker before its owner", "marker before its owner"},
		{`completed`, `done`, "status", "status"},
	}
	for _, c := range cases {
		text := bytes.Replace([]byte(good), []byte(c.old), []byte(c.new), 1)
		doc := parse(t, text)
		want := func(s string) []string {
			if s == "" {
				return nil
			}
			return []string{s}
		}
		assert.Equal(t, want(c.documented), offences(&doc, false), c.new)
		assert.Equal(t, want(c.program), offences(&doc, true), c.new)
	}
}
