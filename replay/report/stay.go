package report

// stay is what a request went through in one pool.
type stay struct {
	admissions int
	admittedMs float64 // first admission
	reused     int     // tokens, the most of all admissions

	routed       bool
	worker, rank int // first choice
	overlap      int // tokens, as the router reported it then
}

type stays [pools]stay

func staysOf(r *Record) (all stays) {
	for _, admission := range r.Admissions {
		s := &all[admission.Pool]
		if s.admissions == 0 {
			s.admittedMs = admission.AtMs
		}
		s.admissions++
		s.reused = max(s.reused, admission.ReusedTokens)
	}
	for i := range r.Routing {
		decision := &r.Routing[i]
		if s := &all[decision.Pool]; !s.routed {
			s.routed, s.worker, s.rank, s.overlap = true, decision.Worker, decision.Rank, decision.OverlapTokens
		}
	}
	return all
}

// readmissions counts the admissions to a pool after the first.
func (s *stays) readmissions() (n int) {
	for i := range s {
		n += max(0, s[i].admissions-1)
	}
	return n
}

// firstAdmitMs returns when the request was first admitted, 0 if never.
func (r *Record) firstAdmitMs() float64 {
	if len(r.Admissions) == 0 {
		return 0
	}
	return r.Admissions[0].AtMs
}

// firstReused returns the prompt tokens found in the cache at the first
// admission.
func (r *Record) firstReused() int {
	if len(r.Admissions) == 0 {
		return 0
	}
	return r.Admissions[0].ReusedTokens
}
