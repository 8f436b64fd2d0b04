package corpus

import "strconv"

// wekaPrinter writes plays as documents. Its buffers are reused from play to
// play; the zero value is ready.
type wekaPrinter struct {
	outer  idList
	nested idList // of the subagent at hand
	shared idList // first list of the play's first subagent
}

// append adds the document of the play and a line feed to dst.
func (w *wekaPrinter) append(dst []byte, play *wekaPlay, style wekaStyle, ordinal int) []byte {
	w.outer.truncate(0)
	w.shared.truncate(0)

	// Ids count up in order of first appearance. Recordings number the outer
	// requests before the nested ones, published sets all of them in one go.
	outerNext, nestedNext := play.firstID, play.firstID+play.outerBlocks
	nested := &outerNext
	if style == styleRaw {
		nested = &nestedNext
	}

	dst = append(dst, `{"id":"`...)
	dst = append(dst, wekaPlayName(ordinal, minNameDigits)...)
	dst = append(dst, `","models":`...)
	dst = appendStrings(dst, play.models)
	dst = append(dst, `,"block_size":64,"hash_id_scope":"local"`...)
	if style == styleRaw {
		dst = appendInt(dst, `,"tool_tokens":`, play.toolTokens)
		dst = appendInt(dst, `,"system_tokens":`, play.systemTokens)
	}
	dst = append(dst, `,"requests":[`...)
	for i := range play.entries {
		if i > 0 {
			dst = append(dst, ',')
		}
		e := &play.entries[i]
		if e.subagent != nil {
			dst = w.appendSubagent(dst, e.subagent, style, nested)
			continue
		}
		w.outer.move(e.call.keep, e.call.add, &outerNext)
		dst = appendCall(dst, &e.call, e.call.start, w.outer.text, style)
	}
	dst = append(dst, ']')
	if style == styleRaw {
		dst = appendTotals(dst, play)
	}
	return append(dst, '}', '\n')
}

// appendCall adds one request that starts at the given time.
func appendCall(dst []byte, c *wekaCall, start int, ids []byte, style wekaStyle) []byte {
	kind := `"n"`
	if c.streamed {
		kind = `"s"`
	}
	dst = appendSeconds(dst, `{"t":`, start)
	if style == styleAgentX {
		dst = appendInt(dst, `,"in":`, c.in)
		dst = appendInt(dst, `,"out":`, c.out)
		dst = appendSeconds(dst, `,"api_time":`, c.service)
		dst = appendSeconds(dst, `,"think_time":`, c.think)
		dst = appendText(dst, `,"type":`, kind)
		dst = appendText(dst, `,"model":"`, c.model)
		dst = append(dst, `","hash_ids":[`...)
		dst = append(dst, ids...)
		return append(dst, `]}`...)
	}
	dst = appendText(dst, `,"type":`, kind)
	dst = appendText(dst, `,"model":"`, c.model)
	dst = appendInt(dst, `","in":`, c.in)
	dst = appendInt(dst, `,"out":`, c.out)
	dst = append(dst, `,"hash_ids":[`...)
	dst = append(dst, ids...)
	dst = append(dst, ']')
	if style == styleRaw {
		dst = appendText(dst, `,`, c.shape)
	}
	dst = appendSeconds(dst, `,"api_time":`, c.service)
	if style == styleRaw {
		dst = appendSeconds(dst, `,"ttft":`, c.firstToken)
		dst = appendSeconds(dst, `,"think_time":`, c.think)
	}
	return append(dst, '}')
}

// appendSubagent adds the marker of a subagent with its requests.
func (w *wekaPrinter) appendSubagent(dst []byte, h *wekaSubagent, style wekaStyle, next *int) []byte {
	dst = appendSeconds(dst, `{"t":`, h.marker)
	if style != styleAgentX {
		dst = append(dst, `,"type":"subagent"`...)
		dst = appendSubagentName(dst, h)
	}
	dst = appendIntOrNull(dst, `,"duration_ms":`, h.duration)
	if style != stylePlain {
		tokens, tools := missing, missing
		if h.duration != missing {
			last := &h.calls[len(h.calls)-1]
			tokens, tools = last.in+last.out, 2*len(h.calls)-1
		}
		dst = appendIntOrNull(dst, `,"total_tokens":`, tokens)
		dst = appendIntOrNull(dst, `,"tool_use_count":`, tools)
	}
	if style == styleAgentX {
		dst = append(dst, `,"type":"subagent"`...)
		dst = appendSubagentName(dst, h)
	}
	status := `completed"`
	if h.background {
		status = `async_launched"`
	}
	dst = appendText(dst, `,"status":"`, status)

	base := h.launch
	if style == styleRaw {
		base = 0 // the clock of recordings starts with the subagent
	}
	dst = append(dst, `,"requests":[`...)
	for i := range h.calls {
		c := &h.calls[i]
		if i == 0 {
			w.nested.copyFrom(&w.shared, c.keep)
		} else {
			dst = append(dst, ',')
		}
		w.nested.move(c.keep, c.add, next)
		if len(w.shared.ends) == 0 {
			w.shared.copyFrom(&w.nested, c.blocks())
		}
		dst = appendCall(dst, c, base+c.start, w.nested.text, style)
	}
	dst = append(dst, ']')
	if style == styleRaw {
		tokens := h.calls[0].blocks() * wekaBlock
		dst = append(dst, `,"models":`...)
		dst = appendStrings(dst, []string{h.calls[0].model})
		dst = appendInt(dst, `,"tool_tokens":`, tokens*80/100)
		dst = appendInt(dst, `,"system_tokens":`, tokens*9/100)
	}
	return append(dst, '}')
}

func appendSubagentName(dst []byte, h *wekaSubagent) []byte {
	dst = append(dst, `,"agent_id":"agent_`...)
	for n := h.number; n < 100 && n > 0; n *= 10 {
		dst = append(dst, '0')
	}
	dst = strconv.AppendInt(dst, int64(h.number), 10)
	dst = appendText(dst, `","subagent_type":"`, h.kind)
	return append(dst, '"')
}

// appendTotals adds the sums recordings end with.
func appendTotals(dst []byte, play *wekaPlay) []byte {
	var in, out, nestedIn, nestedOut, subagents int
	for i := range play.entries {
		e := &play.entries[i]
		if e.subagent == nil {
			in += e.call.in
			out += e.call.out
			continue
		}
		subagents++
		for j := range e.subagent.calls {
			nestedIn += e.subagent.calls[j].in
			nestedOut += e.subagent.calls[j].out
		}
	}
	dst = appendInt(dst, `,"totals":{"parent_tokens":{"input":`, in)
	dst = appendInt(dst, `,"output":`, out)
	dst = appendInt(dst, `},"subagent_tokens":{"input":`, nestedIn)
	dst = appendInt(dst, `,"output":`, nestedOut)
	dst = appendInt(dst, `},"combined_tokens":{"input":`, in+nestedIn)
	dst = appendInt(dst, `,"output":`, out+nestedOut)
	dst = appendInt(dst, `},"subagent_count":`, subagents)
	return append(dst, '}')
}

func appendText(dst []byte, key, value string) []byte {
	return append(append(dst, key...), value...)
}

func appendInt(dst []byte, key string, n int) []byte {
	return strconv.AppendInt(append(dst, key...), int64(n), 10)
}

func appendIntOrNull(dst []byte, key string, n int) []byte {
	if n == missing {
		return appendText(dst, key, "null")
	}
	return appendInt(dst, key, n)
}

// appendSeconds adds a time in milliseconds as seconds, with one to three
// decimals as needed; nothing, not even the key, if it is missing.
func appendSeconds(dst []byte, key string, ms int) []byte {
	if ms == missing {
		return dst
	}
	dst = appendInt(dst, key, ms/1000)
	tenths, rest := ms%1000/100, ms%100
	dst = append(dst, '.', byte('0'+tenths))
	if rest > 0 {
		dst = append(dst, byte('0'+rest/10))
		if rest%10 > 0 {
			dst = append(dst, byte('0'+rest%10))
		}
	}
	return dst
}

// appendStrings adds a list of strings that need no escapes.
func appendStrings(dst []byte, list []string) []byte {
	dst = append(dst, '[')
	for i, s := range list {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = append(dst, '"')
		dst = append(dst, s...)
		dst = append(dst, '"')
	}
	return append(dst, ']')
}
