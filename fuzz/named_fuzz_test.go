package fuzz

import (
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// FuzzNamed reads any value under every known name, and under two names together.
func FuzzNamed(f *testing.F) {
	names := namesOfFields(f)
	values := []string{
		"5", "600,30000", "1m0.5s", "-1", "100, 100;w=60", "0", "18/50", "core",
	}
	for i, name := range names {
		f.Add(uint(i), uint(i+1), values[i%len(values)])
		if slices.Contains(rareNames(), name) {
			for _, value := range values {
				f.Add(uint(i), uint(i+1), value)
			}
		}
	}
	f.Fuzz(func(t *testing.T, first, second uint, value string) {
		name, other := names[first%uint(len(names))], names[second%uint(len(names))]
		lines := strings.Split(value, "\n")
		alone := http.Header{name: lines}
		got := parse.Header(alone)
		checkFields(t, alone, got)
		require.LessOrEqual(t, len(got.Problems), 1)
		checkCase(t, alone)
		checkDigits(t, got, lines)

		both := http.Header{name: lines, other: lines}
		got = parse.Header(both)
		checkFields(t, both, got)
		checkCase(t, both)
		checkDropped(t, both, got)
	})
}

// namesOfFields returns the names in the corpus, all parts in some families, with and without labels, and
// rare names. They are spelled as net/http spells them.
func namesOfFields(f *testing.F) []string {
	f.Helper()
	all := map[string]bool{}
	add := func(name string) { all[http.CanonicalHeaderKey(name)] = true }
	for _, response := range responses(f) {
		for name := range header(response) {
			add(name)
		}
	}
	for _, family := range []string{"RateLimit", "X-RateLimit", "X-Rate-Limit", "Anthropic-RateLimit", "X-Discogs-RateLimit"} {
		for _, part := range []string{
			"Limit", "Max", "Burst-Capacity", "Remaining", "Used", "Usage", "Observed", "Reset", "ResetTime", "Reset-After", "Next",
			"Period", "Interval", "Duration", "Window-Size", "Interval-Seconds", "Interval-Ms", "FillRate", "Replenish-Rate",
		} {
			add(family + "-" + part)
			add(family + "-" + part + "-Input-Tokens")
			add(family + "-Minute-" + part)
		}
		for _, part := range []string{"Bucket", "Resource", "Name", "Policy", "Rule", "Scope", "Global"} {
			add(family + "-" + part)
		}
	}
	for _, name := range rareNames() {
		add(name)
	}
	return slices.Sorted(maps.Keys(all))
}

// rareNames returns names that have parsers of their own.
func rareNames() []string {
	return []string{
		"X-Retry-In", "X-Ratelimit-Retry-After-Seconds", "X-Rate-Limit-Retry-After", "X-Quota-Reset",
		"X-Ratelimit-Endpoint-Name", "Requestlimit-Write-Retryafter", "Akamai-Sync-Ratelimit-Limit",
		"Retry-After-Burst", "X-RateLimit-Limit-Burst", "X-RateLimit-Remaining-Burst", "X-RateLimit-Reset-Burst",
	}
}

// checkDigits checks that no number is read if no line has a digit. A time may be the name of a window, such as minute.
func checkDigits(t *testing.T, f parse.Fields, lines []string) {
	t.Helper()
	if slices.ContainsFunc(lines, func(line string) bool { return strings.ContainsAny(line, "0123456789") }) {
		return
	}
	for _, c := range f.Rows {
		require.False(t, c.HasRemaining, "%+v", c)
		require.True(t, c.Limit == parse.Unknown && c.Used == parse.Unknown && !c.Unlimited, "%+v", c)
		require.NotContains(t, [...]parse.Form{c.Reset.Form, c.ResetAfter.Form}, parse.Date)
	}
	require.Empty(t, rowsOf(&f, limits.DialectRateLimit, limits.DialectDraft07, limits.DialectPolicy))
	for _, w := range f.Waits {
		require.Equal(t, parse.Delay, w.When.Form)
	}
}
