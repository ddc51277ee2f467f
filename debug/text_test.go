package debug

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestVisible(t *testing.T) {
	long := strings.Repeat("a", 79) + "é" + strings.Repeat("x", 1<<20) + strings.Repeat("z", 40)
	for name, c := range map[string][2]string{
		"markup":             {`<b>&"'`, `<b>&"'`},
		"turned writing":     {"a\u202eb\u2066c\u200f", `a\u202eb\u2066c\u200f`},
		"control characters": {"a\x00\x1b[1m\n\x7f", `a\x00\x1b[1m\n\x7f`},
		"no UTF-8":           {"a\xff\xc0\xafb\xe4", `a\xff\xc0\xafb\xe4`},
		"longer by one":      {"b" + strings.Repeat("é", maxText), "b" + strings.Repeat("é", 79) + "…" + strings.Repeat("é", 40)},
		"much longer":        {long, strings.Repeat("a", 79) + "é…" + strings.Repeat("z", 40)},
		"long and no UTF-8":  {strings.Repeat("\xff", 500), strings.Repeat(`\xff`, 80) + "…" + strings.Repeat(`\xff`, 40)},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c[1], visible(c[0]))
		})
	}
}

func TestSplitName(t *testing.T) {
	for name, c := range map[string][3]string{
		"with a hash":       {"https://a.example#c0ffee5a17ed0a75", "https://a.example", "#c0ffee5a17ed0a75"},
		"without":           {"https://a.example", "https://a.example", ""},
		"only a hash":       {"#c0ffee5a17ed0a75", "#c0ffee5a17ed0a75", ""},
		"no hash":           {"a#<ffee5a17ed0a75", "a#<ffee5a17ed0a75", ""},
		"the rest is bared": {"\u202e#c0ffee5a17ed0a75", `\u202e`, "#c0ffee5a17ed0a75"},
	} {
		t.Run(name, func(t *testing.T) {
			rest, hash := splitName(c[0])
			require.Equal(t, c[1], rest)
			require.Equal(t, c[2], hash)
		})
	}
}
