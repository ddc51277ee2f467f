package parse

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSimpleItem(t *testing.T) {
	for _, c := range []struct {
		name  string
		value string
		ok    bool
	}{
		{name: "draft 10", value: `"default";r=50;t=30`, ok: true},
		{name: "one parameter", value: `"a";t=30`, ok: true},
		{name: "repeated", value: `"a";r=1;t=5;r=2`, ok: true},
		{name: "spaces", value: `"a"; r=1; t=5`, ok: true},
		{name: "15 digits", value: `"a";r=999999999999999`, ok: true},
		{name: "as long as it may be", value: `"` + strings.Repeat("a", longestSimple-6) + `";r=1`[:5], ok: true},
		{name: "too long", value: `"` + strings.Repeat("a", longestSimple) + `";r=1`},
		{name: "16 digits", value: `"a";r=1000000000000000`},
		{name: "escape", value: `"a\"";r=1`},
		{name: "control character", value: "\"a\n\";r=1"},
		{name: "unclosed", value: `"a`},
		{name: "token", value: `a;r=1`},
		{name: "two spaces", value: `"a";  r=1`},
		{name: "space behind", value: `"a";r=1 `},
		{name: "two items", value: `"a";r=1, "b";r=2`},
		{name: "another parameter", value: `"a";r=1;pk=:YQ==:`},
		{name: "another letter", value: `"a";r=1;x=1`},
		{name: "negative", value: `"a";r=-1`},
		{name: "Decimal", value: `"a";r=1.0`},
		{name: "no value", value: `"a";r`},
		{name: "empty value", value: `"a";r=`},
		{name: "no digits", value: `"a";r=;t=5`},
		{name: "empty", value: ``},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, _, _, ok := simpleItem(c.value, 'r', 't')
			require.Equal(t, c.ok, ok)
			requireSameAsFull(t, c.value)
		})
	}
}

// requireSameAsFull checks that simpleItem and the scanner have the same result.
func requireSameAsFull(t *testing.T, value string) {
	t.Helper()
	var got, want List[ServiceLimit]
	f := readRateLimit([]string{value}, &got)
	s := scanner{s: value}
	if dropped, err := s.serviceLimits(&want); err == nil && len(value) <= MaxFieldLength {
		require.Equal(t, dropped, f, "%q", value)
		require.Equal(t, want, got, "%q", value)
	}
	var gotPolicy, wantPolicy List[Policy]
	f = readRateLimitPolicy([]string{value}, &gotPolicy)
	s = scanner{s: value}
	dropped, err := s.policies(&wantPolicy)
	if err != nil {
		dropped, wantPolicy = fault{s.off, err}, List[Policy]{}
	}
	if len(value) <= MaxFieldLength {
		require.Equal(t, dropped, f, "%q", value)
		require.Equal(t, wantPolicy, gotPolicy, "%q", value)
	}
}

func FuzzSimpleItem(f *testing.F) {
	sfSeeds(f)
	f.Add(`"a"; r=999999999999999; t=5;r=2`)
	f.Add(`"a"; q=999999999999999; w=0;q=2`)
	f.Fuzz(requireSameAsFull)
}
