package atomicfile

import (
	"os"
	"syscall"
)

// beginWriteback asks the system to write a range to the disk without waiting
// for it. That it may not is no error: the sync at the end does.
func beginWriteback(f *os.File, offset, size int64) {
	const rangeWrite = 2 // SYNC_FILE_RANGE_WRITE
	_ = syscall.SyncFileRange(int(f.Fd()), offset, size, rangeWrite)
}
