package mooncake

import (
	"fmt"
	"math"

	"tracekit/graph"
)

// Load is what decides when the sessions of a replay start.
type Load int

const (
	// TraceTimestamps starts each session at its recorded time.
	TraceTimestamps Load = iota
	// Concurrency starts a session when another has ended.
	Concurrency
)

// origin returns the instant that becomes zero: the least start, where a
// missing one counts as 0.
func (f *File) origin() float64 {
	var origin graph.Origin
	for i := range f.sessions {
		origin.Add(&graph.Node{NotBeforeMs: f.sessions[i].StartMs}) // 0 if it is missing
	}
	return origin.Ms()
}

// Normalised returns the sessions with their starts counted from the least
// one, and then with starts and delays divided by a speedup that is finite
// and more than 0 (formats.md 2.4). A start that is missing counts as 0 and
// stays missing. The caller must not change the turns.
//
// A replay by timestamps takes the sessions so. One by concurrency takes them
// so on the engine stack, and as they are recorded on the dynamo stack.
func (f *File) Normalised(speedup float64) []Session {
	origin := f.origin()
	sessions := append([]Session(nil), f.sessions...)
	for i := range sessions {
		if s := &sessions[i]; s.HasStart {
			s.StartMs = (s.StartMs - origin) / speedup
		}
	}
	if speedup == 1 {
		return sessions
	}
	turns := make([]Turn, 0, f.requests)
	for i := range sessions {
		s, first := &sessions[i], len(turns)
		turns = append(turns, s.Turns...)
		s.Turns = turns[first:len(turns):len(turns)]
		for k := range s.Turns {
			s.Turns[k].DelayMs /= speedup
		}
	}
	return sessions
}

// CheckStart makes the checks that a replay of sessions of this file, as they
// are or normalised, makes when it starts (formats.md 2.5). The error is a
// *[formats.Error].
func (f *File) CheckStart(sessions []Session, load Load) error {
	for i := range sessions {
		s := &sessions[i]
		switch {
		case !s.HasStart && load == TraceTimestamps:
			return f.broken(s, 0, "the first turn of the session has no timestamp", "a replay by timestamps needs to know when each session starts",
				"give it a timestamp, or replay with a load of the type concurrency", fieldTimestamp)
		case s.HasStart && (s.StartMs < 0 || math.IsInf(s.StartMs, 0)):
			return f.broken(s, 0, fmt.Sprintf("the session starts at %v ms", s.StartMs), "sessions start at finite times of 0 or more", "", fieldTimestamp)
		}
		for k := range s.Turns {
			if err := f.checkTurn(s, k); err != nil {
				return err
			}
		}
	}
	return nil
}

func (f *File) checkTurn(s *Session, turn int) error {
	switch t := &s.Turns[turn]; {
	case t.HashIDs.Len == 0:
		return f.broken(s, turn, "the list is empty", "there is one hash id for each block of the prompt", "", fieldHashIDs)
	case t.InputLength == 0:
		return f.broken(s, turn, "the input length is 0", "a prompt has at least one token", "", fieldInputLength)
	case math.IsInf(t.DelayMs, 0):
		return f.broken(s, turn, "the wait after the turn before is too long to be told", "delays are finite", "", fieldDelay, fieldTimestamp)
	}
	// No more can be wrong: a row has enough hash ids for its input, and its
	// delay is not negative.
	return nil
}
