package workload

// Arrivals returns the arrival times, in milliseconds from 0, of so many
// requests or sessions, one after another (loadgen.md 3).
type Arrivals interface {
	// Next returns the next arrival; the first is 0.
	Next() float64
}

// constantRate adds the same gap again and again.
type constantRate struct{ next, gap float64 }

// ConstantRate returns arrivals at a rate per second.
func ConstantRate(rate float64) Arrivals {
	interval := 1000 / rate
	perSecond := 1000 / interval
	return &constantRate{gap: 1000 / perSecond}
}

func (c *constantRate) Next() float64 {
	at := c.next
	c.next += c.gap
	return at
}

// poisson adds exponential gaps.
type poisson struct {
	next, rate float64
	random     *random
}

// Poisson returns the arrivals of a Poisson process with that rate per second.
func Poisson(rate float64, seed uint64) Arrivals {
	return &poisson{rate: rate, random: newRandom(seed)}
}

func (p *poisson) Next() float64 {
	at := p.next
	p.next += p.random.exponential(p.rate)
	return at
}

// Groups draws a prefix group, below groups, for each session in order
// (loadgen.md 5.3).
func Groups(seed uint64, sessions, groups int) []uint32 {
	r := newRandom(seed)
	drawn := make([]uint32, sessions)
	for i := range drawn {
		drawn[i] = r.below(uint32(groups))
	}
	return drawn
}
