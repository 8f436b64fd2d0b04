// Package semantics names every place where the published reference page of
// the trace tools and the reference program (AISimulate 0.13 with ai-dynamo
// 1.6.1) disagree, and holds the one switch between them.
//
// Each difference is a method of Mode: code that must decide asks the method
// by name instead of comparing modes, so that every decision can be found,
// listed ([Differences]) and tested in both settings. The package imports
// nothing of the project and may be imported from anywhere in it.
package semantics

import (
	"fmt"
	"slices"
)

// Mode says whose word counts where page and program differ.
type Mode int

const (
	// Documented follows the published page. It is the default.
	Documented Mode = iota
	// AISimulate013 follows the reference program, AISimulate 0.13.
	AISimulate013
)

// Flag is the command-line switch that sets the mode.
const Flag = "--semantics"

// String returns the name that the command line uses.
func (m Mode) String() string {
	if m == AISimulate013 {
		return "aisimulate-0.13"
	}
	return "documented"
}

// Names lists the names that [Parse] accepts, the default first.
func Names() []string {
	return []string{Documented.String(), AISimulate013.String()}
}

// Parse returns the mode of that name.
func Parse(name string) (Mode, error) {
	switch name {
	case Documented.String():
		return Documented, nil
	case AISimulate013.String():
		return AISimulate013, nil
	}
	return 0, fmt.Errorf("%s: %q is not known; it takes %s or %s", Flag, name, Documented, AISimulate013)
}

// ProgramHint is the remedy that an error names when only the documented
// rules raise it.
func ProgramHint() string {
	return Flag + " " + AISimulate013.String()
}

// APITimeRequired tells whether a Weka request without api_time is refused.
// The program takes such a request as ending where it began.
func (m Mode) APITimeRequired() bool { return m == Documented }

// NestedBasisDetected tells whether the clock of nested Weka requests is
// detected for the whole corpus when none is given. The page has them count
// from the start of the trace.
func (m Mode) NestedBasisDetected() bool { return m == AISimulate013 }

// OneModelPerCorpus tells whether a Weka corpus whose requests name several
// models is refused.
func (m Mode) OneModelPerCorpus() bool { return m == Documented }

// TwoStepDecimals tells whether a decimal literal becomes a double by the
// program's two-step conversion (weka.md 3) instead of correct rounding.
func (m Mode) TwoStepDecimals() bool { return m == AISimulate013 }

// Difference is one named decision, for people: what it is about and what
// each setting does.
type Difference struct {
	Name       string // the method of Mode that decides
	Subject    string
	Documented string
	Program    string
	Decide     func(Mode) bool
}

// Differences lists every decision of this package in the order in which the
// manual tells them.
func Differences() []Difference {
	return slices.Concat([]Difference{
		{"APITimeRequired", "Weka: a request without api_time",
			"refused", "accepted: it counts as ending where it began", Mode.APITimeRequired},
		{"NestedBasisDetected", "Weka: nested timestamps, no basis given",
			"seconds from the trace start; an inner request before its marker is refused",
			"basis found for the whole corpus, as --timestamp-basis auto", Mode.NestedBasisDetected},
		{"OneModelPerCorpus", "Weka: requests of several models in one corpus",
			"refused", "accepted, all listed in the identity", Mode.OneModelPerCorpus},
		{"TwoStepDecimals", "decimals in trace files",
			"correctly rounded", "converted in two steps, which may differ in the last place", Mode.TwoStepDecimals},
	}, configDifferences(), replayDifferences())
}
