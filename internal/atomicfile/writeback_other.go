//go:build !linux

package atomicfile

import "os"

// beginWriteback does nothing where the system cannot be asked.
func beginWriteback(*os.File, int64, int64) {}
