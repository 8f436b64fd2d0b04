package report

// gaps gathers the gaps between tokens, and the rates at which users see
// tokens because of them.
type gaps struct {
	// Gaps come in runs. What is told in pieces is counted at once.
	gapMs float64
	count int

	itl   sketch // ms
	rates sketch // tokens/s; a gap of zero has none
}

func (g *gaps) add(gapMs float64, count int) {
	if gapMs != g.gapMs {
		g.flush()
		g.gapMs = gapMs
	}
	g.count += count
}

// flush counts the run that is pending.
func (g *gaps) flush() {
	if g.count > 0 {
		g.itl.add(g.gapMs, g.count)
		if g.gapMs > 0 {
			g.rates.add(1000/g.gapMs, g.count)
		}
		g.count = 0
	}
}
