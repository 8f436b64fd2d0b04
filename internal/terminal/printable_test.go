package terminal

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestPrintable(t *testing.T) {
	for text, want := range map[string]string{
		"":                "",
		"größe 1":         "größe 1",
		`a "b" \c`:        `a "b" \c`,
		"a\nb":            `a\nb`,
		"\x1b[31m\"red\"": `\x1b[31m\"red\"`,
		"a\u202eb":        `a\u202eb`,
		"\x9b31m":         `\x9b31m`,
	} {
		require.Equal(t, want, Printable(text))
	}
}
