package weka

import (
	"fmt"
	"slices"
	"strings"

	"tracekit/internal/semantics"
)

// Basis says what the times of nested requests count from (weka.md 6).
type Basis string

// Bases. Only the last three are results; the first two are requests.
const (
	BasisUnset         Basis = ""
	BasisAuto          Basis = "auto"
	BasisAbsolute      Basis = "absolute" // the start of the trace
	BasisRelative      Basis = "relative" // the marker of the subagent
	BasisNotApplicable Basis = "not_applicable"
)

// ParseBasis returns the basis of that name among those that a user may ask
// for.
func ParseBasis(name string) (Basis, error) {
	switch b := Basis(name); b {
	case BasisUnset, BasisAuto, BasisAbsolute, BasisRelative:
		return b, nil
	}
	return "", fmt.Errorf("the timestamp basis %q is not known; it is auto, absolute or relative", name)
}

// Repairs are the rules that the user lets real recordings break.
type Repairs struct {
	MissingAPITime   bool // a request without api_time counts as ending where it began
	UndeclaredModels bool // a model that `models` does not list counts as listed
	NestedClock      bool // nested requests may count from their marker
}

// Names of the repairs on the command line.
const (
	RepairMissingAPITime   = "missing-api-time"
	RepairUndeclaredModels = "undeclared-models"
	RepairNestedClock      = "nested-clock"
)

// RepairNames lists all repairs.
func RepairNames() []string {
	return []string{RepairMissingAPITime, RepairUndeclaredModels, RepairNestedClock}
}

// ParseRepairs returns the repairs of these names.
func ParseRepairs(names []string) (r Repairs, err error) {
	for _, name := range names {
		switch name {
		case RepairMissingAPITime:
			r.MissingAPITime = true
		case RepairUndeclaredModels:
			r.UndeclaredModels = true
		case RepairNestedClock:
			r.NestedClock = true
		default:
			return r, fmt.Errorf("the repair %q is not known; there are %s", name, strings.Join(RepairNames(), ", "))
		}
	}
	return r, nil
}

// Mends counts what [Repairs] mended, in requests.
type Mends struct {
	MissingAPITime   int `json:"missing-api-time"`
	UndeclaredModels int `json:"undeclared-models"`
	NestedClock      int `json:"nested-clock"`
}

// Options tell how a corpus is read. The zero value reads by the documented
// rules, one document at a time.
type Options struct {
	Semantics semantics.Mode
	Basis     Basis
	Repairs   Repairs
	Jobs      int // documents worked on at once
	// KeepGoing collects the first error of each file, up to MaxErrors of
	// them, instead of ending at the very first.
	KeepGoing bool
	MaxErrors int
	// OnListed, if set, is told how many files, and bytes in them, a corpus has
	// before any is read.
	OnListed func(files int, bytes int64)
	// OnBytes and OnPlay, if set, are told of bytes read and of plays that are
	// done with, in each reading anew; from several goroutines.
	OnBytes func(n int)
	OnPlay  func()
}

// detectBasis tells whether the basis is to be found from the corpus.
func (o Options) detectBasis() bool {
	return o.Basis == BasisAuto ||
		o.Basis == BasisUnset && (o.Semantics.NestedBasisDetected() || o.Repairs.NestedClock)
}

// resolve settles the basis once all evidence is known (weka.md 6): nested
// tells that some subagent has a request, witness that some inner request
// lies before its marker.
func (o Options) resolve(nested, witness bool) Basis {
	switch {
	case o.Basis == BasisAbsolute || o.Basis == BasisRelative:
		return o.Basis
	case !nested:
		return BasisNotApplicable
	case witness && o.detectBasis():
		return BasisRelative
	}
	return BasisAbsolute
}

// modelSet is a small set of model names.
type modelSet []string

func (s *modelSet) add(model string) {
	if !slices.Contains(*s, model) {
		*s = append(*s, model)
	}
}
