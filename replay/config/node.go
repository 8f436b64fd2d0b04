package config

// nodeKind is what a value of the document is.
type nodeKind int

const (
	nullNode nodeKind = iota
	boolNode
	intNode
	floatNode
	textNode
	dateNode
	listNode
	mapNode
)

// node is a value of the document. Nodes are never changed once they are
// made, since aliases share them.
type node struct {
	kind   nodeKind
	at     place
	text   string  // of a scalar: as written; of a textNode: its value
	truth  bool    // of a boolNode
	whole  integer // of an intNode
	real   float64 // of a floatNode, and of an intNode as nearly as possible
	items  []*node // of a listNode
	fields []field // of a mapNode; no key twice
}

// field is one key of a mapping.
type field struct {
	key   *node
	value *node
}

// name is the key when it is a string.
func (f field) name() (string, bool) { return f.key.text, f.key.kind == textNode }

// integer is a whole number of any size: sign and magnitude of those that fit.
type integer struct {
	negative  bool
	magnitude uint64
	wide      bool // does not fit 64 bits
}

// int64 returns the number if it fits.
func (i integer) int64() (int64, bool) {
	switch {
	case i.wide || i.magnitude > 1<<63 || i.magnitude == 1<<63 && !i.negative:
		return 0, false
	case i.negative:
		return -int64(i.magnitude), true // of 1<<63, too: it wraps to itself
	}
	return int64(i.magnitude), true
}

// field returns the field of that name of a mapping.
func (n *node) field(name string) (field, bool) {
	for _, f := range n.fields {
		if key, ok := f.name(); ok && key == name {
			return f, true
		}
	}
	return field{}, false
}

// describe tells a person what the value is.
func (n *node) describe() string {
	switch n.kind {
	case nullNode:
		return "null"
	case boolNode:
		if n.text != "true" && n.text != "false" {
			word := "false"
			if n.truth {
				word = "true"
			}
			return "the boolean " + word + " (written " + n.text + ")"
		}
		return "the boolean " + n.text
	case intNode:
		return "the integer " + printable(n.text)
	case floatNode:
		return "the number " + printable(n.text)
	case textNode:
		return "the text " + quoted(n.text)
	case dateNode:
		return "the date " + printable(n.text)
	case listNode:
		return "a list"
	}
	return "a mapping"
}
