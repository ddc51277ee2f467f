package validate_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
)

func TestJoin(t *testing.T) {
	run(t, []row{
		{
			name:   "a key in the policy only",
			header: []string{`RateLimit-Policy: "5-in-1min"; q=5; w=60; pk=:MmMyNmI0NmI2OGZm:`, `RateLimit: "5-in-1min"; r=4; t=60`},
			limits: limitList(withKey("MmMyNmI0NmI2OGZm", named("5-in-1min", limit(5, 4, 60*s, 60*s)))),
		},
		{
			name:   "a policy without key is for all partitions",
			header: []string{`RateLimit-Policy: "a";q=5;w=60`, `RateLimit: "a";r=4;pk=:QQ==:, "a";r=3;pk=:Qg==:`},
			limits: limitList(
				withKey("QQ==", named("a", limit(5, 4, 60*s, unknown))),
				withKey("Qg==", named("a", limit(5, 3, 60*s, unknown)))),
		},
		{
			name:   "another key",
			header: []string{`RateLimit-Policy: "a";q=5;w=60;pk=:Qg==:`, `RateLimit: "a";r=4;pk=:QQ==:`},
			limits: limitList(
				withKey("QQ==", named("a", limit(unknown, 4, unknown, unknown))),
				withKey("Qg==", named("a", limit(5, unknown, 60*s, unknown)))),
		},
		{
			name:   "two keys in the policies only",
			header: []string{`RateLimit-Policy: "a";q=5;w=60;pk=:QQ==:, "a";q=5;w=60;pk=:Qg==:`, `RateLimit: "a";r=4`},
			limits: limitList(
				withKey("QQ==", named("a", limit(5, 4, 60*s, unknown))),
				withKey("Qg==", named("a", limit(5, unknown, 60*s, unknown)))),
		},
		{
			name:   "one name, two policies, which agree in the quota",
			header: []string{`RateLimit-Policy: "a";q=5;w=60, "a";q=5;w=1`, `RateLimit: "a";r=4;t=3`},
			limits: limitList(named("a", limit(5, 4, 60*s, 3*s)), named("RateLimit-Policy a", limit(5, unknown, s, unknown))),
		},
		{
			name:   "one name, two policies, which agree in nothing",
			header: []string{`RateLimit-Policy: "a";q=10;w=1, "a";q=300;w=60`, `RateLimit: "a";r=4;t=3`},
			limits: limitList(named("a", limit(10, 4, s, 3*s)), named("RateLimit-Policy a", limit(300, unknown, 60*s, unknown))),
		},
		{
			name:   "one name, three policies",
			header: []string{`RateLimit-Policy: "a";q=5;w=60, "a";q=5;w=1, "a";q=5;w=1`, `RateLimit: "a";r=4;t=3`},
			limits: limitList(named("a", limit(5, 4, 60*s, 3*s)), named("RateLimit-Policy a", limit(5, unknown, s, unknown))),
		},
		{
			name:   "one name, two units",
			header: []string{`RateLimit-Policy: "a";q=5;w=1;qu="points", "a";q=5;w=1`, `RateLimit: "a";r=4;t=3`},
			limits: limitList(withUnit("points", named("a", limit(5, 4, s, 3*s))), named("RateLimit-Policy a", limit(5, unknown, s, unknown))),
		},
		{
			name:   "one name, two policies, no numbers",
			header: []string{`RateLimit-Policy: "a";q=10;w=1, "a";q=300;w=60, "b";q=1;w=1`},
			limits: limitList(
				named("a", limit(10, unknown, s, unknown)),
				named("RateLimit-Policy a", limit(300, unknown, 60*s, unknown)),
				named("b", limit(1, unknown, s, unknown))),
		},
		{
			name:   "one name twice, the same policy",
			header: []string{`RateLimit-Policy: "a";q=10;w=1, "a";q=10;w=1`},
			limits: limitList(named("a", limit(10, unknown, s, unknown))),
		},
		{
			name:   "two names, the same policy",
			header: []string{`RateLimit-Policy: "a";q=10;w=1, "b";q=10;w=1`, `RateLimit: "b";r=4`, "X-RateLimit-Limit: 10", "X-RateLimit-Remaining: 3"},
			limits: limitList(named("b", limit(10, 4, s, unknown)), named("a", limit(10, 3, s, unknown))),
		},
		{
			name:   "a policy with a name and the numbers of another family",
			header: []string{`RateLimit-Policy: "a";q=10;w=1`, "X-RateLimit-Limit: 10", "X-RateLimit-Remaining: 3"},
			limits: limitList(named("a", limit(10, 3, s, unknown))),
		},
		{
			name:   "numbers without a quota take the only policy",
			header: []string{"RateLimit-Policy: 10;w=1", "RateLimit-Remaining: 3"},
			limits: limitList(limit(10, 3, s, unknown)),
		},
		{
			name:   "numbers without a quota match neither of two policies",
			header: []string{"RateLimit-Policy: 10;w=1, 20;w=60", "RateLimit-Remaining: 3"},
			limits: limitList(
				limit(unknown, 3, unknown, unknown),
				named("10;w=1", limit(10, unknown, s, unknown)),
				named("20;w=60", limit(20, unknown, 60*s, unknown))),
		},
		{
			name:   "a -Limit's own policies before RateLimit-Policy",
			header: []string{"RateLimit-Policy: 10;w=60", "RateLimit-Limit: 10, 10;w=1", "RateLimit-Remaining: 3"},
			limits: limitList(limit(10, 3, s, unknown), named("RateLimit-Policy", limit(10, unknown, 60*s, unknown))),
		},
	})
}

func TestOneLimitOrTwo(t *testing.T) {
	two := func(x, y []string) []string { return append(append([]string{date}, x...), y...) }
	trio := func(limit, remaining, reset string) []string {
		return []string{"RateLimit-Limit: " + limit, "RateLimit-Remaining: " + remaining, "RateLimit-Reset: " + reset}
	}
	x := func(limit, remaining, reset string) []string {
		return []string{"X-RateLimit-Limit: " + limit, "X-RateLimit-Remaining: " + remaining, "X-RateLimit-Reset: " + reset}
	}
	one := limitList(limit(100, 50, unknown, 30*s))
	run(t, []row{
		{name: "equal", header: two(trio("100", "50", "30"), x("100", "50", "30")), limits: one},
		{name: "resets rounded up", header: two(trio("100", "50", "30"), x("100", "50", "32")), limits: one},
		{name: "resets cut off", header: two(trio("100", "50", "30"), x("100", "50", "28")), limits: one},
		{name: "an epoch rounded up", header: two(trio("100", "50", "30"), x("100", "50", "1772625631")), limits: one},
		{
			name: "resets three seconds apart", header: two(trio("100", "50", "30"), x("100", "50", "33")),
			limits: append(one[:1:1], named("X-RateLimit", limit(100, 50, unknown, 33*s))),
		},
		{
			name: "remaining differs", header: two(trio("100", "50", "30"), x("100", "49", "30")),
			limits: append(one[:1:1], named("X-RateLimit", limit(100, 49, unknown, 30*s))),
		},
		{
			name: "quota differs", header: two(trio("100", "50", "30"), x("101", "50", "30")),
			limits: append(one[:1:1], named("X-RateLimit", limit(101, 50, unknown, 30*s))),
		},
		{
			name:   "nothing in common",
			header: []string{"RateLimit-Limit: 100", "X-RateLimit-Reset: 30"},
			limits: limitList(limit(100, unknown, unknown, unknown), named("X-RateLimit", limit(unknown, unknown, unknown, 30*s))),
		},
		{
			name:   "half in one, half in the other",
			header: []string{"RateLimit-Limit: 100", "X-RateLimit-Limit: 100", "X-RateLimit-Remaining: 50", "X-Rate-Limit-Remaining: 50", "X-Rate-Limit-Reset: 30"},
			limits: one,
		},
		{
			name:   "the second knows the name",
			header: append(x("100", "50", "30"), "RateLimit-Remaining: 50", "X-RateLimit-Bucket: abcd"),
			limits: limitList(named("abcd", limit(100, 50, unknown, 30*s))),
		},
		{
			name:   "other units",
			header: append(x("100", "50", "30"), `RateLimit-Policy: "a";q=100;w=60;qu="points"`, `RateLimit: "a";r=50;t=30`),
			limits: limitList(
				named("a", withUnit("points", limit(100, 50, 60*s, 30*s))),
				limit(100, 50, unknown, 30*s)),
		},
		{
			name:   "two names in separate fields with other numbers",
			header: two(append(trio("100", "50", "30"), "RateLimit-Name: core"), append(x("100", "40", "30"), "X-RateLimit-Name: core")),
			limits: limitList(
				named("core", limit(100, 50, unknown, 30*s)),
				named("X-RateLimit core", limit(100, 40, unknown, 30*s))),
		},
		{
			name: "the names of the family are taken too",
			header: []string{
				`RateLimit-Policy: "X-RateLimit";q=10;w=1`, `RateLimit: "X-RateLimit";r=4;t=9, "";r=1`,
				"X-RateLimit-Limit: 20;w=60", "X-RateLimit-Reset: 12",
			},
			limits: limitList(
				named("X-RateLimit", limit(10, 4, 60*s, 12*s)),
				limit(unknown, 1, unknown, unknown)),
			problems: []string{"X-RateLimit-Limit: reported twice, the stricter counts"},
		},
		{
			name:     "one name twice in RateLimit",
			header:   []string{`RateLimit: "a";r=5;t=30, "a";r=3;t=10, "a";r=4`},
			limits:   limitList(named("a", limit(unknown, 3, unknown, 30*s))),
			problems: []string{"RateLimit: reported twice, the stricter counts", "RateLimit: reported twice, the stricter counts"},
		},
		{
			name:   "one name twice in RateLimit with the same numbers",
			header: []string{`RateLimit: "a";r=5;t=30, "a";r=5;t=30`},
			limits: limitList(named("a", limit(unknown, 5, unknown, 30*s))),
		},
		{
			name:   "two names in RateLimit with the same numbers",
			header: []string{`RateLimit: "a";r=5;t=30, "b";r=5;t=30`},
			limits: limitList(named("a", limit(unknown, 5, unknown, 30*s)), named("b", limit(unknown, 5, unknown, 30*s))),
		},
		{
			name:   "two lists of policies",
			header: []string{"RateLimit-Limit: 10, 10;w=1, 300;w=60", "RateLimit-Remaining: 9", "X-RateLimit-Limit: 300, 10;w=1, 300;w=60", "X-RateLimit-Remaining: 200"},
			limits: limitList(named("10;w=1", limit(10, 9, s, unknown)), named("300;w=60", limit(300, 200, 60*s, unknown))),
		},
	})
}

// TestCrowded checks that a server cannot make a client keep an unbounded number of limits.
func TestCrowded(t *testing.T) {
	crowd := func(n int) validate.Reading {
		var items, policies []string
		for i := range n {
			items = append(items, fmt.Sprintf(`"p%d";r=1`, i))
			policies = append(policies, fmt.Sprintf(`"p%d";q=1;w=%d`, i, i+1))
		}
		m := msg(http.StatusOK, "RateLimit: "+strings.Join(items, ", "), "RateLimit-Policy: "+strings.Join(policies, ", "))
		return m.read(received, validate.Bounds{})
	}
	got := crowd(validate.MaxLimits)
	require.Len(t, got.Limits, validate.MaxLimits)
	require.Equal(t, named("p63", limit(1, 1, 64*s, unknown)), withoutDialects(got.Limits)[63])
	require.Empty(t, got.Problems)

	crowded := crowd(1000)
	require.Equal(t, got.Limits, withoutDialects(crowded.Limits))
	require.Equal(t, []string{
		"RateLimit: more than MaxLimits, the rest is ignored",
		"RateLimit-Policy: more than MaxLimits, the rest is ignored",
	}, problems(crowded))
}

// TestCrowdedNames checks the same for many fields with many policies each.
func TestCrowdedNames(t *testing.T) {
	crowd := func(n int) validate.Reading {
		return message{status: http.StatusOK, header: crowdOfNames(n)}.read(received, validate.Bounds{})
	}
	got := crowd(0)
	require.Len(t, got.Limits, parse.MaxNamed)
	require.Empty(t, got.Problems)

	crowded := crowd(validate.MaxLimits)
	require.LessOrEqual(t, len(crowded.Limits), 2*validate.MaxLimits)
	require.Equal(t, got.Limits[0], crowded.Limits[0])
	require.Len(t, crowded.Problems, 1)
	require.Equal(t, validate.Crowded, crowded.Problems[0].Reason)
}

// crowdOfNames returns MaxNamed limits with labels, of n policies each.
func crowdOfNames(n int) http.Header {
	h := http.Header{}
	for i := range parse.MaxNamed {
		label := strings.Repeat("-User", i%4) + strings.Repeat("-Ip", i/4%4) + strings.Repeat("-Key", i/16) + "-Tokens"
		var value strings.Builder
		value.WriteString("5")
		for j := range n {
			_, _ = fmt.Fprintf(&value, ", %d;w=%d", 10+i, 1+j)
		}
		h["X-Ratelimit-Limit"+label] = []string{value.String()}
	}
	return h
}

func TestNothingToRead(t *testing.T) {
	empty := validate.Reading{RetryAfter: validate.Unknown}
	require.Equal(t, empty, validate.Response(nil, received, validate.Bounds{}), "no response")
	require.Equal(t, empty, validate.Response(&http.Response{}, time.Time{}, validate.Bounds{}), "no header")
	require.Equal(t, empty, msg(http.StatusOK).read(time.Time{}, validate.Bounds{}), "no field")
}
