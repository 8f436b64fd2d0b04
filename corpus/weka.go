package corpus

import (
	"fmt"
	"strconv"
	"strings"
)

// WekaProfile names the kind of Weka corpus that is generated.
type WekaProfile string

const (
	// ProfileRaw resembles the 710 recordings of the kv-cache-tester corpus:
	// floor(in/64) ids counted from 1, whole seconds, nested times counted
	// from the marker, no api_time in about 9 % of the requests. Subagents,
	// in about 2.4 % of the plays, use a model the play does not declare, for
	// which readers refuse such a play, as they refuse the recorded ones.
	ProfileRaw WekaProfile = "raw"

	// ProfileAgentX resembles the AgentX sets published in May and June 2026:
	// ids counted from 0, either ceil(in/64) of them or in = 64·ids, several
	// models, all declared, absolute nested times, up to five subagents at
	// once in 29 % of the plays. Every play is accepted by the
	// aisimulate-0.13 rules; a corpus of several models is not accepted by
	// the documented ones.
	ProfileAgentX WekaProfile = "agentx"

	// ProfilePlain is a corpus of small, uniform plays for performance
	// figures: 1,000 of them make about 42,800 requests and 137 MB. Every play
	// is accepted under the documented and the aisimulate-0.13 rules.
	ProfilePlain WekaProfile = "plain"
)

// WekaProfiles lists the profiles in the order they are documented in.
func WekaProfiles() []WekaProfile {
	return []WekaProfile{ProfileRaw, ProfileAgentX, ProfilePlain}
}

// knobs returns what distinguishes the profile, nil if there is none of that name.
func (p WekaProfile) knobs() *wekaKnobs {
	switch p {
	case ProfileRaw:
		return &rawKnobs
	case ProfileAgentX:
		return &agentxKnobs
	case ProfilePlain:
		return &plainKnobs
	}
	return nil
}

// WekaOptions says which Weka corpus to generate.
type WekaOptions struct {
	Plays   int         // number of plays, at least 1
	Seed    uint64      // any value; another seed gives other plays
	Profile WekaProfile // one of [WekaProfiles]
	Jobs    int         // workers; 0 means one per processor; no influence on the output
}

func (o WekaOptions) check() error {
	if o.Plays < 1 {
		return fmt.Errorf("corpus: %d plays asked for, at least 1 is needed", o.Plays)
	}
	if o.Profile.knobs() == nil {
		return fmt.Errorf("corpus: unknown profile %q, want one of %q", o.Profile, WekaProfiles())
	}
	return nil
}

// WekaStats counts what was generated.
type WekaStats struct {
	Plays    int   // documents
	Requests int   // outer and nested requests, markers not included
	Bytes    int64 // of all documents
}

// AppendWekaPlay appends one play to dst and returns the extended slice. The
// play is a JSON document followed by a line feed, so that plays one after the
// other make a .jsonl corpus. Ordinals count from 0; the id of a play counts
// from 1 (trace_0001). The result depends on ordinal, opts.Seed and
// opts.Profile alone. It panics if there is no such profile or the ordinal is
// negative.
func AppendWekaPlay(dst []byte, ordinal int, opts WekaOptions) []byte {
	knobs := opts.Profile.knobs()
	if knobs == nil {
		panic(fmt.Sprintf("corpus: unknown profile %q", opts.Profile))
	}
	if ordinal < 0 {
		panic("corpus: negative ordinal")
	}
	var printer wekaPrinter
	return printer.append(dst, buildWekaPlay(knobs, opts.Seed, ordinal, nil), knobs.style, ordinal)
}

// minNameDigits is the least number of digits in the name of a play.
const minNameDigits = 4

// wekaPlayName returns the name of a play, with zeros up to the given number
// of digits.
func wekaPlayName(ordinal, digits int) string {
	number := strconv.Itoa(ordinal + 1)
	return "trace_" + strings.Repeat("0", max(digits-len(number), 0)) + number
}
