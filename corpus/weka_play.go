package corpus

// The model of a play: what happens, before it becomes text. Times are in
// milliseconds. Id lists are not stored: a call says how many blocks of the
// previous list of its stream it keeps and how many it adds, which is all a
// list of densely numbered blocks can say. So a play of many megabytes is
// modelled in kilobytes, and statistics need no text.

// wekaBlock is the number of tokens in a block.
const wekaBlock = 64

// missing stands for a time that was not recorded.
const missing = -1

// wekaPlay is one document.
type wekaPlay struct {
	models       []string // declared, in text order
	toolTokens   int
	systemTokens int
	firstID      int
	outerBlocks  int // distinct blocks of the outer calls
	entries      []wekaEntry
}

// wekaEntry is one outer request, or the marker of a subagent if subagent is not nil.
type wekaEntry struct {
	call     wekaCall
	subagent *wekaSubagent
}

// wekaCall is one request.
type wekaCall struct {
	start      int // since the start of the play; of a subagent's calls, since its launch
	service    int // api_time, or missing
	firstToken int // ttft, or missing
	think      int // think_time, or missing
	in, out    int // tokens
	keep, add  int // blocks
	model      string
	streamed   bool
	shape      string // input_types, output_types and stop as they are printed
}

// blocks returns the length of the call's id list.
func (c *wekaCall) blocks() int { return c.keep + c.add }

// wekaSubagent is one subagent. Its first call keeps blocks of the first call of
// the play's first subagent: tools and system prompt are common to all.
type wekaSubagent struct {
	marker     int // the marker's own time
	launch     int // where the clock of the calls starts
	duration   int // duration_ms, or missing
	number     int // from 1, within the play
	kind       string
	background bool
	calls      []wekaCall
}

// requests returns the number of requests of the play, outer and nested.
func (p *wekaPlay) requests() int {
	n := 0
	for i := range p.entries {
		if h := p.entries[i].subagent; h != nil {
			n += len(h.calls)
		} else {
			n++
		}
	}
	return n
}
