package agentic

import (
	"fmt"
	"strings"

	"tracekit/formats/jsonl"
	"tracekit/graph"
)

// checkNames makes the checks of formats.md 4.3 that come before the one for
// duplicate ids, in their order.
func (p *parser) checkNames(n *graph.Node) *jsonl.Problem {
	switch {
	case blank(n.RequestID):
		return p.broken(n, fieldRequestID, "the request id is blank", "every request has an id")
	case blank(n.PlayID):
		return p.broken(n, fieldPlayID, "the play id is blank", "every request belongs to a play")
	case blank(n.SessionID):
		return p.broken(n, fieldSessionID, "the session id is blank", "every request belongs to a session")
	}
	return nil
}

// checkValues makes the checks that come after it.
func (p *parser) checkValues(n *graph.Node) *jsonl.Problem {
	has := p.fields.Has
	absent := func(field int) *jsonl.Problem {
		return p.broken(n, field, "the field is missing or null", "it is required")
	}
	switch {
	case !has(fieldHashIDs):
		return absent(fieldHashIDs)
	case n.HashIDs.Len() == 0:
		return p.broken(n, fieldHashIDs, "the list is empty", "there is one hash id for each block of the prompt")
	case !has(fieldInputLength):
		return absent(fieldInputLength)
	case n.InputLength == 0:
		return p.broken(n, fieldInputLength, "the input length is 0", "a prompt has at least one token")
	case uint64(n.HashIDs.Len()) != p.blocks(n.InputLength):
		return p.broken(n, fieldHashIDs, fmt.Sprintf("found %d hash ids", n.HashIDs.Len()),
			fmt.Sprintf("%d tokens in blocks of %d take %d", n.InputLength, p.blockSize, p.blocks(n.InputLength)))
	case blank(n.Model):
		return p.broken(n, fieldModel, "the model is blank", "every request names a model")
	case !has(fieldOutputLength):
		return absent(fieldOutputLength)
	case n.OutputTokenIDs != nil && uint64(n.OutputTokenIDs.Len) != n.MaxOutputTokens:
		return p.broken(n, fieldOutputTokenIDs, fmt.Sprintf("found %d token ids", n.OutputTokenIDs.Len),
			fmt.Sprintf("an output of length %d has as many", n.MaxOutputTokens))
	case n.NotBeforeMs < 0:
		return p.broken(n, fieldNotBefore, fmt.Sprintf("found %v", n.NotBeforeMs), "a time is 0 or more milliseconds")
	case n.RecordedAPITimeMs < 0:
		return p.broken(n, fieldAPITime, fmt.Sprintf("found %v", n.RecordedAPITimeMs), "a duration is 0 or more milliseconds")
	case p.edge != nil:
		p.edge.Object = requestName(n.RequestID)
		return p.edge
	}
	return nil
}

// blocks returns how many blocks a prompt of that length takes.
func (p *parser) blocks(tokens uint64) uint64 {
	return (tokens-1)/p.blockSize + 1
}

func (p *parser) broken(n *graph.Node, field int, found, rule string) *jsonl.Problem {
	return &jsonl.Problem{Offset: p.fields.At(field), Object: requestName(n.RequestID), Path: fieldNames[field], Found: found, Rule: rule}
}

// blank tells whether a text holds only Unicode white space.
func blank(text string) bool { return strings.TrimSpace(text) == "" }
