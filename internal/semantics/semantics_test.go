package semantics_test

import (
	"os"
	"reflect"
	"testing"

	"github.com/stretchr/testify/require"

	"tracekit/internal/semantics"
)

func TestNamesParseBack(t *testing.T) {
	for _, name := range semantics.Names() {
		mode, err := semantics.Parse(name)
		require.NoError(t, err)
		require.Equal(t, name, mode.String())
	}
	_, err := semantics.Parse("aisimulate")
	require.ErrorContains(t, err, `"aisimulate" is not known`)
	require.ErrorContains(t, err, "documented or aisimulate-0.13")
}

// Every method of Mode that decides something is listed, and the settings
// really differ in it.
func TestEveryDecisionIsListed(t *testing.T) {
	listed := map[string]bool{}
	for _, d := range semantics.Differences() {
		require.NotEqual(t, d.Decide(semantics.Documented), d.Decide(semantics.AISimulate013), d.Name)
		require.NotEqual(t, d.Documented, d.Program, d.Name)
		listed[d.Name] = true
	}
	mode := reflect.TypeFor[semantics.Mode]()
	for i := range mode.NumMethod() {
		if method := mode.Method(i); method.Type.NumOut() == 1 && method.Type.Out(0).Kind() == reflect.Bool {
			require.True(t, listed[method.Name], "%s is not in Differences", method.Name)
		}
	}
}

// The manual tells every difference in the words of this package.
func TestManualListsEveryDifference(t *testing.T) {
	manual, err := os.ReadFile("../../docs/semantics.md")
	require.NoError(t, err)
	for _, d := range semantics.Differences() {
		require.Contains(t, string(manual), "| `"+d.Name+"` | "+d.Subject+" | "+d.Documented+" | "+d.Program+" |")
	}
}
