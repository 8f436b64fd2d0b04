package weka

import (
	"encoding/binary"
	"slices"
	"strconv"

	"github.com/zeebo/blake3"

	"tracekit/graph"
	"tracekit/internal/strictjson"
)

// blockNames gives the blocks of one play their 64-bit names (weka.md 11).
type blockNames struct {
	message  []byte  // what is hashed: prefix, then the part that varies
	prefix   int     // length of `weka-full-block` NUL `source:` name `:`
	bySource idTable // source hash id → name
	used     idTable // names given in this play
	buffers  [][]byte
	buffer   int
}

const (
	fullBlockDomain   = "weka-full-block\x00"
	partialTailDomain = "weka-partial-tail\x00"
)

// reset begins a play of that document, in which about so many hash ids occur.
func (b *blockNames) reset(documentName string, ids int) {
	b.message = append(b.message[:0], fullBlockDomain+"source:"...)
	b.message = append(b.message, documentName...)
	b.message = append(b.message, ':')
	b.prefix = len(b.message)
	b.message = slices.Grow(b.message, 64) // digits, nonce: never reallocated below
	b.bySource.reset(ids)
	b.used.reset(ids)
	b.buffer = 0
}

// source returns the name of the block with that hash id in the document.
func (b *blockNames) source(id uint64) uint64 {
	if name, known := b.bySource.get(id); known {
		return name
	}
	name := b.give(strconv.AppendUint(b.message[:b.prefix], id, 10))
	b.bySource.put(id, name)
	b.used.put(name, id)
	return name
}

// give hashes an identity: domain, NUL and identity are in message, which is
// extended. A name that a listed block of the play has already makes the
// nonce count up. (Names of unlisted blocks are made when a row is written
// and not kept: two of them would need a collision of 64 bits to meet.)
func (b *blockNames) give(message []byte) uint64 {
	message = append(message, 0)
	stem := len(message)
	for nonce := uint64(0); ; nonce++ {
		message = strconv.AppendUint(message[:stem], nonce, 10)
		sum := blake3.Sum256(message)
		name := binary.LittleEndian.Uint64(sum[:])
		if _, taken := b.used.get(name); !taken {
			return name
		}
	}
}

// missing names block index of a request that lists no hash id for it.
func (b *blockNames) missing(scratch []byte, requestID string, index uint64) (name uint64, _ []byte) {
	scratch = append(scratch[:0], fullBlockDomain+"private:missing:"...)
	scratch = append(scratch, requestID...)
	scratch = append(scratch, ':')
	scratch = strconv.AppendUint(scratch, index, 10)
	return b.give(scratch), scratch
}

// partialTail names the block that a prompt fills in part.
func (b *blockNames) partialTail(scratch []byte, requestID string, full, in uint64) (name uint64, _ []byte) {
	scratch = append(scratch[:0], partialTailDomain...)
	scratch = append(scratch, requestID...)
	scratch = append(scratch, ':')
	scratch = strconv.AppendUint(scratch, full, 10)
	scratch = append(scratch, ':')
	scratch = strconv.AppendUint(scratch, in, 10)
	return b.give(scratch), scratch
}

// nextBuffer returns a buffer that stays in use until reset.
func (b *blockNames) nextBuffer() []byte {
	if b.buffer == len(b.buffers) {
		b.buffers = append(b.buffers, nil)
	}
	b.buffer++
	return b.buffers[b.buffer-1][:0]
}

// nameBlocks gives each call its head: the names, as text, of the full blocks
// that it lists an id for. The heads of a stream mostly extend one another
// and then share their memory.
func (l *lowerer) nameBlocks() {
	b := &l.blocks
	longest := 0
	for i := range l.calls {
		longest = max(longest, l.calls[i].hashes.Len)
	}
	b.reset(l.place.name, 2*longest)
	for _, s := range l.streams {
		text := b.nextBuffer()
		previous := s.forkSource
		for i, c := range s.calls {
			listed := c.hashes.Prefix(min(c.hashes.Len, int(min(c.in/l.doc.blockSize, maxBlocks))))
			kept := 0
			if previous != nil && previous.head.Len > 0 {
				common, _ := previous.hashes.CommonPrefix(listed)
				kept = min(common, previous.head.Len)
				// Only what the stream itself has written may be extended in
				// place, and only at its end.
				if i == 0 || kept < previous.head.Len {
					text = append(b.nextBuffer(), previous.head.Prefix(kept).Text...)
				}
			}
			skip := listed.Prefix(kept)
			rest := strictjson.Integers{Text: listed.Text[len(skip.Text):]}
			if kept > 0 && len(rest.Text) > 0 {
				rest.Text = rest.Text[1:] // the comma between
			}
			for id := range rest.All {
				if len(text) > 0 {
					text = append(text, ',')
				}
				text = strconv.AppendUint(text, b.source(id), 10)
			}
			c.head = strictjson.Integers{Text: text, Len: listed.Len}
			b.buffers[b.buffer-1] = text
			previous = c
		}
	}
}

// hashIDs returns all block names of a call. The tail uses scratch memory of
// the lowerer and is valid until the next call of hashIDs.
func (l *lowerer) hashIDs(c *call) graph.HashIDs {
	ids := graph.HashIDs{Head: c.head}
	full := c.in / l.doc.blockSize
	text := l.tail[:0]
	add := func(name uint64) {
		if ids.Tail.Len > 0 {
			text = append(text, ',')
		}
		text = strconv.AppendUint(text, name, 10)
		ids.Tail.Len++
	}
	var name uint64
	for block := uint64(c.head.Len); block < full; block++ {
		name, l.scratch = l.blocks.missing(l.scratch, c.id, block)
		add(name)
	}
	if c.in%l.doc.blockSize != 0 {
		name, l.scratch = l.blocks.partialTail(l.scratch, c.id, full, c.in)
		add(name)
	}
	l.tail, ids.Tail.Text = text, text
	return ids
}
