package report

// ttft is the time to the first token of a request that has one, in ms.
func ttft(r *Record) float64 { return max(0, r.FirstTokenMs-r.ArrivalMs) }

// ttst is the time from the first to the second token of a request that has
// two, in ms.
func ttst(r *Record) float64 { return max(0, r.SecondTokenMs-r.FirstTokenMs) }

// tpot is the average gap between the tokens of a request that has two, in ms.
func tpot(r *Record) float64 {
	return max(0, r.LastTokenMs-r.FirstTokenMs) / float64(r.OutputLength-1)
}

// e2e is the time from arrival to the last token of a request that has one,
// in ms.
func e2e(r *Record) float64 { return max(0, r.LastTokenMs-r.ArrivalMs) }

// latencies are the samples of completed requests, in ms.
type latencies struct {
	ttft, e2e  []float64 // one per request with a token
	ttst, tpot []float64 // one per request with two
}

func (l *latencies) add(r *Record) {
	if r.OutputLength >= 1 {
		l.ttft = append(l.ttft, ttft(r))
		l.e2e = append(l.e2e, e2e(r))
	}
	if r.OutputLength >= 2 {
		l.ttst = append(l.ttst, ttst(r))
		l.tpot = append(l.tpot, tpot(r))
	}
}
