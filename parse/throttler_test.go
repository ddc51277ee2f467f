package parse_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/parse"
)

// TestOperatorNames checks that a name that an operator chose is a limit's if two parts have it, or one
// part and a Retry-After.
func TestOperatorNames(t *testing.T) {
	testFields(t, []fieldsRow{
		{
			"NestJS's",
			[]string{"X-RateLimit-Limit-short: 3", "X-RateLimit-Remaining-short: 2", "X-RateLimit-Reset-short: 1", "X-RateLimit-Limit-long: 100", "X-RateLimit-Remaining-long: 99", "X-RateLimit-Reset-long: 60"},
			[]string{`other "long" q=100 r=99 t=1m0s`, `other "short" q=3 r=2 t=1s`},
		},
		{"the other families", []string{"RateLimit-Limit-a: 3", "RateLimit-Remaining-a: 2", "X-Rate-Limit-Limit-b: 3", "X-Rate-Limit-Reset-b: 2"}, []string{`other "a" q=3 r=2`, `other "b" q=3 t=2s`}},
		{"what remains, and when there is more", []string{"X-RateLimit-Remaining-burst: 2", "X-RateLimit-Reset-burst: 1"}, []string{`other "burst" r=2 t=1s`}},
		{"hyphens, digits and underscores", []string{"X-RateLimit-Limit-per_ip-v2: 3", "X-RateLimit-Remaining-per_ip-v2: 2"}, []string{`other "per_ip-v2" q=3 r=2`}},
		{"beside the plain names", []string{"X-RateLimit-Limit: 9", "X-RateLimit-Limit-short: 3", "X-RateLimit-Remaining-short: 2"}, []string{"X-RateLimit q=9", `other "short" q=3 r=2`}},
		{"a limit and its wait", []string{"X-RateLimit-Limit-short: 3", "Retry-After-short: 7"}, []string{`other "short" q=3`, `wait "short" 7s`}},
		{"a word for a unit", []string{"X-RateLimit-Limit-gold-tokens: 300", "X-RateLimit-Remaining-gold-tokens: 200"}, []string{`other "gold-tokens" unit=tokens q=300 r=200`}},
		{"a word for a window, and a reset", []string{"X-RateLimit-Limit-gold-minute: 3", "X-RateLimit-Remaining-gold-minute: 2", "X-RateLimit-Reset-gold-minute: 9"}, []string{`other "gold-minute" q=3 r=2 w=1m0s t=9s`}},
		{"the name before the part", []string{"X-RateLimit-Burst-Limit: 3", "X-RateLimit-Burst-Remaining: 2"}, []string{`other "burst" q=3 r=2`}},
		{"before and after", []string{"X-RateLimit-Domain-Limit: 3", "X-RateLimit-Remaining-Domain: 2"}, []string{`other "domain" q=3 r=2`}},
		{"what is used", []string{"X-RateLimit-Limit-tool: 3", "X-RateLimit-tool-Used: 2"}, []string{`other "tool" q=3 used=2`}},
		{"a delay", []string{"X-RateLimit-tool-Remaining: 3", "X-RateLimit-tool-Reset-In: 2"}, []string{`other "tool" r=3 after=2s`}},
		{
			"one malformed",
			[]string{"X-RateLimit-Limit-short: 3", "X-RateLimit-Remaining-short: few"},
			[]string{`other "short" q=3`, "problem X-RateLimit-Remaining-Short at 0: not a number"},
		},
	})
}

// TestNoOperatorNames checks that fields that may be anything else are ignored.
func TestNoOperatorNames(t *testing.T) {
	testFields(t, []fieldsRow{
		{"a limit alone", []string{"X-RateLimit-Limit-short: 3"}, nil},
		{"what remains alone", []string{"X-RateLimit-Remaining-short: 3"}, nil},
		{"a reset alone", []string{"X-RateLimit-Reset-short: 3"}, nil},
		{"one part of each of two", []string{"X-RateLimit-Limit-short: 3", "X-RateLimit-Remaining-long: 3", "X-Rate-Limit-Remaining-short: 3"}, nil},
		{"one malformed part", []string{"X-RateLimit-Limit-short: few"}, nil},
		{"a reset and a wait", []string{"X-RateLimit-Reset-short: 3", "Retry-After-short: 7"}, []string{`wait "short" 7s`}},
		{"forms of one number", []string{"X-RateLimit-Reset-Epoch: 3", "X-RateLimit-Limit-Epoch: 3", "X-RateLimit-Limit-Type: 3", "X-RateLimit-Remaining-Type: 3"}, nil},
		{"the name before the part, alone", []string{"X-RateLimit-short-Limit: 3", "X-RateLimit-long-Remaining: 2"}, nil},
		{"other parts", []string{"X-RateLimit-Used-short: 3", "X-RateLimit-Max-short: 3", "X-RateLimit-Window-short: 3"}, nil},
		{"other families", []string{"Anthropic-RateLimit-Limit-short: 3", "Anthropic-RateLimit-Remaining-short: 3"}, nil},
		{"Kong's windows", []string{"X-RateLimit-Limit-30: 3", "X-RateLimit-Remaining-30: 3"}, nil},
		{"Kong's units", []string{"X-RateLimit-Limit-Videos-Minute: 3", "X-RateLimit-Remaining-Videos-Minute: 3"}, nil},
		{"no name", []string{"X-RateLimit-Limit-: 3", "X-RateLimit-Remaining-: 3", "X-RateLimit-Limit--a: 3", "X-RateLimit-Remaining--a: 3"}, nil},
		{"other characters", []string{"X-RateLimit-Limit-a.b: 3", "X-RateLimit-Remaining-a.b: 3", "X-RateLimit-Limit-\u212a: 3", "X-RateLimit-Remaining-\u212a: 3"}, nil},
	})
}

// TestNamedWaits checks that Retry-After-<name> is read with and without a limit of that name.
func TestNamedWaits(t *testing.T) {
	testFields(t, []fieldsRow{
		{"one", []string{"Retry-After-short: 1"}, []string{`wait "short" 1s`}},
		{"several, sorted", []string{"Retry-After-short: 1", "Retry-After-long: 0.5", "Retry-After: 3"}, []string{"retry-after 3s", `wait "long" 500ms`, `wait "short" 1s`}},
		{"a date", []string{"Retry-After-rate_limit: Tue, 14 Mar 2017 16:16:00 GMT"}, []string{`wait "rate_limit" 2017-03-14T16:16:00Z`}},
		{"two lines", []string{"Retry-After-short: 1", "Retry-After-short: 2"}, []string{`wait "short" 2s`, "problem Retry-After-Short at 3: values contradict each other"}},
		{"a known word", []string{"Retry-After-minute: 9"}, []string{`wait "minute" 9s`}},
		{"malformed", []string{"Retry-After-short: soon"}, []string{"problem Retry-After-Short at 0: not a time"}},
		{"forms of one time", []string{"Retry-After-Seconds: 7", "Retry-After-Date: 7", "Retry-After-Epoch: 7", "Retry-After-Unix: 7", "Retry-After-Reason: 7", "Retry-After-Minutes: 7"}, nil},
		{"other names", []string{"Retry-After-: 7", "Retry-After--a: 7", "Retry-After-7: 7", "Retry-After-a.b: 7", "X-Retry-After-a: 7", "Retry-Aftera: 7"}, nil},
	})
}

// TestLongestOperatorName checks the maximum length of an operator's name.
func TestLongestOperatorName(t *testing.T) {
	const longest = 40
	for _, prefix := range []string{"X-Rate-Limit-", "X-RateLimit-", "RateLimit-"} {
		read := func(name string) parse.Fields {
			return parse.Header(http.Header{prefix + "Limit-" + name: {"3"}, prefix + "Remaining-" + name: {"2"}, "Retry-After-" + name: {"1"}})
		}
		name := strings.Repeat("a", longest)
		f := read(name)
		require.Len(t, named(&f), 1)
		require.Equal(t, name, named(&f)[0].Label)
		require.Len(t, f.Waits, 1)
		require.Zero(t, read(name+"a"))
	}
}

// TestManyOperatorNames checks the maximum number of limits and waits with an operator's name.
func TestManyOperatorNames(t *testing.T) {
	h := http.Header{}
	for i := range 10 * parse.MaxNamed {
		h[fmt.Sprintf("X-Ratelimit-Limit-T%03d", i)] = []string{"3"}
		h[fmt.Sprintf("X-Ratelimit-Reset-T%03d", i)] = []string{"2"}
		h[fmt.Sprintf("Retry-After-T%03d", i)] = []string{"1"}
	}
	f := parse.Header(h)
	require.Len(t, named(&f), parse.MaxNamed)
	require.Len(t, f.Waits, parse.MaxNamed)
	require.Equal(t, "t000", named(&f)[0].Label)
	require.Equal(t, "t000", f.Waits[0].Label)
	require.Len(t, f.Problems, 1)
	require.ErrorIs(t, f.Problems[0], parse.ErrTooMany)
	require.Equal(t, "Retry-After-T064", f.Problems[0].Field)
}
