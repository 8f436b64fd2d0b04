package weka_test

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/formats"
	"tracekit/formats/weka"
	"tracekit/graph"
)

// declaring returns a document of one request with so many tokens and one
// hash id.
func declaring(in, blockSize uint64) string {
	return strings.NewReplacer(`"in":4`, fmt.Sprintf(`"in":%d`, in), `"block_size":4`, fmt.Sprintf(`"block_size":%d`, blockSize)).Replace(session(aCall))
}

// A few bytes that declare a huge prompt are refused, and cost nothing.
func TestHugePromptsRefused(t *testing.T) {
	for _, in := range []uint64{1<<20 + 2, 1 << 27, 1 << 40, 1<<64 - 1} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := read(t, "a.json", declaring(in, 1), weka.Options{})
		runtime.ReadMemStats(&after)
		var problem *formats.Error
		require.ErrorAs(t, err, &problem)
		require.Equal(t, "requests[0].in", problem.Path)
		require.Contains(t, problem.Found, fmt.Sprintf("%d of them without a hash id", in-1))
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(4<<20))
	}
	// The largest numbers are fine where the blocks are few.
	summary, err := read(t, "a.json", declaring(1<<64-1, 1<<64-1), weka.Options{})
	require.NoError(t, err)
	require.Equal(t, uint64(1<<64-1), summary.BlockSize)
}

// Up to 2^20 blocks of a request need no hash id.
func TestUnlistedBlocksServed(t *testing.T) {
	for _, in := range []uint64{8, 9, 1 << 12, 1<<20*4 + 4, 1<<20*4 + 7} {
		path := write(t, t.TempDir(), "a.json", declaring(in, 4))
		for node, err := range open(t, t, path, weka.Options{}).Nodes(t.Context()) {
			require.NoError(t, err)
			require.Equal(t, int((in+3)/4), node.HashIDs.Len())
			requireDistinct(t, node.HashIDs)
		}
	}
}

func requireDistinct(t *testing.T, ids graph.HashIDs) {
	seen := make(map[uint64]struct{}, ids.Len())
	for id := range ids.All {
		seen[id] = struct{}{}
	}
	require.Equal(t, ids.Len(), len(seen))
}

// Of a .json file that cannot be a document little is read, however large it
// is; one that can is read in full, whatever the size of the first look.
func TestHugeFileThatIsNoDocument(t *testing.T) {
	path := filepath.Join(t.TempDir(), "huge.json")
	require.NoError(t, os.WriteFile(path, []byte(`{"id":`), 0o600))
	require.NoError(t, os.Truncate(path, 1<<33)) // sparse: NUL bytes without end
	read := 0
	_, err := weka.Open(t.Context(), path, weka.Options{OnBytes: func(n int) { read += n }})
	require.ErrorContains(t, err, "huge.json:1:7")
	require.ErrorContains(t, err, "the byte 0x00")
	require.Less(t, read, 20<<20)
}
