package replay

import (
	"fmt"
	"io"

	"tracekit/replay/engine"
	"tracekit/replay/engine/vllm"
	"tracekit/replay/workload"
)

// mostNamed is how many requests are named at most.
const mostNamed = 20

// watched is a source that names requests which can begin but never end: with
// all their tokens they need more blocks than a rank has.
type watched struct {
	workload.Source
	rank  *vllm.Config
	notes io.Writer
	named int
}

// Admit implements [workload.Source].
func (w *watched) Admit(now float64, inFlight int) *engine.Request {
	r := w.Source.Admit(now, inFlight)
	if r == nil || w.named > mostNamed || !w.rank.Outgrows(r.Input, r.Output) {
		return r
	}
	if w.named++; w.named > mostNamed {
		fmt.Fprintln(w.notes, "more requests can never end; they are not named")
		return r
	}
	fmt.Fprintf(w.notes, "%s can never end: %d tokens of input and %d of output do not fit into the %d blocks of %d tokens of a KV cache\n",
		nameOf(r), r.Input, r.Output, w.rank.Blocks, w.rank.BlockSize)
	return r
}

// nameOf is what a person would look for in the trace.
func nameOf(r *engine.Request) string {
	switch l := workload.LabelOf(r); {
	case l != nil && l.Graph:
		return "request " + l.RequestID
	case l != nil && l.HasSession && l.Turn > 0:
		return fmt.Sprintf("turn %d of session %s", l.Turn, l.Session)
	case l != nil && l.HasSession:
		return fmt.Sprintf("request %d, of session %s,", r.Ordinal, l.Session)
	}
	return fmt.Sprintf("request %d", r.Ordinal)
}
