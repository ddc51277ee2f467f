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
	objects := validate.Field{
		Name: "X-Use", Holds: validate.HoldsPercent, Policy: "use", Window: time.Hour,
		Members: []string{"calls", "time"}, Wait: "wait", TimeUnit: time.Minute,
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
		{"all used", []validate.Field{used}, []string{"X-Used: 100"}, `limit "x-used" q=100 r=0 w=1m0s`},
		{"more than all", []validate.Field{used}, []string{"X-Used: 99999999999999999999999999"}, `limit "x-used" q=100 r=0 w=1m0s`},
		{"a fraction", []validate.Field{used}, []string{"X-Used: 27.5"}, `limit "x-used" q=100 r=72 w=1m0s`},
		{"negative", []validate.Field{used}, []string{"X-Used: -1"}, "problem X-Used: stands for no limit, ignored"},
		{"no number", []validate.Field{used}, []string{"X-Used: many"}, "problem X-Used: malformed"},
		{"infinite", []validate.Field{used}, []string{"X-Used: Inf"}, "problem X-Used: malformed"},
		{"an exponent", []validate.Field{used}, []string{"X-Used: 1e9"}, "problem X-Used: malformed"},
		{"two points", []validate.Field{used}, []string{"X-Used: 1.2.3"}, "problem X-Used: malformed"},
		{"long", []validate.Field{used}, []string{"X-Used: " + strings.Repeat("1", 99)}, "problem X-Used: malformed"},
		{"used, without a quota", []validate.Field{{Name: "X-Used", Holds: validate.HoldsUsed}}, []string{"X-Used: 1"}, ""},
		{"no name", []validate.Field{{Holds: validate.HoldsUsed, Quota: 9}}, []string{": 1"}, ""},
		{"an unknown kind", []validate.Field{{Name: "X-Used", Holds: "all", Quota: 9}}, []string{"X-Used: 1"}, ""},
		{"percent", []validate.Field{percent}, []string{"X-Load: 28"}, `limit "load" unit=percent q=100 r=72`},
		{"percent with its sign", []validate.Field{percent}, []string{"X-Load: 28%"}, `limit "load" unit=percent q=100 r=72`},
		{"all parts", whole, []string{"A-Limit: 60", "A-Left: 9", "A-Ends: 1500"}, `limit "a" unit=points q=60 r=9 w=1h0m0s t=1.5s`},
		{"a documented quota", whole, []string{"A-Used: 2"}, `limit "a" unit=points q=5 r=3 w=1h0m0s`},
		{"a sent quota", whole, []string{"A-Used: 2", "A-Limit: 60"}, `limit "a" unit=points q=60 r=58 w=1h0m0s`},
		{"a reset alone", whole, []string{"A-Ends: 1"}, `limit "a" unit=points q=5 w=1h0m0s t=1ms`},
		{"a quota alone", whole, []string{"A-Limit: 60"}, ""},
		{"an object", []validate.Field{objects}, []string{`X-Use: {"calls":28,"time":30.5,"wait":0}`}, `limit "use" unit=percent q=100 r=69 w=1h0m0s`},
		{"a wait", []validate.Field{objects}, []string{`X-Use: {"calls":28,"wait":19}`}, `limit "use" unit=percent q=100 r=0 w=1h0m0s t=19m0s`},
		{"a wait that is longer than the window", []validate.Field{objects}, []string{`X-Use: {"calls":28,"wait":190}`}, `limit "use" unit=percent q=100 r=0 w=3h10m0s t=3h10m0s`},
		{
			"objects in objects",
			[]validate.Field{objects},
			[]string{`X-Use: {"1":[{"type":"a","calls":1},{"type":"b","time":2}],"0":{"calls":3}}`},
			"limit \"use 0\" unit=percent q=100 r=97 w=1h0m0s\nlimit \"use 1 a\" unit=percent q=100 r=99 w=1h0m0s\nlimit \"use 1 b\" unit=percent q=100 r=98 w=1h0m0s",
		},
		{"names with line breaks", []validate.Field{objects}, []string{`X-Use: {"\n":{"type":"\u0000","calls":1}}`}, `limit "use" unit=percent q=100 r=99 w=1h0m0s`},
		{"members of other types", []validate.Field{objects}, []string{`X-Use: {"calls":"1","time":null}`}, ""},
		{"negative members", []validate.Field{objects}, []string{`X-Use: {"calls":-1}`}, ""},
		{"no object", []validate.Field{objects}, []string{"X-Use: 28"}, ""},
		{"no JSON", []validate.Field{objects}, []string{`X-Use: {"calls"`}, "problem X-Use: malformed"},
		{"long JSON", []validate.Field{objects}, []string{`X-Use: "` + strings.Repeat("a", 20_000) + `"`}, "problem X-Use: malformed"},
		{"deep JSON", []validate.Field{objects}, []string{`X-Use: ` + strings.Repeat("[", 100) + `{"calls":1}` + strings.Repeat("]", 100)}, ""},
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
		{"another field", validate.Field{Name: "X-RateLimit-Rest", Unit: "points"}, "X-RateLimit-Remaining: 5", `limit "" r=5`},
		{"used", validate.Field{Name: "X-RateLimit-Used", Holds: validate.HoldsUsed, Quota: 9}, "X-RateLimit-Used: 5", `limit "x-ratelimit-used" q=9 r=4`},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := readWith(msg(http.StatusOK, test.line), false, test.field)
			require.Equal(t, test.want, render(&got))
		})
	}
}

// TestFieldsAreRefusals checks that a limit that is used up refuses by a 403, as any other.
func TestFieldsAreRefusals(t *testing.T) {
	got := readWith(msg(http.StatusForbidden, "X-Used: 9"), true, validate.Field{Name: "X-Used", Holds: validate.HoldsUsed, Quota: 9, Window: time.Minute})
	require.True(t, got.Throttled)
	require.Equal(t, time.Minute, got.Limits[0].Reset, "aligned")
	got = readWith(msg(http.StatusOK, "X-Used: 9", "Age: 5"), true, validate.Field{Name: "X-Used", Holds: validate.HoldsUsed, Quota: 9})
	require.Empty(t, got.Limits, "from a cache")
}

// TestFieldsAreBounded checks that neither a server nor a profile makes more limits than others can.
func TestFieldsAreBounded(t *testing.T) {
	var text strings.Builder
	text.WriteString("X-Use: [")
	for i := range 500 {
		text.WriteString(strings.Repeat(",", min(i, 1)) + `{"type":"` + strings.Repeat("a", i%20) + string(rune('a'+i%26)) + `","calls":1}`)
	}
	text.WriteString("]")
	got := readWith(msg(http.StatusOK, text.String()), false, validate.Field{Name: "X-Use", Holds: validate.HoldsPercent, Members: []string{"calls"}})
	require.Len(t, got.Limits, validate.MaxLimits)
	fields := make([]validate.Field, 500)
	lines := make([]string, len(fields))
	for i := range fields {
		fields[i] = validate.Field{Name: "X-" + strings.Repeat("a", i+1), Holds: validate.HoldsUsed, Quota: 1 << 60}
		lines[i] = fields[i].Name + ": 1"
	}
	got = readWith(msg(http.StatusOK, lines...), false, fields...)
	require.Len(t, got.Limits, validate.MaxLimits)
	require.Equal(t, int64(validate.DefaultMaxQuota), got.Limits[0].Quota)
}

// TestHostsWithFields checks that hosts are found in every spelling, though most hosts are not looked up.
func TestHostsWithFields(t *testing.T) {
	for url, want := range map[string]int{
		"https://api.binance.com/a": 1, "https://API.BINANCE.COM:8443/a": 1, "https://binance.com./a": 1,
		"https://api.binance.com.:443/a": 1, "https://binance.com.evil.example/a": 0, "https://notbinance.com/a": 0,
		"https://binance/a": 0, "https://[::1]/a": 0, "https://localhost/a": 0, "https://a.b/a": 0, "/a": 0,
	} {
		got := msg(http.StatusOK, "X-MBX-USED-WEIGHT-1M: 1").from(url).read(received, validate.Bounds{})
		require.Len(t, got.Limits, want, url)
	}
}
