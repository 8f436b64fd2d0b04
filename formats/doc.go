// Package formats is what all trace formats share: their names, how a file is
// told to be in one of them, how its bytes are opened, and how an error says
// where it lies and how it is mended. Each format is a package below it.
package formats
