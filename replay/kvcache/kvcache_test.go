package kvcache_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/replay/kvcache"
)

// expand writes tokens out one by one: the plain twin of runs.
func expand(t kvcache.Tokens) (all [][3]uint64) {
	for _, r := range t.Runs {
		for i := range r.Len {
			if r.Constant {
				all = append(all, [3]uint64{0, r.ID})
			} else {
				all = append(all, [3]uint64{1, r.ID, uint64(r.Start + i)})
			}
		}
	}
	return all
}

func hashes(t kvcache.Tokens, blockSize int) (all []kvcache.Hash) {
	h := kvcache.NewHasher(blockSize)
	for range t.Len / blockSize {
		all = append(all, h.Next(&t))
	}
	return all
}

// Blocks have the same hash exactly when all tokens up to their ends are
// equal, however the tokens were cut into runs.
func TestHashesNameContent(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	draw := func() (t kvcache.Tokens) {
		for range random.IntN(6) {
			t.Append(kvcache.Run{ID: random.Uint64N(2), Start: random.IntN(2), Len: 1 + random.IntN(5), Constant: random.IntN(2) == 0})
		}
		return t
	}
	equal := 0
	for range 100_000 {
		a, b, size := draw(), draw(), 1+random.IntN(4)
		ha, hb := hashes(a, size), hashes(b, size)
		ta, tb := expand(a), expand(b)
		for i := range min(len(ha), len(hb)) {
			same := slices.Equal(ta[:(i+1)*size], tb[:(i+1)*size])
			require.Equal(t, same, ha[i] == hb[i], "%v %v", a, b)
			if same {
				equal++
			}
		}
	}
	require.Greater(t, equal, 1000)
}

// A hasher that is asked as tokens come names the same blocks as one that is
// asked at the end.
func TestHasherFollowsGrowth(t *testing.T) {
	var grown kvcache.Tokens
	h := kvcache.NewHasher(3)
	var got []kvcache.Hash
	for i := range 30 {
		grown.Append(kvcache.Run{ID: uint64(i / 7), Start: i, Len: 1})
		for len(got) < grown.Len/3 {
			got = append(got, h.Next(&grown))
		}
	}
	require.Equal(t, hashes(grown, 3), got)
}

func TestPool(t *testing.T) {
	p := kvcache.NewPool(3)
	first, ok := p.Take(nil, nil, 2)
	require.True(t, ok)
	first[0], first[1] = p.Publish(10), p.Publish(11)
	require.Equal(t, 1, p.Free())

	// A second copy of a known block occupies a block too.
	second, ok := p.Take(nil, nil, 1)
	require.True(t, ok)
	second[0] = p.Publish(10)
	_, ok = p.Take(nil, nil, 1)
	require.False(t, ok, "all blocks are active")

	match := func(hashes ...kvcache.Hash) (hits, active int) {
		known, active := p.Match(hashes, nil)
		return len(known), active
	}
	hits, active := match(10, 11, 12)
	require.Equal(t, []int{2, 2}, []int{hits, active})
	p.Release(first)
	hits, active = match(10, 11)
	require.Equal(t, []int{2, 0}, []int{hits, active}, "the first copy of 10 is inactive")
	require.Equal(t, 2, p.Available())

	// The deepest block was released first and is evicted first.
	third, ok := p.Take(nil, nil, 1)
	require.True(t, ok)
	hits, _ = match(10, 11)
	require.Equal(t, 1, hits)

	// Without its first copy, 10 is the copy that is held.
	fourth, ok := p.Take(nil, nil, 1)
	require.True(t, ok)
	hits, active = match(10)
	require.Equal(t, []int{1, 1}, []int{hits, active})

	p.Release(second)
	p.Release(third)
	p.Release(fourth)
	require.Equal(t, []int{2, 3}, []int{p.Free(), p.Available()})

	// A block that is found is taken out of the list, and does not count as
	// room.
	known, _ := p.Match([]kvcache.Hash{10}, nil)
	_, ok = p.Take(nil, known, 3)
	require.False(t, ok)
	_, ok = p.Take(nil, known, 2)
	require.True(t, ok)
	require.Zero(t, p.Available())
}

// plainPool is the plain twin of a pool: what it knows in the order in which
// it was published, and the inactive ones in the order of their release.
type plainPool struct {
	free     int
	known    []*plainBlock
	inactive []*plainBlock
}

type plainBlock struct {
	hash    kvcache.Hash
	holders int
}

func (p *plainPool) match(hashes []kvcache.Hash) (known []*plainBlock, active int) {
	for _, h := range hashes {
		i := slices.IndexFunc(p.known, func(b *plainBlock) bool { return b.hash == h })
		if i < 0 {
			break
		}
		known = append(known, p.known[i])
		if p.known[i].holders > 0 {
			active++
		}
	}
	return known, active
}

func (p *plainPool) take(known []*plainBlock, fresh int) bool {
	room := p.free + len(p.inactive)
	for _, b := range known {
		if b.holders == 0 {
			room--
		}
	}
	if fresh > room {
		return false
	}
	for _, b := range known {
		p.inactive = slices.DeleteFunc(p.inactive, func(other *plainBlock) bool { return other == b })
		b.holders++
	}
	for range fresh {
		if p.free > 0 {
			p.free--
			continue
		}
		p.known = slices.DeleteFunc(p.known, func(b *plainBlock) bool { return b == p.inactive[0] })
		p.inactive = p.inactive[1:]
	}
	return true
}

func (p *plainPool) publish(h kvcache.Hash) *plainBlock {
	b := &plainBlock{hash: h, holders: 1}
	p.known = append(p.known, b)
	return b
}

func (p *plainPool) release(blocks []*plainBlock) {
	for _, b := range slices.Backward(blocks) {
		if b == nil {
			p.free++
		} else if b.holders--; b.holders == 0 {
			p.inactive = append(p.inactive, b)
		}
	}
}

// Requests that come, publish their blocks and go find the same blocks in
// both pools.
func TestPoolAgainstPlainPool(t *testing.T) {
	const capacity = 14
	random := rand.New(rand.NewPCG(5, 6))
	type request struct {
		blocks []kvcache.Block
		plain  []*plainBlock
	}
	pool, plain := kvcache.NewPool(capacity), &plainPool{free: capacity}
	var running []request
	hits, refused := 0, 0
	for range 100_000 {
		if random.IntN(6) < len(running) {
			i := random.IntN(len(running))
			pool.Release(running[i].blocks)
			plain.release(running[i].plain)
			running = slices.Delete(running, i, i+1)
		}

		prompt := make([]kvcache.Hash, 0, 6)
		for _, h := range random.Perm(16)[:1+random.IntN(6)] {
			prompt = append(prompt, kvcache.Hash(h))
		}
		if random.IntN(2) == 0 {
			slices.Sort(prompt) // so that prefixes are shared
		}
		known, active := pool.Match(prompt, nil)
		plainKnown, plainActive := plain.match(prompt)
		require.Equal(t, []int{len(plainKnown), plainActive}, []int{len(known), active})
		hits += len(known)

		blocks, taken := pool.Take(nil, known, len(prompt)-len(known))
		require.Equal(t, plain.take(plainKnown, len(prompt)-len(known)), taken)
		require.Equal(t, []int{plain.free, plain.free + len(plain.inactive)}, []int{pool.Free(), pool.Available()})
		if !taken {
			refused++
			continue
		}
		r := request{blocks, append(plainKnown, make([]*plainBlock, len(prompt)-len(known))...)}
		for i := len(known); i < len(prompt) && random.IntN(4) > 0; i++ {
			r.blocks[i], r.plain[i] = pool.Publish(prompt[i]), plain.publish(prompt[i])
		}
		running = append(running, r)
	}
	require.Greater(t, hits, 10_000)
	require.Greater(t, refused, 1000)
}
