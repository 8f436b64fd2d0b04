package graph

import (
	"bytes"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"tracekit/internal/strictjson"
)

// Comparison is the result of [Compare].
type Comparison struct {
	Missing int // nodes of the first graph that the second lacks
	Extra   int // nodes of the second graph that the first lacks
	Changed int // nodes of both that differ
	First   *Difference
}

// Difference is one field in which two graphs differ.
type Difference struct {
	PlayID    string `json:"play_id"`
	RequestID string `json:"request_id"`
	Field     string `json:"field"`  // as `hash_ids[12]`; `request_id` when one graph lacks the node
	First     string `json:"first"`  // value in the first graph as JSON text; empty if it has none
	Second    string `json:"second"` // value in the second graph
}

// Compare walks two graphs in canonical order side by side, holding one node
// of each, and returns what differs. The first difference is the one with the
// least request id.
func Compare(a, b iter.Seq2[*Node, error]) (Comparison, error) {
	var result Comparison
	var encoder Encoder
	var canonicalA, canonicalB []byte
	nextA, stopA := iter.Pull2(a)
	defer stopA()
	nextB, stopB := iter.Pull2(b)
	defer stopB()
	found := func(d Difference) {
		if result.First == nil {
			result.First = &d
		}
	}
	na, err, okA := nextA()
	if err != nil {
		return result, err
	}
	nb, err, okB := nextB()
	if err != nil {
		return result, err
	}
	for okA || okB {
		order := 0
		switch {
		case !okB:
			order = -1
		case !okA:
			order = 1
		default:
			order = strings.Compare(na.RequestID, nb.RequestID)
		}
		switch {
		case order < 0:
			result.Missing++
			found(Difference{PlayID: na.PlayID, RequestID: na.RequestID, Field: "request_id", First: quote(na.RequestID)})
		case order > 0:
			result.Extra++
			found(Difference{PlayID: nb.PlayID, RequestID: nb.RequestID, Field: "request_id", Second: quote(nb.RequestID)})
		default:
			canonicalA, canonicalB = encoder.Append(canonicalA[:0], na), encoder.Append(canonicalB[:0], nb)
			if !bytes.Equal(canonicalA, canonicalB) {
				result.Changed++
				field, first, second := firstField(na, nb)
				found(Difference{PlayID: na.PlayID, RequestID: na.RequestID, Field: field, First: first, Second: second})
			}
		}
		if order <= 0 {
			if na, err, okA = nextA(); err != nil {
				return result, err
			}
		}
		if order >= 0 {
			if nb, err, okB = nextB(); err != nil {
				return result, err
			}
		}
	}
	return result, nil
}

// firstField returns the first field, in canonical order, in which two nodes
// of the same request id differ.
func firstField(a, b *Node) (field, first, second string) {
	optional := func(present bool, text string) string {
		if !present {
			return "null"
		}
		return text
	}
	class := func(n *Node) string {
		if n.PolicyClass == nil {
			return "null"
		}
		return quote(*n.PolicyClass)
	}
	for _, f := range []struct{ name, a, b string }{
		{"play_id", quote(a.PlayID), quote(b.PlayID)},
		{"source_play_ordinal", optional(a.HasOrdinal, decimal(a.Ordinal)), optional(b.HasOrdinal, decimal(b.Ordinal))},
		{"session_id", quote(a.SessionID), quote(b.SessionID)},
		{"model", quote(a.Model), quote(b.Model)},
		{"input_length", decimal(a.InputLength), decimal(b.InputLength)},
		{"max_output_tokens", decimal(a.MaxOutputTokens), decimal(b.MaxOutputTokens)},
	} {
		if f.a != f.b {
			return f.name, f.a, f.b
		}
	}
	if field, first, second, differ := differingOutput(a.OutputTokenIDs, b.OutputTokenIDs); differ {
		return field, first, second
	}
	if field, first, second, differ := differingList("hash_ids", a.HashIDs.All, b.HashIDs.All); differ {
		return field, first, second
	}
	for _, f := range []struct{ name, a, b string }{
		{"not_before_ms", millis(a.NotBeforeMs), millis(b.NotBeforeMs)},
		{"recorded_api_time_ms", optional(a.HasAPITime, millis(a.RecordedAPITimeMs)), optional(b.HasAPITime, millis(b.RecordedAPITimeMs))},
		{"priority", strconv.Itoa(int(a.Priority)), strconv.Itoa(int(b.Priority))},
		{"strict_priority", decimal(uint64(a.StrictPriority)), decimal(uint64(b.StrictPriority))},
		{"policy_class", class(a), class(b)},
	} {
		if f.a != f.b {
			return f.name, f.a, f.b
		}
	}
	return differingEdges(a.Dependencies, b.Dependencies)
}

func differingOutput(a, b *Integers) (field, first, second string, differ bool) {
	switch {
	case a == nil && b == nil:
		return "", "", "", false
	case a == nil:
		return "output_token_ids", "null", fmt.Sprintf("%d ids", b.Len), true
	case b == nil:
		return "output_token_ids", fmt.Sprintf("%d ids", a.Len), "null", true
	}
	return differingList("output_token_ids", a.All, b.All)
}

func differingList(name string, a, b iter.Seq[uint64]) (field, first, second string, differ bool) {
	nextA, stopA := iter.Pull(a)
	defer stopA()
	nextB, stopB := iter.Pull(b)
	defer stopB()
	for i := 0; ; i++ {
		x, okA := nextA()
		y, okB := nextB()
		if !okA && !okB {
			return "", "", "", false
		}
		if okA != okB || x != y {
			first, second = decimal(x), decimal(y)
			if !okA {
				first = ""
			}
			if !okB {
				second = ""
			}
			return fmt.Sprintf("%s[%d]", name, i), first, second, true
		}
	}
}

func differingEdges(a, b []Dependency) (field, first, second string) {
	var ea, eb Encoder
	a, b = ea.canonicalOrder(a), eb.canonicalOrder(b)
	for i := range max(len(a), len(b)) {
		var x, y string
		if i < len(a) {
			x = string(AppendDependency(nil, a[i]))
		}
		if i < len(b) {
			y = string(AppendDependency(nil, b[i]))
		}
		if x != y {
			return fmt.Sprintf("dependencies[%d]", i), x, y
		}
	}
	return "", "", ""
}

func quote(text string) string { return string(strictjson.AppendString(nil, text)) }
func decimal(n uint64) string  { return strconv.FormatUint(n, 10) }
func millis(x float64) string  { return string(strictjson.AppendReal(nil, x)) }
