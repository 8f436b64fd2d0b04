package mooncake_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/formats"
	"tracekit/formats/mooncake"
)

// Whatever a file holds, it is refused with a place or read as a graph that
// comes back from its conversion.
func FuzzOpen(f *testing.F) {
	f.Add(worked, false)
	f.Add(good+`{"output_tokens":0,"hash_ids":[1, 18446744073709551615],"delay_ms":1.5,"session_id":"s","output_token_ids":[]}`, true)
	f.Add("\r\n"+`{"created_time":-1e3,"input_tokens":1,"output_length":1,"hash_ids":[0],"policy_class":"\ud83d\ude00","x":[{}]}`+"\r\n", true)
	f.Fuzz(func(t *testing.T, text string, program bool) {
		if len(text) > 1<<16 {
			return
		}
		opts := blocks64
		if program {
			opts.Semantics = modes[1]
		}
		trace, err := mooncake.Open(t.Context(), sourceOf(t, text), opts)
		if err != nil {
			var refused *formats.Error
			require.True(t, errors.As(err, &refused), err)
			require.NotEmpty(t, refused.Found)
			if refused.Line > 0 {
				require.LessOrEqual(t, refused.Line, strings.Count(text, "\n")+1)
				require.Positive(t, refused.Column)
			}
			return
		}
		for n, err := range trace.Nodes(t.Context()) {
			require.NoError(t, err)
			if strings.TrimSpace(n.PlayID) == "" {
				return // agentic_mooncake has no blank names
			}
		}
		requireSameAsV2(t, trace, program)
	})
}
