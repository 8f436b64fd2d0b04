package report

// SLA bounds what counts as a good request. Bounds that are nil always hold.
type SLA struct {
	TTFTMs *float64 // time to first token, ms
	ITLMs  *float64 // average gap between tokens, ms
	E2EMs  *float64 // arrival to last token, ms
}

// goodput counts good requests and their output tokens.
type goodput struct{ requests, tokens int }

// holds tells whether a completed request is good. Without any bound none is.
func (s *SLA) holds(r *Record) bool {
	if s == nil {
		return false
	}
	if r.OutputLength == 0 {
		return s.E2EMs != nil && s.TTFTMs == nil && s.ITLMs == nil && r.TerminalMs-r.ArrivalMs <= *s.E2EMs
	}
	return within(ttft(r), s.TTFTMs) && within(e2e(r), s.E2EMs) && (r.OutputLength == 1 ||
		// Not tpot: the subtraction of rounded differences decides at the bound.
		within((e2e(r)-ttft(r))/float64(r.OutputLength-1), s.ITLMs))
}

func within(ms float64, bound *float64) bool { return bound == nil || ms <= *bound }
