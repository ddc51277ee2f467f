package validate_test

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/validate"
)

// Long names are shortened, and a long name means the same limit wherever it occurs.
func TestLongNames(t *testing.T) {
	long := strings.Repeat("n", 100)
	short := limits.ShortName(long)
	key := strings.Repeat("QUFB", 30)
	run(t, []row{
		{
			name:   "a policy and its limit are joined",
			header: []string{`RateLimit-Policy: "` + long + `";q=5;w=60;pk=:` + key + ":", `RateLimit: "` + long + `";r=4;pk=:` + key + ":"},
			limits: limitList(withKey(limits.ShortName(key), named(short, limit(5, 4, 60*s, unknown)))),
		},
		{
			name:   "the stricter of two reports",
			header: []string{`RateLimit: "` + long + `";r=4, "` + long + `";r=3`},
			limits: limitList(named(short, limit(unknown, 3, unknown, unknown))), problems: []string{"RateLimit: reported twice, the stricter counts"},
		},
	})

	r := validate.NewReader(validate.Bounds{}, nil)
	own := validate.Reading{Limits: limitList(named(long, limit(10, 5, time.Hour, time.Hour)), named(long, limit(9, 4, time.Minute, s)))}
	for _, l := range r.Add(r.Read(nil), nil, &own).Limits {
		require.LessOrEqual(t, len(l.Policy), 64)
	}
}
