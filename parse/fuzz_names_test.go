package parse

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzNames checks what match finds in any name: the spelling does not matter, the filters keep the name,
// and the result of Header does not depend on the order of the map.
func FuzzNames(f *testing.F) {
	for name := range exactNames {
		f.Add(name)
	}
	for _, p := range prefixes {
		for _, rest := range []string{"limit", "remaining-tokens", "short-reset-in", "limit-remaining", "retry-after-a", "burst-capacity-used"} {
			f.Add(p.prefix + rest)
		}
	}
	f.Add("gw-ratelimit-remaining")
	f.Fuzz(func(t *testing.T, name string) {
		k := identify(name)
		require.Equal(t, k.family != 0, identify(strings.Map(asUpper, name)).family != 0)
		if k.family != 0 {
			require.LessOrEqual(t, len(name), longestName)
			require.True(t, mayBeKnown(name), name)
		}
		prefix := strings.TrimSuffix(name, strayPart)
		h := http.Header{name: {"5"}, prefix + "limit": {"9"}, prefix + "reset": {"7"}}
		fields := Header(h)
		require.Equal(t, fields, Header(h))
		for _, row := range fields.Rows {
			require.NotEmpty(t, row.Names.Limit)
		}
	})
}

// asUpper changes only ASCII: the names of fields have no other letters.
func asUpper(r rune) rune {
	if 'a' <= r && r <= 'z' {
		return r - 'a' + 'A'
	}
	return r
}
