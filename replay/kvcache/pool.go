package kvcache

// Pool is a fixed number of blocks (engine-vllm.md 11). A block is free,
// private to a request, or published under a hash with a count of the
// requests that hold it; published blocks that nobody holds are inactive and
// are evicted when blocks run out, those first that were released first.
type Pool struct {
	capacity int
	free     int
	inactive int
	version  uint64

	published []published
	unused    []int32 // entries of published that may be taken
	index     index
	// oldest and newest end the list of inactive blocks; none is empty.
	oldest, newest int32
}

// published is a block that the prefix cache knows.
type published struct {
	hash         Hash
	holders      int32
	older, newer int32 // in the list of inactive blocks
	nextCopy     int32 // the copy of the same hash that was published next
	first        bool  // the index names this copy; never of a block that was evicted
	follower     int32 // the block that came next in the last prompt that had both; a guess
}

// Block is a request's hold on a block: the number of a published one, or
// Private.
type Block int32

// Private is a block that only its request knows.
const Private Block = -1

const none = -1

// NewPool makes a pool of so many free blocks.
func NewPool(blocks int) *Pool {
	return &Pool{capacity: blocks, free: blocks, oldest: none, newest: none}
}

// Capacity returns the number of blocks.
func (p *Pool) Capacity() int { return p.capacity }

// Free returns the number of blocks that nobody holds and nothing is known of.
func (p *Pool) Free() int { return p.free }

// Available returns the number of blocks that are not active: free or
// inactive.
func (p *Pool) Available() int { return p.free + p.inactive }

// Version changes with everything that [Pool.Match] could tell.
func (p *Pool) Version() uint64 { return p.version }

// Match appends to blocks those that the cache knows of the hashes, from the
// first on, and returns how many of them a request holds. They may be taken
// as long as none is evicted.
func (p *Pool) Match(hashes []Hash, blocks []Block) (known []Block, active int) {
	// Prompts share prefixes: what followed a block once probably follows it
	// again, and lies close by in memory, where the index has no order.
	last := int32(none)
	for _, h := range hashes {
		i := int32(none)
		if last != none {
			i = p.published[last].follower
		}
		if i == none || p.published[i].hash != h || !p.published[i].first {
			var known bool
			if i, known = p.index.get(h); !known {
				break
			}
			if last != none {
				p.published[last].follower = i
			}
		}
		last = i
		blocks = append(blocks, Block(i))
		if p.published[i].holders > 0 {
			active++
		}
	}
	return blocks, active
}

// Take gives a request known blocks, which [Pool.Match] has found, and so many
// fresh ones, private for now, appended to blocks. If there are too few blocks
// it changes nothing and returns false.
func (p *Pool) Take(blocks, known []Block, fresh int) ([]Block, bool) {
	woken := 0 // chained hashes differ within a request: each counts once
	for _, i := range known {
		if p.published[i].holders == 0 {
			woken++
		}
	}
	if max(fresh-p.free, 0) > p.inactive-woken {
		return blocks, false
	}
	for _, i := range known {
		if p.published[i].holders == 0 {
			p.unlink(int32(i))
			p.version++
		}
		p.published[i].holders++
	}
	blocks = append(blocks, known...)
	for range fresh {
		if p.free > 0 {
			p.free--
		} else {
			p.evict()
		}
		blocks = append(blocks, Private)
	}
	return blocks, true
}

// TakeOne gives a request one fresh block.
func (p *Pool) TakeOne() bool {
	switch {
	case p.free > 0:
		p.free--
	case p.inactive > 0:
		p.evict()
	default:
		return false
	}
	return true
}

// Publish makes a private block known under a hash, besides others that may
// have it already.
func (p *Pool) Publish(h Hash) Block {
	p.version++
	i := p.entry()
	first, known := p.index.add(h, i)
	p.published[i] = published{hash: h, holders: 1, older: none, newer: none, nextCopy: none, first: !known, follower: none}
	if !known {
		return Block(i)
	}
	for p.published[first].nextCopy != none {
		first = p.published[first].nextCopy
	}
	p.published[first].nextCopy = i
	return Block(i)
}

func (p *Pool) entry() int32 {
	if n := len(p.unused); n > 0 {
		i := p.unused[n-1]
		p.unused = p.unused[:n-1]
		return i
	}
	p.published = append(p.published, published{})
	return int32(len(p.published) - 1)
}

// Release gives back a request's blocks, from the last to the first.
func (p *Pool) Release(blocks []Block) {
	for k := len(blocks) - 1; k >= 0; k-- {
		if blocks[k] == Private {
			p.free++
			continue
		}
		i := int32(blocks[k])
		if p.published[i].holders--; p.published[i].holders == 0 {
			p.version++
			p.link(i)
		}
	}
}

// link appends a block to the newest end of the inactive ones.
func (p *Pool) link(i int32) {
	b := &p.published[i]
	b.older, b.newer = p.newest, none
	if p.newest != none {
		p.published[p.newest].newer = i
	} else {
		p.oldest = i
	}
	p.newest = i
	p.inactive++
}

func (p *Pool) unlink(i int32) {
	b := &p.published[i]
	if b.older != none {
		p.published[b.older].newer = b.newer
	} else {
		p.oldest = b.newer
	}
	if b.newer != none {
		p.published[b.newer].older = b.older
	} else {
		p.newest = b.older
	}
	p.inactive--
}

// evict takes the oldest inactive block out of the cache. Its hash is lost
// with its last copy only; without the first copy the next is the first.
func (p *Pool) evict() {
	p.version++
	i := p.oldest
	p.unlink(i)
	b := &p.published[i]
	slot := p.index.find(b.hash)
	if first := p.index.slots[slot].block - 1; first == i {
		if b.nextCopy == none {
			p.index.remove(slot)
		} else {
			p.index.slots[slot].block = b.nextCopy + 1
			p.published[b.nextCopy].first = true
		}
		b.first = false
	} else {
		for p.published[first].nextCopy != i {
			first = p.published[first].nextCopy
		}
		p.published[first].nextCopy = b.nextCopy
	}
	p.unused = append(p.unused, i)
}
