// Package jsonl streams the lines of a text file with one JSON value per line
// (formats.md 1.2): blocks of whole lines that know their place and can be
// worked on in parallel, at a cost in memory that does not depend on the size
// of the file. What the lines mean is for the formats to say.
package jsonl
