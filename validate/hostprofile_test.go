package validate_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
)

// atExample returns m as the response to a request of the profiles' host.
func (m message) atExample() message { return m.from("https://api.example.com/things") }

func TestAligned(t *testing.T) {
	const quarter, day, never = 900 * s, 86400 * s, unknown
	at := func(hour, minute, second int) time.Time {
		return time.Date(2026, time.March, 4, hour, minute, second, 0, time.UTC)
	}
	in := func(date time.Time) string { return "Date: " + date.Format(http.TimeFormat) }
	for _, c := range []struct {
		name     string
		windows  []time.Duration
		lines    []string // in addition to a limit
		received time.Time
		want     time.Duration
	}{
		{"Date", []time.Duration{quarter}, []string{in(at(12, 5, 0))}, time.Time{}, 600 * s},
		{"Date and an Age that does not count", []time.Duration{quarter}, []string{in(at(12, 5, 0)), "Age: 0"}, time.Time{}, 600 * s},
		{"no Date", []time.Duration{quarter}, nil, at(12, 44, 0), 60 * s},
		{"neither", []time.Duration{quarter}, nil, time.Time{}, never},
		{"a local clock with a zone", []time.Duration{day}, nil, at(12, 0, 0).In(time.FixedZone("", -5*3600)), 43200 * s},
		{"parts of a second", []time.Duration{quarter}, nil, at(12, 14, 59).Add(s / 4), 3 * s / 4},
		{"at the end", []time.Duration{quarter}, []string{in(at(12, 15, 0))}, time.Time{}, quarter},
		{"a week, from Monday", []time.Duration{7 * day}, []string{in(at(12, 0, 0))}, time.Time{}, 4*day + day/2},
		{"a window of another limit", []time.Duration{0, quarter}, []string{in(at(12, 5, 0))}, time.Time{}, never},
		{"a reported reset", []time.Duration{quarter}, []string{in(at(12, 5, 0)), "X-RateLimit-Reset: 7"}, time.Time{}, 7 * s},
		{"a reported window", []time.Duration{quarter}, []string{in(at(12, 5, 0)), "X-RateLimit-Period: 60"}, time.Time{}, never},
	} {
		t.Run(c.name, func(t *testing.T) {
			resp := msg(200, append([]string{"X-RateLimit-Limit: 600", "X-RateLimit-Remaining: 5"}, c.lines...)...).atExample().response()
			got := validate.Response(resp, c.received, validate.Bounds{}, validate.Profile{Host: "example.com", Windows: c.windows, Aligned: true})
			require.Len(t, got.Limits, 1)
			require.Equal(t, c.want, got.Limits[0].Reset)
			require.Empty(t, got.Problems)
		})
	}
}

func TestStatuses(t *testing.T) {
	p := validate.Profile{Host: "example.com", Statuses: []int{400, 418, 200, 302, 500}}
	for _, c := range []struct {
		name   string
		status int
		header []string
		want   bool
	}{
		{"one of them", 418, nil, true},
		{"not one of them", 420, nil, false},
		{"429 anyway", 429, nil, true},
		{"503 anyway", 503, []string{"Retry-After: 1"}, true},
		{"403 without proof", 403, nil, false},
		{"a success is never one", 200, nil, false},
		{"quota is left", 418, []string{"X-RateLimit-Remaining: 5"}, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, msg(c.status, c.header...).atExample().under(p).Verdict.IsRefusal())
			if c.status == 400 || c.status == 418 {
				require.False(t, msg(c.status, c.header...).from("https://api.example.org/").under(p).Verdict.IsRefusal(), "another host's")
			}
		})
	}
	t.Run("numbers are read as a refusal's", func(t *testing.T) {
		got := msg(418, "X-RateLimit-Limit: 10", "X-RateLimit-Remaining: -1", "X-RateLimit-Reset: 30").atExample().under(p)
		require.Equal(t, limitList(limit(10, 0, unknown, 30*s)), withoutDialects(got.Limits))
		require.Empty(t, got.Problems)
	})
}

func TestProofs(t *testing.T) {
	proofs := []validate.Sign{{Statuses: []int{403}, Text: "too fast"}, {Statuses: []int{400}, Text: "LIMITED"}, {Statuses: []int{403}, Text: "too many"}, {Statuses: []int{200}, Text: "too fast"}, {Statuses: []int{409}}}
	p := validate.Profile{Host: "example.com", Signs: proofs}
	left := []string{"X-RateLimit-Limit: 10", "X-RateLimit-Remaining: 3"}
	usedUp := []string{"X-RateLimit-Limit: 10", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 30"}
	for _, c := range []struct {
		name     string
		status   int
		header   []string
		body     string
		before   bool // a refusal before the body is read
		unproven bool // the body is wanted
		after    bool
	}{
		{name: "the text", status: 403, body: `{"message":"too fast"}`, unproven: true, after: true},
		{name: "another text of that status", status: 403, body: "too many", unproven: true, after: true},
		{name: "quota is left", status: 403, header: left, body: "too fast", unproven: true, after: true},
		{name: "another status and its text", status: 400, body: "LIMITED", unproven: true, after: true},
		{name: "another case", status: 403, body: "Too Fast", unproven: true},
		{name: "no body", status: 403, unproven: true},
		{name: "a status without one", status: 404, body: "too fast"},
		{name: "an empty text", status: 409, body: "anything"},
		{name: "nothing remains", status: 403, header: usedUp, body: "no", before: true, unproven: true, after: true},
		{name: "nothing remains, a status that is mostly another's", status: 400, header: usedUp, body: "no", before: true, unproven: true, after: true},
		{name: "refused anyway", status: 429, body: "no", before: true, after: true},
		{name: "refused anyway by a wait", status: 403, header: []string{"Retry-After: 5"}, body: "no", before: true, unproven: true, after: true},
		{name: "a wait of 0 is no proof", status: 403, header: []string{"Retry-After: 0"}, body: "too fast", unproven: true, after: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := msg(c.status, c.header...).atExample().under(p)
			require.Equal(t, c.before, got.Verdict.IsRefusal())
			require.Equal(t, c.unproven, got.WantsBody)
			got.ReadBody([]byte(c.body))
			require.Equal(t, c.after, got.Verdict.IsRefusal())
			require.False(t, got.WantsBody)
		})
	}
}

func TestMinWait(t *testing.T) {
	p := validate.Profile{
		Host: "example.com", MinWait: 20 * s, Statuses: []int{418}, Signs: []validate.Sign{{Statuses: []int{403}, Text: "slow"}}, PolicyField: "X-Which",
	}
	const refused, proven, neither = "refused", "proven", "neither"
	for _, c := range []struct {
		name     string
		status   int
		header   []string
		evidence string
		want     time.Duration
	}{
		{"no wait is reported", 429, nil, refused, 20 * s},
		{"quota is left, and a reset", 429, []string{"X-RateLimit-Remaining: 5", "X-RateLimit-Reset: 3000"}, refused, 20 * s},
		{"by a status of the profile", 418, nil, refused, 20 * s},
		{"by the body", 403, nil, proven, 20 * s},
		{"a policy is named", 429, []string{"X-Which: burst"}, refused, 20 * s},
		{"blank Retry-After", 429, []string{"Retry-After:"}, refused, 20 * s},
		{"malformed Retry-After", 429, []string{"Retry-After: soon"}, refused, 20 * s},

		{"Retry-After", 429, []string{"Retry-After: 5"}, refused, 5 * s},
		{"Retry-After 0", 429, []string{"Retry-After: 0"}, refused, 0},
		{"a limit is used up", 429, []string{"X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 7"}, refused, unknown},
		{"one of two is", 429, []string{"X-RateLimit-Remaining-Minute: 0", "X-RateLimit-Remaining-Hour: 5"}, refused, unknown},

		{"not refused", 200, []string{"X-RateLimit-Remaining: 5"}, neither, unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := msg(c.status, c.header...).atExample().under(p)
			require.Equal(t, c.evidence == refused, got.Verdict.IsRefusal())
			got.ReadBody([]byte("slow"))
			require.Equal(t, c.evidence != neither, got.Verdict.IsRefusal())
			require.Equal(t, c.want, got.RetryAfter)
			negative := p
			negative.MinWait = -s
			if c.want == p.MinWait {
				got = msg(c.status, c.header...).atExample().under(negative)
				got.ReadBody([]byte("slow"))
				require.Equal(t, time.Duration(unknown), got.RetryAfter, "a negative one is none")
			}
		})
	}
}

func TestPolicyField(t *testing.T) {
	p := validate.Profile{Host: "example.com", PolicyField: "X-Which", Signs: []validate.Sign{{Statuses: []int{403}, Text: "slow"}}}
	nothingLeft := limit(unknown, 0, unknown, unknown)
	burst := named("burst", nothingLeft)
	wait := func(l limits.Reported, d time.Duration) limits.Reported {
		l.Reset = d
		return l
	}
	for _, c := range []struct {
		name   string
		status int // 0: 429
		header []string
		want   []limits.Reported
	}{
		{name: "a limit more", header: []string{"X-Which: burst"}, want: limitList(burst)},
		{name: "with the time to wait", header: []string{"X-Which: burst", "Retry-After: 5"}, want: limitList(wait(burst, 5*s))},
		{name: "space around it", header: []string{"X-Which: \t burst \t"}, want: limitList(burst)},
		{name: "the first of two", header: []string{"X-Which: burst", "X-Which: other"}, want: limitList(burst)},
		{name: "by the body", status: 403, header: []string{"X-Which: burst"}, want: limitList(burst)},
		{
			name: "the one that is used up", header: []string{"X-Which: burst", "X-RateLimit-Limit: 10", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 9", "Retry-After: 5"},
			want: limitList(named("burst", limit(10, 0, unknown, 9*s))),
		},
		{
			name: "one that is not used up", header: []string{"X-Which: burst", "X-RateLimit-Limit: 10", "X-RateLimit-Remaining: 4"},
			want: limitList(limit(10, 4, unknown, unknown), burst),
		},
		{
			name: "one that may be", header: []string{"X-Which: burst", "X-RateLimit-Limit: 10"},
			want: limitList(limit(10, unknown, unknown, unknown), burst),
		},
		{
			name: "one that has a name", header: []string{"X-Which: burst", "X-RateLimit-Remaining: 0", "X-RateLimit-Resource: core"},
			want: limitList(named("core", nothingLeft), burst),
		},
		{
			name: "one of that name", header: []string{"X-Which: burst", "X-RateLimit-Remaining: 4", "X-RateLimit-Resource: burst"},
			want: limitList(named("burst", limit(unknown, 4, unknown, unknown))),
		},
		{
			name: "one of that name with a partition key", header: []string{"X-Which: burst", `RateLimit: "burst";r=4;t=9;pk=:YQ==:`},
			want: limitList(named("burst", withKey("YQ==", limit(unknown, 4, unknown, 9*s))), burst),
		},
		{name: "not sent", header: nil},
		{name: "blank", header: []string{"X-Which: \t "}},
		{name: "as long as names may be", header: []string{"X-Which: " + strings.Repeat("a", parse.MaxText)}, want: limitList(named(limits.ShortName(strings.Repeat("a", parse.MaxText)), nothingLeft))},
		{name: "too long", header: []string{"X-Which: " + strings.Repeat("a", parse.MaxText+1)}},
		{name: "control characters", header: []string{"X-Which: bu\x1brst"}},
		{name: "not refused, a limit is used up", status: 200, header: []string{"X-Which: burst", "X-RateLimit-Remaining: 0"}, want: limitList(nothingLeft)},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.status == 0 {
				c.status = http.StatusTooManyRequests
			}
			got := msg(c.status, c.header...).atExample().under(p)
			got.ReadBody([]byte("slow"))
			require.Equal(t, c.want, withoutDialects(got.Limits))
		})
	}
}
