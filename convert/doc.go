// Package convert turns traces of one format into another, each conversion a
// short pipeline of a format's reader, the graph, and a format's writer, and
// proves that the graph has stayed the same.
package convert
