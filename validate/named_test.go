package validate_test

import (
	"testing"

	"github.com/headway-go/headway/limits"
)

func TestNamed(t *testing.T) {
	tokens := func(l limits.Reported) limits.Reported { return named("tokens", withUnit("tokens", l)) }
	run(t, []row{
		{
			name:   "policies in the limit's own field",
			header: []string{"X-RateLimit-Limit-Tokens: 100, 100;w=60", "X-RateLimit-Remaining-Tokens: 5"},
			limits: limitList(tokens(limit(100, 5, 60*s, unknown))),
		},
		{
			name:   "a policy that no numbers belong to",
			header: []string{"X-RateLimit-Limit-Tokens: 100, 1000;w=3600", "X-RateLimit-Remaining-Tokens: 5"},
			limits: limitList(tokens(limit(100, 5, unknown, unknown)), withUnit("tokens", limit(1000, unknown, 3600*s, unknown))),
		},
		{
			name:   "shared policies are others'",
			header: []string{"RateLimit-Policy: 100;w=60", "X-RateLimit-Limit-Tokens: 100"},
			limits: limitList(tokens(limit(100, unknown, unknown, unknown)), limit(100, unknown, 60*s, unknown)),
		},
		{
			name:   "a quota as a label, with a reset",
			header: []string{"X-User-Quota-Limit: 15", "X-User-Quota-Remaining: 3", "X-User-Quota-Reset-After: 5"},
			limits: limitList(named("user-quota", limit(15, 3, unknown, 5*s))),
		},
		{
			name:   "a quota of a day",
			header: []string{"X-Daily-Quota-Limit: 15", "X-Daily-Quota-Remaining: 3"},
			limits: limitList(named("daily-quota", limit(15, 3, 86400*s, unknown))),
		},
	})
}
