package graph

import (
	"cmp"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"tracekit/internal/strictjson"
)

// Encoder writes nodes in their canonical form. It owns reusable buffers, so
// that each goroutine has one of its own; the zero value is ready.
type Encoder struct {
	buf   []byte
	edges []Dependency
}

// Encode writes the canonical bytes of one node (graph-identity.md 3),
// with a comma in front: a [Digest] and a fingerprint take them as they are.
// The hash ids are written from where they lie, without being copied.
func (e *Encoder) Encode(w io.Writer, n *Node) error {
	e.buf = e.appendBefore(e.buf[:0], n)
	if _, err := w.Write(e.buf); err != nil {
		return err
	}
	if _, err := w.Write(n.HashIDs.Head.Text); err != nil {
		return err
	}
	e.buf = e.buf[:0]
	if n.HashIDs.Head.Len > 0 && n.HashIDs.Tail.Len > 0 {
		e.buf = append(e.buf, ',')
	}
	e.buf = append(e.buf, n.HashIDs.Tail.Text...)
	e.buf = e.appendAfter(e.buf, n)
	_, err := w.Write(e.buf)
	return err
}

// Append appends what [Encoder.Encode] writes.
func (e *Encoder) Append(dst []byte, n *Node) []byte {
	dst = e.appendBefore(dst, n)
	dst = n.HashIDs.AppendText(dst)
	return e.appendAfter(dst, n)
}

// appendBefore appends everything before the hash ids.
func (e *Encoder) appendBefore(dst []byte, n *Node) []byte {
	dst = append(dst, `,{"request_id":`...)
	dst = strictjson.AppendString(dst, n.RequestID)
	dst = append(dst, `,"play_id":`...)
	dst = strictjson.AppendString(dst, n.PlayID)
	if n.HasOrdinal {
		dst = append(dst, `,"source_play_ordinal":`...)
		dst = strconv.AppendUint(dst, n.Ordinal, 10)
	}
	dst = append(dst, `,"session_id":`...)
	dst = strictjson.AppendString(dst, n.SessionID)
	dst = append(dst, `,"model":`...)
	dst = strictjson.AppendString(dst, n.Model)
	dst = append(dst, `,"input_length":`...)
	dst = strconv.AppendUint(dst, n.InputLength, 10)
	dst = append(dst, `,"max_output_tokens":`...)
	dst = strconv.AppendUint(dst, n.MaxOutputTokens, 10)
	dst = append(dst, `,"output_token_ids":`...)
	if n.OutputTokenIDs == nil {
		dst = append(dst, `null,"replay_key":null`...)
	} else {
		dst = append(dst, '[')
		dst = append(dst, n.OutputTokenIDs.Text...)
		dst = append(dst, `],"replay_key":`...)
		dst = strictjson.AppendString(dst, strings.TrimFunc(n.RequestID, unicode.IsSpace))
	}
	return append(dst, `,"hash_ids":[`...)
}

// appendAfter appends everything after the hash ids.
func (e *Encoder) appendAfter(dst []byte, n *Node) []byte {
	dst = append(dst, `],"not_before_ms":`...)
	dst = strictjson.AppendReal(dst, n.NotBeforeMs)
	if n.HasAPITime {
		dst = append(dst, `,"recorded_api_time_ms":`...)
		dst = strictjson.AppendReal(dst, n.RecordedAPITimeMs)
	}
	dst = append(dst, `,"priority":`...)
	dst = strconv.AppendInt(dst, int64(n.Priority), 10)
	dst = append(dst, `,"strict_priority":`...)
	dst = strconv.AppendUint(dst, uint64(n.StrictPriority), 10)
	dst = append(dst, `,"policy_class":`...)
	if n.PolicyClass == nil {
		dst = append(dst, "null"...)
	} else {
		dst = strictjson.AppendString(dst, *n.PolicyClass)
	}
	dst = append(dst, `,"dependencies":[`...)
	for i, d := range e.canonicalOrder(n.Dependencies) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendDependency(dst, d)
	}
	return append(dst, "]}"...)
}

// AppendDependency appends an edge as a JSON object, in the form that the
// canonical bytes and the agentic_mooncake rows share.
func AppendDependency(dst []byte, d Dependency) []byte {
	dst = append(dst, `{"request_id":`...)
	dst = strictjson.AppendString(dst, d.Predecessor)
	dst = append(dst, `,"trigger":"`...)
	dst = append(dst, d.Trigger.String()...)
	dst = append(dst, `","delay_ms":`...)
	dst = strictjson.AppendReal(dst, d.DelayMs)
	dst = append(dst, `,"relation":"`...)
	dst = append(dst, d.Relation.String()...)
	return append(dst, `"}`...)
}

// canonicalOrder returns the edges sorted by predecessor, trigger, relation
// and delay (graph-identity.md 2). Duplicates stay.
func (e *Encoder) canonicalOrder(edges []Dependency) []Dependency {
	if slices.IsSortedFunc(edges, compareDependencies) {
		return edges
	}
	e.edges = append(e.edges[:0], edges...)
	slices.SortStableFunc(e.edges, compareDependencies)
	return e.edges
}

func compareDependencies(a, b Dependency) int {
	return cmp.Or(
		strings.Compare(a.Predecessor, b.Predecessor),
		cmp.Compare(a.Trigger, b.Trigger),
		cmp.Compare(a.Relation, b.Relation),
		compareReals(a.DelayMs, b.DelayMs),
	)
}

// compareReals is the total order of doubles: -0.0 comes before 0.0.
func compareReals(a, b float64) int {
	if a == b {
		return cmp.Compare(signOrder(a), signOrder(b))
	}
	return cmp.Compare(a, b)
}

func signOrder(x float64) int {
	if math.Signbit(x) {
		return 0
	}
	return 1
}
