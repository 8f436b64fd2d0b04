package kvcache

// Run is a stretch of tokens of a prompt.
//
// The tokens of a constant run all have the value ID. Those of any other run
// are known by ID and their position only: the token at position p of the run
// differs from all tokens but those of the same ID and position.
type Run struct {
	ID       uint64
	Start    int // position of the first token, of a run that is not constant
	Len      int // tokens
	Constant bool
}

// Tokens is a list of tokens as runs. The zero value is empty.
type Tokens struct {
	Runs []Run
	Len  int // tokens
}

// Append adds a run behind the tokens.
func (t *Tokens) Append(r Run) {
	if r.Len == 0 {
		return
	}
	t.Len += r.Len
	if last := len(t.Runs) - 1; last >= 0 && t.Runs[last].continues(r) {
		t.Runs[last].Len += r.Len
		return
	}
	t.Runs = append(t.Runs, r)
}

// continues tells whether b goes on where a ends, so that the two are one run.
func (a Run) continues(b Run) bool {
	return a.ID == b.ID && a.Constant == b.Constant && (a.Constant || a.Start+a.Len == b.Start)
}

// Hash names a full block by all tokens up to its end: two blocks have the
// same hash when, and but for a collision of 64 bits only when, the tokens
// from the beginning to their ends are equal.
type Hash uint64

// Hasher walks tokens and names their blocks one after another.
type Hasher struct {
	blockSize int
	parent    Hash
	run       int // the run that the next block begins in
	used      int // tokens of that run in earlier blocks
}

// NewHasher begins at the first block.
func NewHasher(blockSize int) Hasher { return Hasher{blockSize: blockSize, parent: seed} }

const seed = 0x9e3779b97f4a7c15

// Next names the next block. All its tokens must be there.
func (h *Hasher) Next(t *Tokens) Hash {
	hash := h.parent
	for left := h.blockSize; left > 0; {
		r := &t.Runs[h.run]
		if h.used == r.Len { // it may have been the last run when it was used up
			h.run, h.used = h.run+1, 0
			continue
		}
		take := min(left, r.Len-h.used)
		start := uint64(0)
		if !r.Constant {
			start = uint64(r.Start+h.used)<<1 | 1
		}
		hash = mix(hash, r.ID, start, uint64(take))
		left -= take
		h.used += take
	}
	h.parent = hash
	return hash
}

// mix folds three words into a hash.
func mix(h Hash, id, start, count uint64) Hash {
	x := uint64(h) ^ id*0xbf58476d1ce4e5b9
	x = (x ^ x>>32) * 0x94d049bb133111eb
	x ^= start*0xd6e8feb86659fd93 + count
	x = (x ^ x>>29) * 0xbf58476d1ce4e5b9
	return Hash(x ^ x>>32)
}
