//go:build !unix

package cli

// ignoreWriteSignals does nothing where writes raise no signals.
func ignoreWriteSignals() {}
