package config

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestScalars(t *testing.T) {
	for _, tt := range []struct {
		kind  nodeKind
		texts []string
	}{
		{nullNode, []string{"", "~", "null", "Null", "NULL"}},
		{boolNode, []string{"true", "True", "TRUE", "yes", "Yes", "YES", "on", "On", "ON", "false", "no", "No", "off", "OFF"}},
		{intNode, []string{"0", "1", "-1", "+1", "1_0", "1_", "0x64", "-0xFF", "0b11", "0144", "1:40", "-1:40:59", "99999999999999999999999"}},
		{floatNode, []string{"1.0", "1.", ".5", "-1.5", "1.0e+2", "1e2", "1.0e2", "1E-3", ".inf", "-.Inf", "+.INF", ".nan", ".NaN", "1_000.5", "1:40.5"}},
		{dateNode, []string{"2024-01-01", "2024-1-1 10:00:00", "2024-01-01T10:00:00.5Z", "2024-01-01 10:00:00 +02:00"}},
		{textNode, []string{"y", "n", "Y", "nULL", "tRUE", "1:99", "0x", "0b", "0b2", "08", "0o17", "_1", "e2", "1e", ".", "-", "+", "2024-01", "inf", "nan", "1.2.3", "--1"}},
	} {
		for _, text := range tt.texts {
			require.Equal(t, tt.kind, resolve(text, place{}).kind, text)
		}
	}
}

func TestIntegers(t *testing.T) {
	for text, want := range map[string]int64{
		"0": 0, "-0": 0, "12": 12, "-12": -12, "1_0": 10, "0x64": 100, "-0x1_0": -16, "0b101": 5, "0144": 100, "1:40": 100, "-1:00:01": -3601,
		"9223372036854775807": math.MaxInt64, "-9223372036854775808": math.MinInt64,
	} {
		n := resolve(text, place{})
		got, fits := n.whole.int64()
		require.True(t, fits, text)
		require.Equal(t, want, got, text)
		require.InDelta(t, float64(want), n.real, 0, text)
	}
	for text, real := range map[string]float64{
		"9223372036854775808": 1 << 63, "18446744073709551616": 1 << 64, "-18446744073709551616": -1 << 64, "0x1_0000_0000_0000_0000": 1 << 64,
		"307445734561825860:16": 307445734561825860*60 + 16,
	} {
		n := resolve(text, place{})
		_, fits := n.whole.int64()
		require.False(t, fits, text)
		require.InEpsilon(t, real, n.real, 1e-15, text)
	}
}

func TestNearest(t *testing.T) {
	known := []string{"tensor", "pipeline", "replicas", "moe_tensor", "max"}
	for word, want := range map[string]string{
		"tensr": "tensor", "tesnor": "tensor", "Tensor": "tensor", "replica": "replicas", "pipelines": "pipeline", "mx": "max",
		"": "", "zzz": "", "something_else": "", "expert": "",
	} {
		require.Equal(t, want, nearest(word, known), word)
	}
	require.Empty(t, nearest(string(make([]byte, 1<<20)), known))
}
