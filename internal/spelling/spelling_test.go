package spelling_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/internal/spelling"
)

func TestDistance(t *testing.T) {
	for _, c := range []struct {
		from, to string
		want     int
	}{
		{"", "", 0}, {"tensr", "tensor", 1}, {"tesnor", "tensor", 1}, {"evaluaton", "evaluation", 1}, {"größe", "grösse", 2}, {"abc", "", 3}, {"kitten", "sitting", 3},
	} {
		require.Equal(t, c.want, spelling.Distance(c.from, c.to), "%s %s", c.from, c.to)
		require.Equal(t, c.want, spelling.Distance(c.to, c.from), "%s %s", c.to, c.from)
	}
	require.LessOrEqual(t, spelling.Distance(strings.Repeat("a", 1<<20), "b"), 200)
}
