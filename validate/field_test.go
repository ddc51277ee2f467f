package validate_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/validate"
)

// readWith reads a response of the profiles' host with a profile that has the Fields.
func readWith(m message, aligned bool, fields ...validate.Field) validate.Reading {
	return m.atExample().under(validate.Profile{Host: "example.com", Aligned: aligned, Fields: fields})
}

func TestFields(t *testing.T) {
	used := validate.Field{Name: "X-Used", Holds: validate.HoldsUsed, Quota: 100, Window: time.Minute}
	percent := validate.Field{Name: "X-Load", Holds: validate.HoldsPercent, Policy: "load", Quota: 7}
	whole := []validate.Field{
		{Name: "A-Limit", Policy: "a", Holds: validate.HoldsLimit, Quota: 5, Window: time.Hour, Unit: "points"},
		{Name: "A-Left", Policy: "a", Holds: validate.HoldsRemaining},
		{Name: "A-Used", Policy: "a", Holds: validate.HoldsUsed},
		{Name: "A-Ends", Policy: "a", Holds: validate.HoldsReset, TimeUnit: time.Millisecond},
	}
	for _, test := range []struct {
		name   string
		fields []validate.Field
		lines  []string
		want   string // as render writes it
	}{
		{"absent", []validate.Field{used}, nil, ""},
		{"used", []validate.Field{used}, []string{"X-Used: 28"}, `limit "x-used" q=100 r=72 w=1m0s`},
		{"another case", []validate.Field{used}, []string{"x-USED: 28 "}, `limit "x-used" q=100 r=72 w=1m0s`},
		{"more than all", []validate.Field{used}, []string{"X-Used: 99999999999999999999999999"}, `limit "x-used" q=100 r=0 w=1m0s`},
		{"a fraction", []validate.Field{used}, []string{"X-Used: 27.5"}, `limit "x-used" q=100 r=72 w=1m0s`},
		{"negative", []validate.Field{used}, []string{"X-Used: -1"}, "problem X-Used: stands for no limit, ignored"},
		{"no number", []validate.Field{used}, []string{"X-Used: many"}, "problem X-Used: malformed"},
		{"not a number", []validate.Field{used}, []string{"X-Used: NaN"}, "problem X-Used: malformed"},
		{"used, without a quota", []validate.Field{{Name: "X-Used", Holds: validate.HoldsUsed}}, []string{"X-Used: 1"}, ""},
		{"an unknown kind", []validate.Field{{Name: "X-Used", Holds: "all", Quota: 9}}, []string{"X-Used: 1"}, ""},
		{"percent", []validate.Field{percent}, []string{"X-Load: 28"}, `limit "load" unit=percent q=100 r=72`},
		{"percent with its sign", []validate.Field{percent}, []string{"X-Load: 28%"}, `limit "load" unit=percent q=100 r=72`},
		{"all parts", whole, []string{"A-Limit: 60", "A-Left: 9", "A-Ends: 1500"}, `limit "a" unit=points q=60 r=9 w=1h0m0s t=1.5s`},
		{"a documented quota", whole, []string{"A-Used: 2"}, `limit "a" unit=points q=5 r=3 w=1h0m0s`},
		{"a negative quota", whole, []string{"A-Limit: -1", "A-Left: 5"}, "limit \"a\" unit=points q=5 r=5 w=1h0m0s\nproblem A-Limit: stands for no limit, ignored"},
		{"several lines", whole, []string{"A-Left: 7", "A-Left: 5", "A-Left: 6"}, `limit "a" unit=points q=5 r=5 w=1h0m0s`},
		{"a window of its own", []validate.Field{{Name: "A-Left", Policy: "a", Holds: validate.HoldsRemaining}, {Name: "A-Per", Policy: "a", Holds: validate.HoldsWindow}}, []string{"A-Left: 5", "A-Per: m"}, `limit "a" r=5 w=1m0s`},
		{"a reset too far away", whole, []string{"A-Left: 5", "A-Ends: 9000000000"}, "limit \"a\" unit=points q=5 r=5 w=1h0m0s t=768h0m0s\nproblem A-Ends: longer than MaxReset, clamped"},
		{
			"beside a usual limit",
			[]validate.Field{used},
			[]string{"X-Used: 28", "X-RateLimit-Limit: 9", "X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 3"},
			"limit \"\" q=9 r=5 t=3s\nlimit \"x-used\" q=100 r=72 w=1m0s",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := readWith(msg(http.StatusOK, test.lines...), false, test.fields...)
			require.Equal(t, test.want, render(&got))
		})
	}
}

// TestFieldsOfOwnForms checks that a Field adds to what headway reads by itself.
func TestFieldsOfOwnForms(t *testing.T) {
	for _, test := range []struct {
		name  string
		field validate.Field
		line  string
		want  string
	}{
		{"unit", validate.Field{Name: "X-RateLimit-Remaining", Unit: "points"}, "X-RateLimit-Remaining: 5", `limit "" unit=points r=5`},
		{"quota and window", validate.Field{Name: "x-ratelimit-remaining", Quota: 9, Window: time.Hour}, "X-RateLimit-Remaining: 5", `limit "" q=9 r=5 w=1h0m0s`},
		{"a quota that is sent", validate.Field{Name: "RateLimit-Policy", Quota: 9, Window: time.Hour}, `RateLimit-Policy: "a";q=7;w=60`, `limit "a" q=7 w=1m0s`},
		{"used", validate.Field{Name: "X-RateLimit-Used", Holds: validate.HoldsUsed, Quota: 9}, "X-RateLimit-Used: 5", `limit "x-ratelimit-used" q=9 r=4`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := readWith(msg(http.StatusOK, test.line), false, test.field)
			require.Equal(t, test.want, render(&got))
		})
	}
}

// TestFieldsThatHoldNothing checks that fields that lie are not read, in no spelling.
func TestFieldsThatHoldNothing(t *testing.T) {
	lies := []validate.Field{{Name: "x-ratelimit-limit", Holds: validate.HoldsNothing}, {Name: "Retry-After", Holds: validate.HoldsNothing}}
	m := msg(http.StatusTooManyRequests, "X-RateLimit-Limit: 9", "X-RateLimit-Remaining: 5", "Retry-After: 60").atExample()
	m.header["x-ratelimit-LIMIT"] = []string{"8"}
	before := m.header.Clone()
	got := readWith(m, false, lies...)
	require.Equal(t, "throttled\nlimit \"\" r=5", render(&got))
	require.Equal(t, before, m.header)

	lies = append(lies, validate.Field{Name: "X-RateLimit-Limit", Holds: validate.HoldsUsed, Quota: 100})
	delete(m.header, "x-ratelimit-LIMIT")
	got = readWith(m, false, lies...)
	require.Equal(t, "throttled\nlimit \"\" r=5\nlimit \"x-ratelimit-limit\" q=100 r=91", render(&got), "it holds something else")
}

// TestDocumentedLimits checks that the limits of a profile count where a response reports none.
func TestDocumentedLimits(t *testing.T) {
	p := validate.Profile{Host: "example.com", Limits: []validate.Limit{
		{Policy: "burst", Quota: 60, Window: time.Minute}, {Quota: 5000, Window: 24 * time.Hour, Unit: "points"}, {Quota: 7}, {Window: time.Second},
	}}
	const both = "limit \"burst\" q=60 w=1m0s\nlimit \"24h0m0s\" unit=points q=5000 w=24h0m0s"
	for _, test := range []struct {
		name   string
		status int
		lines  []string
		want   string
	}{
		{"nothing", http.StatusOK, nil, both},
		{"a refusal", http.StatusTooManyRequests, []string{"Retry-After: 5"}, "throttled\nretry-after 5s\n" + both},
		{"a limit", http.StatusOK, []string{"X-RateLimit-Remaining: 5"}, `limit "" r=5`},
		{"fields without a limit", http.StatusOK, []string{"X-RateLimit-Limit: -1"}, both + "\nproblem X-RateLimit-Limit: stands for no limit, ignored"},
		{"from a cache", http.StatusOK, []string{"Age: 5"}, "cached"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := msg(test.status, test.lines...).atExample().under(p)
			require.Equal(t, test.want, render(&got))
		})
	}
	p.Aligned = true
	got := msg(http.StatusOK, "Date: Wed, 04 Mar 2026 12:00:10 GMT").atExample().under(p)
	require.Equal(t, 50*time.Second, got.Limits[0].Reset)
	got = msg(http.StatusOK).from("https://example.org/").under(p)
	require.True(t, got.IsSilent(), "another host")
	p.Limits = []validate.Limit{{Quota: 1 << 60, Window: time.Hour}}
	got = msg(http.StatusOK).atExample().under(p)
	require.Equal(t, []string{"Profile.Limits: more than MaxQuota, clamped", "Profile.Limits: faster than MaxRate, clamped"}, problems(got))
	p.Limits = make([]validate.Limit, 500)
	for i := range p.Limits {
		p.Limits[i] = validate.Limit{Quota: 1, Window: time.Duration(i+1) * time.Second}
	}
	require.Len(t, msg(http.StatusOK).atExample().under(p).Limits, validate.MaxLimits)
}

// TestFieldsAreRefusals checks that a limit that is used up refuses by a 403, as any other.
func TestFieldsAreRefusals(t *testing.T) {
	got := readWith(msg(http.StatusForbidden, "X-Used: 9"), true, validate.Field{Name: "X-Used", Holds: validate.HoldsUsed, Quota: 9, Window: time.Minute})
	require.True(t, got.Verdict.IsRefusal())
	require.Equal(t, time.Minute, got.Limits[0].Reset, "aligned")
	got = readWith(msg(http.StatusOK, "X-Used: 9", "Age: 5"), true, validate.Field{Name: "X-Used", Holds: validate.HoldsUsed, Quota: 9})
	require.Empty(t, got.Limits, "from a cache")
}

// TestFieldsAreBounded checks that neither a server nor a profile makes more limits than others can.
func TestFieldsAreBounded(t *testing.T) {
	fields := make([]validate.Field, 500)
	lines := make([]string, len(fields))
	for i := range fields {
		fields[i] = validate.Field{Name: "X-" + strings.Repeat("a", i+1), Holds: validate.HoldsUsed, Quota: 1 << 60}
		lines[i] = fields[i].Name + ": 1"
	}
	got := readWith(msg(http.StatusOK, lines...), false, fields...)
	require.Len(t, got.Limits, validate.MaxLimits)
	require.Equal(t, int64(validate.DefaultMaxQuota), got.Limits[0].Quota)
	got = readWith(msg(http.StatusOK, append(lines, "X-RateLimit-Remaining: 5")...), false, fields...)
	require.Len(t, got.Limits, 1+validate.MaxLimits, "beside that of another family")
}
