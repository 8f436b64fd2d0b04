package semantics

// LanesShareAQueue tells whether a free lane takes the next play of one queue.
// On the page, play i belongs to lane i mod L.
func (m Mode) LanesShareAQueue() bool { return m == AISimulate013 }

// CutoffStopsTheClock tells whether a cutoff in virtual time ends the replay
// at once. On the page it ends admission only.
func (m Mode) CutoffStopsTheClock() bool { return m == AISimulate013 }

// OneModelPerReplay tells whether a graph whose requests name several models
// is refused in a replay.
func (m Mode) OneModelPerReplay() bool { return m == Documented }

// MissingFactsFoundLate tells whether a model, hardware or memory that does
// not exist is found only when a replay needs it, and not with the
// configuration.
func (m Mode) MissingFactsFoundLate() bool { return m == AISimulate013 }

// EmptyRunIsValid tells whether a replay in which no request completed is, on
// the dynamo stack, a valid one with zeros.
func (m Mode) EmptyRunIsValid() bool { return m == AISimulate013 }

func replayDifferences() []Difference {
	return []Difference{
		{"LanesShareAQueue", "agentic lanes",
			"play i runs on lane i mod L", "a free lane takes the next play of one queue", Mode.LanesShareAQueue},
		{"CutoffStopsTheClock", "stop.max_virtual_time_seconds",
			"admission stops; what was admitted runs to its end", "the clock stops", Mode.CutoffStopsTheClock},
		{"OneModelPerReplay", "a graph of several models in a replay",
			"refused", "runs on the configured model", Mode.OneModelPerReplay},
		{"MissingFactsFoundLate", "needed model, hardware, table or memory that does not exist",
			"configuration error, exit 2", "exit 1 or 2, by what needs it", Mode.MissingFactsFoundLate},
		{"EmptyRunIsValid", "no request completed, on the dynamo stack",
			"exit 1; the report says why", "zeros, exit 0", Mode.EmptyRunIsValid},
	}
}
