//go:build unix

package cli

import (
	"os/signal"
	"syscall"
)

// ignoreWriteSignals makes a closed pipe and a file-size limit errors of a
// write, told like any other, and not the end of the process before it can
// clean up.
func ignoreWriteSignals() { signal.Ignore(syscall.SIGPIPE, syscall.SIGXFSZ) }
