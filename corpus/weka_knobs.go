package corpus

// wekaKnobs is everything that distinguishes one profile from another. Chances
// are in basis points, times in milliseconds, sizes in blocks unless said.
type wekaKnobs struct {
	profile uint64 // separates the randomness of the profiles
	style   wekaStyle
	firstID int // of the blocks of a play

	// The session.
	sessions []weighted[wekaSession]
	prefix   quantiles // tools and system prompt
	most     int       // no context grows beyond this
	models   wekaModels

	// How the context moves from one call to the next.
	earlyGrowth quantiles // new blocks while the context is below earlyUntil
	earlyUntil  int
	growth      quantiles // new blocks after that
	smallWindow quantiles // context size that triggers a compaction
	largeWindow quantiles // the same for sessions in the large window
	compacted   quantiles // context size after a compaction
	rehash      int       // chance that everything behind the prefix is new though the size stays
	forget      int       // chance that a rehash loses the prefix as well
	branch      int       // chance of going back by up to half the context
	nudge       int       // chance that only the last block changes

	// The calls.
	out        quantiles // tokens
	noOutput   int       // chance of 0 tokens
	noise      quantiles // of the service time, in percent
	pause      quantiles // end of a call to the start of the next
	overlap    int       // chance that a call starts before the previous one ended
	clock      int       // outer times are multiples of this
	streamed   int       // chance of type "s"
	unrecorded int       // chance that a streamed call lacks api_time and ttft
	unthinking int       // chance that think_time is missing

	subagents wekaSubagents
}

// wekaSession is one kind of session: started afresh, or resumed with a context.
type wekaSession struct {
	first quantiles // context of the first call
	turns quantiles
	large int // chance of the large window
}

// wekaModels says which models a play uses.
type wekaModels struct {
	main     []string // candidates
	weights  []int    // of the candidates, to be the first of a play
	casts    []int    // weights of using 1, 2, … of them in a play
	preamble int      // chance, with several models, that another than the first opens the play with an unrelated call
}

// wekaSubagents says how a play uses subagents.
type wekaSubagents struct {
	model        string // of most subagents
	declared     bool   // whether a model only subagents use is declared
	plays        int    // chance that a play has subagents at all
	turns        int    // chance of a launch after each call of such a play
	atLeastOnce  bool   // such a play launches at one call for certain
	batches      []int  // weights of a play's largest launch: 1, 2, … at once
	kinds        []weighted[wekaSubagentKind]
	calls        quantiles // requests of a subagent
	first        quantiles // context of its first call
	growth       quantiles
	most         int
	pause        quantiles
	noDuration   int  // chance that a foreground subagent lacks duration_ms
	markedAtEnd  bool // markers of foreground subagents carry the time of completion
	wholeSeconds bool // nested times
}

// wekaSubagentKind is one kind of subagent.
type wekaSubagentKind struct {
	name       string
	background int  // chance
	main       bool // runs on the model of the play
}

// wekaStyle is the way a profile is written down.
type wekaStyle int

const (
	styleRaw    wekaStyle = iota // floor(in/64) ids, nested clock from the marker, every field
	styleAgentX                  // ceil(in/64) ids or in = 64·ids by play, type after the numbers
	stylePlain                   // ceil(in/64) ids, required fields only
)

// always is the distribution of a quantity that is always n.
func always(n int) quantiles { return quantiles{{0, n}, {certain, n}} }

// evenly is the uniform distribution from lo to hi.
func evenly(lo, hi int) quantiles { return quantiles{{0, lo}, {certain, hi}} }
