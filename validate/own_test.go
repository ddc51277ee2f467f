package validate_test

import (
	"math"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/validate"
)

// told returns a limit of which only that much is known.
func reported(policy string, quota, remaining int64, window time.Duration) limits.Reported {
	return limits.Reported{Policy: policy, Unit: limits.Requests, Quota: quota, Remaining: remaining, Window: window, Reset: validate.Unknown}
}

// reportsTen is a header with a limit without a name.
func reportsTen() http.Header {
	return http.Header{"X-Ratelimit-Limit": {"10"}, "X-Ratelimit-Remaining": {"9"}, "X-Ratelimit-Reset": {"30"}}
}

func TestAdd(t *testing.T) {
	const day = 24 * time.Hour
	ofFields := limits.Reported{
		Unit: limits.Requests, Quota: 10, Remaining: 9, Window: validate.Unknown, Reset: 30 * time.Second, Dialect: limits.DialectXRateLimit,
	}
	complete := ofFields
	complete.Window = time.Minute
	named := ofFields
	named.Policy = "short"
	for _, test := range []struct {
		name     string
		status   int // 0: 200
		header   http.Header
		own      validate.Reading
		want     []limits.Reported
		wait     time.Duration // 0: none
		refused  bool
		problems []validate.Reason
	}{
		{name: "nothing"},
		{name: "nothing, beside fields", header: reportsTen(), want: []limits.Reported{ofFields}},
		{
			name: "a limit", own: validate.Reading{Limits: []limits.Reported{{Policy: "cost", Unit: "points", Quota: 1000, Remaining: 980, Window: 20 * time.Second}}},
			want: []limits.Reported{{Policy: "cost", Unit: "points", Quota: 1000, Remaining: 980, Window: 20 * time.Second, Reset: validate.Unknown}},
		},
		{
			name: "what the request has cost, and a Remaining that is left out",
			own:  validate.Reading{Limits: []limits.Reported{{Policy: "a", Quota: 9, Cost: 7}, {Policy: "b", Quota: 9, Cost: -1}}},
			want: []limits.Reported{
				{Policy: "a", Unit: limits.Requests, Quota: 9, Remaining: validate.Unknown, Window: validate.Unknown, Reset: validate.Unknown, Cost: 7},
				{Policy: "b", Unit: limits.Requests, Quota: 9, Remaining: validate.Unknown, Window: validate.Unknown, Reset: validate.Unknown},
			},
		},
		{
			name: "a limit beside another one of the fields", header: reportsTen(),
			own:  validate.Reading{Limits: []limits.Reported{reported("hour", 100, 50, time.Hour)}},
			want: []limits.Reported{ofFields, reported("hour", 100, 50, time.Hour)},
		},
		{
			name: "the same limit as in the fields", header: reportsTen(),
			own:  validate.Reading{Limits: []limits.Reported{reported("", 10, 9, time.Minute)}},
			want: []limits.Reported{complete},
		},
		{
			name: "the same limit with a name", header: reportsTen(),
			own: validate.Reading{Limits: []limits.Reported{reported("short", 10, 9, validate.Unknown)}}, want: []limits.Reported{named},
		},
		{
			name: "the name of another limit of the fields", header: reportsTen(),
			own:  validate.Reading{Limits: []limits.Reported{reported("", 100, 50, time.Hour)}},
			want: []limits.Reported{ofFields, reported("own", 100, 50, time.Hour)},
		},
		{
			name: "one limit twice", own: validate.Reading{Limits: []limits.Reported{reported("a", 100, 50, time.Hour), reported("a", 100, 50, time.Hour)}},
			want: []limits.Reported{reported("a", 100, 50, time.Hour)},
		},
		{
			name: "one name thrice, with other numbers",
			own:  validate.Reading{Limits: []limits.Reported{reported("a", 100, 50, time.Hour), reported("a", 200, 20, day), reported("a", 300, 30, day)}},
			want: []limits.Reported{reported("a", 100, 50, time.Hour), reported("own a", 200, 20, day)}, problems: []validate.Reason{validate.Repeated},
		},
		{name: "no number", own: validate.Reading{Limits: []limits.Reported{reported("a", -1, -1, time.Hour)}}},
		{name: "the zero limit", own: validate.Reading{Limits: []limits.Reported{{}}}, problems: []validate.Reason{validate.Placeholder}},
		{
			name: "negative numbers",
			own:  validate.Reading{Limits: []limits.Reported{{Policy: "a", Quota: 5, Remaining: -7, Window: -time.Hour, Reset: math.MinInt64}}},
			want: []limits.Reported{reported("a", 5, -1, validate.Unknown)},
		},
		{
			name:     "the largest numbers",
			own:      validate.Reading{Limits: []limits.Reported{{Policy: "a", Unit: "points", Quota: math.MaxInt64, Remaining: math.MaxInt64, Window: math.MaxInt64, Reset: math.MaxInt64}}},
			want:     []limits.Reported{{Policy: "a", Unit: "points", Quota: 1e12, Remaining: 1e12, Window: math.MaxInt64, Reset: 32 * day}},
			problems: []validate.Reason{validate.TooMany, validate.TooMany, validate.TooLong},
		},
		{
			name: "too fast", own: validate.Reading{Limits: []limits.Reported{reported("a", 1_000_000, 1_000_000, time.Second)}},
			want: []limits.Reported{reported("a", 100_000, 100_000, time.Second)}, problems: []validate.Reason{validate.TooFast, validate.TooFast},
		},
		{
			name: "a unit without a name", own: validate.Reading{Limits: []limits.Reported{{Unit: "tokens", Quota: 5, Remaining: 5}}},
			want: []limits.Reported{{Policy: "tokens", Unit: "tokens", Quota: 5, Remaining: 5, Window: validate.Unknown, Reset: validate.Unknown}},
		},
		{
			name: "a name that is no text", own: validate.Reading{Limits: []limits.Reported{reported("a\x00\n\xff", 5, 5, time.Hour)}},
			want: []limits.Reported{reported("a\ufffd\ufffd\ufffd", 5, 5, time.Hour)},
		},
		{name: "a wait", own: validate.Reading{RetryAfter: time.Second}, wait: time.Second},
		{name: "a longer wait in the fields", header: http.Header{"Retry-After": {"9"}}, own: validate.Reading{RetryAfter: time.Second}, wait: 9 * time.Second},
		{name: "a shorter wait in the fields", header: http.Header{"Retry-After": {"1"}}, own: validate.Reading{RetryAfter: time.Minute}, wait: time.Minute},
		{name: "an endless wait", own: validate.Reading{RetryAfter: math.MaxInt64}, wait: 32 * day, problems: []validate.Reason{validate.TooLong}},
		{name: "a negative wait", own: validate.Reading{RetryAfter: math.MinInt64}},
		{name: "a refusal", own: validate.Reading{Verdict: validate.VerdictUnknown}, refused: true},
		{
			name: "a refusal that reports what is left", own: validate.Reading{Verdict: validate.VerdictUnknown, Limits: []limits.Reported{reported("a", 100, 0, time.Hour)}},
			refused: true, want: []limits.Reported{reported("a", 100, 0, time.Hour)},
		},
		{name: "a wait makes a 503 a refusal", status: 503, own: validate.Reading{RetryAfter: time.Second}, wait: time.Second, refused: true},
		{
			name: "a limit that is used up makes a 403 a refusal", status: 403, own: validate.Reading{Limits: []limits.Reported{reported("a", 9, 0, time.Hour)}},
			refused: true, want: []limits.Reported{reported("a", 9, 0, time.Hour)},
		},
		{
			name: "a status of 400 says that nothing is left", status: 400, own: validate.Reading{Limits: []limits.Reported{{Policy: "a", Quota: 9}}},
			want: []limits.Reported{reported("a", 9, 0, validate.Unknown)},
		},
		{
			name: "from a cache", header: http.Header{"Age": {"5"}}, own: validate.Reading{Limits: []limits.Reported{reported("a", 9, 0, time.Hour)}},
			problems: []validate.Reason{validate.Cached},
		},
		{name: "a refusal from a cache", header: http.Header{"Age": {"5"}}, own: validate.Reading{Verdict: validate.VerdictUnknown}, refused: true},
		{
			name: "fields that count for nothing", own: validate.Reading{Cached: true, WantsBody: true, Violated: []string{"a"}, RetryAfter: validate.Unknown},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := validate.NewReader(validate.Bounds{}, nil)
			resp := &http.Response{StatusCode: max(test.status, 200), Header: test.header}
			reading := r.Add(r.Read(resp), resp, &test.own)
			require.Equal(t, test.want, append([]limits.Reported(nil), reading.Limits...))
			if test.wait == 0 {
				test.wait = validate.Unknown
			}
			require.Equal(t, test.wait, reading.RetryAfter)
			require.Equal(t, test.refused, reading.Verdict.IsRefusal())
			require.Equal(t, test.own.Verdict != validate.VerdictNone, reading.Sign == validate.Own)
			require.False(t, reading.WantsBody)
			require.Nil(t, reading.Violated)
			var why []validate.Reason
			for _, p := range reading.Problems {
				require.Equal(t, validate.Own == p.Field, p.Field != "Age")
				why = append(why, p.Reason)
			}
			require.Equal(t, test.problems, why)
			r.Free(reading)
			require.True(t, r.Read(&http.Response{StatusCode: 200}).IsSilent(), "nothing of it stays")
		})
	}
}

// A refusal that the caller reads has the wait that the profile documents. Nothing changes nothing.
func TestAddOfARefusal(t *testing.T) {
	r := validate.NewReader(validate.Bounds{}, nil, validate.Profile{Host: "example.com", MinWait: time.Minute})
	resp := msg(400, "X-RateLimit-Remaining: 5").atExample().response()
	silent := r.Read(nil)
	require.Same(t, silent, r.Add(silent, nil, &validate.Reading{}))
	require.Equal(t, time.Minute, r.Add(r.Read(resp), resp, &validate.Reading{Verdict: validate.VerdictUnknown}).RetryAfter)
	limits := []limits.Reported{reported("a", 9, 5, time.Hour)}
	require.Equal(t, time.Duration(validate.Unknown), r.Add(r.Read(resp), resp, &validate.Reading{Limits: limits}).RetryAfter, "not refused")
	resp = msg(429, "Retry-After: 0").atExample().response()
	require.Zero(t, r.Add(r.Read(resp), resp, &validate.Reading{Verdict: validate.VerdictUnknown}).RetryAfter)
}

// The caller knows the host: what it says counts more than the signs of all hosts. After its VerdictNever nobody waits for the
// body.
func TestVerdictsOfTheCaller(t *testing.T) {
	r := validate.NewReader(validate.Bounds{}, nil)
	resp := msg(429, "X-Should-Retry: false", "Content-Type: application/json").response()
	for _, own := range []validate.Verdict{validate.VerdictWait, validate.VerdictNever} {
		reading := r.Add(r.Read(resp), resp, &validate.Reading{Verdict: own})
		require.Equal(t, own == validate.VerdictWait, reading.WantsBody)
		if reading.WantsBody {
			reading.ReadBody([]byte(`{"retryable":false}`))
		}
		require.Equal(t, own, reading.Verdict)
		require.Equal(t, validate.Own, reading.Sign)
	}
}

// The number of limits is bounded, whatever the caller returns.
func TestAddIsBounded(t *testing.T) {
	var own validate.Reading
	for i := range 10 * validate.MaxLimits {
		own.Limits = append(own.Limits, reported(strings.Repeat("x", i), 10, 5, time.Hour))
	}
	r := validate.NewReader(validate.Bounds{}, nil)
	reading := r.Add(r.Read(nil), nil, &own)
	require.Len(t, reading.Limits, validate.MaxLimits)
	require.Equal(t, validate.Crowded, reading.Problems[0].Reason)
	own.Limits = own.Limits[:validate.MaxLimits]
	require.Empty(t, r.Add(r.Read(nil), nil, &own).Problems)
}

func TestUntil(t *testing.T) {
	server := time.Date(2026, time.January, 5, 0, 0, 0, 0, time.UTC)
	local := server.Add(-time.Hour)
	dated := &http.Response{Header: http.Header{"Date": {server.Format(http.TimeFormat)}}}
	aged := &http.Response{Header: http.Header{"Date": {server.Format(http.TimeFormat)}, "Age": {"5"}}}
	for _, test := range []struct {
		name     string
		resp     *http.Response
		received time.Time
		at       time.Time
		want     time.Duration
	}{
		{"by Date", dated, local, server.Add(time.Minute), time.Minute},
		{"by Date and Age", aged, local, server.Add(time.Minute), 55 * time.Second},
		{"by the local clock", &http.Response{}, local, local.Add(time.Minute), time.Minute},
		{"without a response", nil, local, local.Add(time.Minute), time.Minute},
		{"by a Date that is years off", dated, local.AddDate(9, 0, 0), local.AddDate(9, 0, 1), 24 * time.Hour},
		{"in the past", dated, local, server.Add(-time.Minute), 0},
		{"without a clock", &http.Response{}, time.Time{}, server, validate.Unknown},
		{"no point in time", dated, local, time.Time{}, validate.Unknown},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.want, validate.Until(test.resp, test.received, test.at))
		})
	}
}
