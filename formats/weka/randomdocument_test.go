package weka_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"pgregory.net/rapid"

	"tracekit/formats/weka"
)

// randomDocument draws the text of a small document that lowers, unless its
// edges form a cycle: prompts that share prefixes, overlapping times at and
// around the tolerance, empty lists, two models, nested subagents whose times
// count from basis.
func randomDocument(t *rapid.T, basis weka.Basis) []byte {
	b := documentBuilder{t: t, basis: basis, blockSize: rapid.SampledFrom([]uint64{1, 2, 4}).Draw(t, "block size")}
	entries := []string{b.call(0)} // owns the markers that no other request precedes
	for range rapid.IntRange(0, 11).Draw(t, "entries") {
		if rapid.IntRange(0, 4).Draw(t, "kind") == 0 {
			entries = append(entries, b.subagent())
		} else {
			entries = append(entries, b.call(0))
		}
	}
	return fmt.Appendf(nil, `{"id":%q,"block_size":%d,"hash_id_scope":"local","requests":[%s]}`,
		rapid.SampledFrom([]string{"p", " q ", "é\"\\"}).Draw(t, "id"), b.blockSize, strings.Join(entries, ","))
}

type documentBuilder struct {
	t         *rapid.T
	basis     weka.Basis
	blockSize uint64
	lists     [][]uint64 // drawn so far
}

// seconds draws a time on a coarse grid, now and then off it by less or more
// than the tolerance, and rarely far away.
func (b *documentBuilder) seconds(most int) float64 {
	x := float64(rapid.IntRange(0, most).Draw(b.t, "quarters")) / 4
	switch rapid.IntRange(0, 9).Draw(b.t, "offset") {
	case 0:
		x += 6e-7
	case 1:
		x += 2e-6
	case 2:
		x += 1e-6
	case 3:
		if most > 10 && rapid.Bool().Draw(b.t, "far") {
			x += 4000
		}
	}
	return x
}

// decimal prints a time with so few digits that both conversions agree.
func decimal(x float64) string { return strconv.FormatFloat(x, 'f', 7, 64) }

// list draws hash ids: often a prefix of an earlier list and something more.
func (b *documentBuilder) list() []uint64 {
	var list []uint64
	if len(b.lists) > 0 && rapid.IntRange(0, 3).Draw(b.t, "related") > 0 {
		list = rapid.SampledFrom(b.lists).Draw(b.t, "list")
		if rapid.IntRange(0, 2).Draw(b.t, "cut") == 0 {
			list = list[:rapid.IntRange(0, len(list)).Draw(b.t, "kept")]
		}
	}
	if rapid.IntRange(0, 9).Draw(b.t, "empty") == 0 {
		return nil
	}
	list = slices.Concat(list, rapid.SliceOfN(rapid.Uint64Range(0, 12), 0, 3).Draw(b.t, "more"))
	b.lists = append(b.lists, list)
	return list
}

// call draws a request that starts at least after least seconds.
func (b *documentBuilder) call(least float64) string {
	list := b.list()
	blocks := max(0, len(list)+rapid.IntRange(-1, 2).Draw(b.t, "blocks"))
	in := max(1, b.blockSize*uint64(blocks)+rapid.Uint64Range(0, b.blockSize-1).Draw(b.t, "partial"))
	ids, _ := json.Marshal(list)
	fields := []string{
		`"type":"` + rapid.SampledFrom([]string{"n", "s"}).Draw(b.t, "type") + `"`,
		`"t":` + decimal(least+b.seconds(24)),
		`"model":"` + rapid.SampledFrom([]string{"a", "a", "a", "b"}).Draw(b.t, "model") + `"`,
		`"in":` + strconv.FormatUint(in, 10),
		`"out":` + strconv.Itoa(rapid.SampledFrom([]int{0, 1, 64, 65, 300}).Draw(b.t, "out")),
	}
	if list != nil {
		fields = append(fields, `"hash_ids":`+string(ids))
	}
	switch rapid.IntRange(0, 9).Draw(b.t, "api time") {
	case 0:
	case 1:
		fields = append(fields, `"api_time":null`)
	default:
		fields = append(fields, `"api_time":`+decimal(b.seconds(8)))
	}
	return "{" + strings.Join(b.shuffled(fields), ",") + "}"
}

func (b *documentBuilder) subagent() string {
	marker := b.seconds(24)
	least := marker
	if b.basis == weka.BasisRelative {
		least = 0
	}
	fields := []string{`"type":"subagent"`, `"t":` + decimal(marker), `"agent_id":"h"`, `"subagent_type":""`}
	calls := rapid.IntRange(0, 5).Draw(b.t, "calls")
	if calls == 0 || rapid.Bool().Draw(b.t, "background") {
		fields = append(fields, `"status":"async_launched"`)
	} else {
		fields = append(fields, `"status":"completed"`)
	}
	if rapid.Bool().Draw(b.t, "duration") {
		fields = append(fields, `"duration_ms":`+strconv.Itoa(250*rapid.IntRange(0, 16).Draw(b.t, "duration")))
	}
	outer := b.lists
	b.lists = nil
	requests := make([]string, calls)
	for i := range requests {
		requests[i] = b.call(least)
	}
	b.lists = outer
	fields = append(fields, `"requests":[`+strings.Join(requests, ",")+`]`)
	return "{" + strings.Join(b.shuffled(fields), ",") + "}"
}

// shuffled puts fields in another order, which means nothing.
func (b *documentBuilder) shuffled(fields []string) []string {
	return rapid.Permutation(fields).Draw(b.t, "order")
}
