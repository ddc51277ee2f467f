package ratelimittest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
	"github.com/headway-go/headway/validate"
)

// Dialects of other servers, written with Fields.
var (
	draft07 = ratelimittest.Fields("RateLimit-Policy: {policies}", "RateLimit: limit={limit}, remaining={remaining}, reset={reset}")
	delta   = ratelimittest.Fields("X-RateLimit-Limit: {limit}", "X-RateLimit-Remaining: {remaining}", "X-RateLimit-Reset: {reset}")
	millis  = ratelimittest.Fields("X-RateLimit-Limit: {limit}", "X-RateLimit-Remaining: {remaining}", "X-RateLimit-Reset: {unix-ms}")
	rfc3339 = ratelimittest.Fields("X-RateLimit-Limit: {limit}", "X-RateLimit-Remaining: {remaining}", "X-RateLimit-Reset: {rfc3339}")
	byUnit  = ratelimittest.Fields("X-RateLimit-Limit-{unit}: {limit}", "X-RateLimit-Remaining-{unit}: {remaining}", "X-RateLimit-Reset-{unit}: {duration}")
)

// decided is the time of the decisions in these tests. It is 0.9 s after start, which is 1893456000 in
// seconds since 1970.
var decided = start.Add(900 * ms)

// The decisions that the tests pass to dialects.
var (
	one = ratelimittest.Decision{Allowed: true, Limits: []ratelimittest.Limit{
		{Policy: "default", Quota: 100, Window: time.Minute, Remaining: 50, Reset: 29001 * ms},
	}}
	three = ratelimittest.Decision{Allowed: true, Limits: []ratelimittest.Limit{
		{Policy: "hour", Quota: 1000, Window: time.Hour, Remaining: 9, Reset: 1000 * time.Second},
		{Policy: "minute", Quota: 100, Window: time.Minute, Remaining: 9, Reset: 30 * time.Second},
		{Policy: "day", Quota: 5000, Window: 24 * time.Hour, Remaining: 10, Reset: 20 * time.Hour},
	}}
	refusal = ratelimittest.Decision{RetryAfter: 2500 * ms, Limits: []ratelimittest.Limit{
		{Policy: "default", Quota: 100, Window: time.Minute, Remaining: 0, Reset: 2500 * ms},
	}}
	units = ratelimittest.Decision{Allowed: true, Limits: []ratelimittest.Limit{
		{Policy: "calls", Unit: "requests", PartitionKey: "app-1", Quota: 60, Window: time.Minute, Remaining: 59, Reset: 600 * ms},
		{Policy: "words", Unit: "tokens", PartitionKey: "app-1", Quota: 150000, Window: time.Minute, Remaining: 149984, Reset: 6 * time.Minute},
	}}
	bareLimit = ratelimittest.Decision{Allowed: true, Limits: []ratelimittest.Limit{
		{Policy: "a \"b\\c\"\nd\u00e9~", Quota: 5, Remaining: 5, Reset: -1},
	}}
	huge = ratelimittest.Decision{Allowed: true, Limits: []ratelimittest.Limit{
		{Policy: "huge", Quota: 1<<63 - 1, Window: 1<<63 - 1, Remaining: 1 << 60, Reset: 1<<63 - 1},
	}}
)

func written(d ratelimittest.Dialect, decision ratelimittest.Decision) http.Header {
	h := http.Header{}
	d(h, decided, decision)
	return h
}

func TestDialects(t *testing.T) {
	draft10, trio, xRateLimit := ratelimittest.Draft10, ratelimittest.Trio, ratelimittest.XRateLimit
	ofUnit := func(unit string, reset time.Duration) ratelimittest.Decision {
		return ratelimittest.Decision{Limits: []ratelimittest.Limit{{Unit: unit, Quota: 10, Remaining: 1, Reset: reset}}}
	}
	sixth := ratelimittest.Decision{Limits: []ratelimittest.Limit{{Quota: 100, Remaining: 50, Reset: 100 * ms / 6}}}
	for _, row := range []struct {
		name     string
		dialect  ratelimittest.Dialect
		decision ratelimittest.Decision
		want     string // lines of fields
	}{
		{"draft-10", draft10, one, `
			RateLimit-Policy: "default";q=100;w=60
			RateLimit: "default";r=50;t=30`},
		{"draft-10, units and partition keys", draft10, units, `
			RateLimit-Policy: "calls";q=60;w=60;pk=:YXBwLTE=:, "words";q=150000;w=60;qu="tokens";pk=:YXBwLTE=:
			RateLimit: "calls";r=59;t=1;pk=:YXBwLTE=:, "words";r=149984;t=360;pk=:YXBwLTE=:`},
		{"draft-10, a name to quote, no window and no reset", draft10, bareLimit, `
			RateLimit-Policy: "a \"b\\c\"?d??~";q=5
			RateLimit: "a \"b\\c\"?d??~";r=5`},
		{"draft-10, more than 15 digits", draft10, huge, `
			RateLimit-Policy: "huge";q=999999999999999;w=9223372037
			RateLimit: "huge";r=999999999999999;t=9223372037`},

		{"trio", trio, one, `
			RateLimit-Policy: 100;w=60
			RateLimit-Limit: 100
			RateLimit-Remaining: 50
			RateLimit-Reset: 30`},
		{"trio, all policies and the tightest limit", trio, three, `
			RateLimit-Policy: 1000;w=3600, 100;w=60, 5000;w=86400
			RateLimit-Limit: 1000
			RateLimit-Remaining: 9
			RateLimit-Reset: 1000`},

		// 0.9 s + 29.001 s after 1893456000, the beginning of 2030
		{"x-ratelimit", xRateLimit, one, `
			X-RateLimit-Limit: 100
			X-RateLimit-Remaining: 50
			X-RateLimit-Reset: 1893456030`},
		{"silent", ratelimittest.Silent, refusal, ``},

		{"fields: draft-07", draft07, one, `
			RateLimit-Policy: 100;w=60
			RateLimit: limit=100, remaining=50, reset=30`},
		{"fields: RFC 3339", rfc3339, one, `
			X-RateLimit-Limit: 100
			X-RateLimit-Remaining: 50
			X-RateLimit-Reset: 2030-01-01T00:00:30Z`},
		{"fields: milliseconds, rounded up", millis, sixth, `
			X-RateLimit-Limit: 100
			X-RateLimit-Remaining: 50
			X-RateLimit-Reset: 1893456000917`},
		{"fields: 292 years from now", delta, huge, `
			X-RateLimit-Limit: 9223372036854775807
			X-RateLimit-Remaining: 1152921504606846976
			X-RateLimit-Reset: 9223372037`},
		{"fields: by unit", byUnit, units, `
			X-RateLimit-Limit-Requests: 60
			X-RateLimit-Remaining-Requests: 59
			X-RateLimit-Reset-Requests: 600ms
			X-RateLimit-Limit-Tokens: 150000
			X-RateLimit-Remaining-Tokens: 149984
			X-RateLimit-Reset-Tokens: 6m0s`},
		{"fields: a unit with characters that a name cannot have, and a time rounded up to milliseconds", byUnit, ofUnit("GraphQL points\u00e9", 7659*ms+1), `
			X-RateLimit-Limit-Graphql-Points-: 10
			X-RateLimit-Remaining-Graphql-Points-: 1
			X-RateLimit-Reset-Graphql-Points-: 7.66s`},
		{"fields: all numbers", ratelimittest.Fields("A: {limit},{remaining},{used},{percent},{window},{reset},{policy},{unit}"), one, `
			A: 100,50,50,50,60,30,default,requests`},
		{"fields: no window and no reset", ratelimittest.Fields("A: {window}", "B: {duration}", "C: {rate}", "D: {limit}", "E: {unix-ms}", "F: {rfc3339}"), bareLimit, `
			D: 5`},
		{"fields: a refusal", ratelimittest.Fields("Retry-After: {retry-after}", "X-Until: {retry-date}"), refusal, `
			Retry-After: 3
			X-Until: Tue, 01 Jan 2030 00:00:04 GMT`},

		{"all fields malformed", ratelimittest.Dialect(draft10).Malformed(), one, `
			RateLimit-Policy: "default";q=100;w=60;
			RateLimit: "default";r=50;t=30;`},
	} {
		t.Run(row.name, func(t *testing.T) {
			want := http.Header{}
			for line := range strings.Lines(row.want) {
				if name, value, ok := strings.Cut(strings.TrimLeft(strings.TrimSuffix(line, "\n"), "\t"), ": "); ok {
					want.Add(name, value)
				}
			}
			require.Equal(t, want, written(row.dialect, row.decision))
			require.EqualValues(t, 50, one.Limits[0].Remaining, "the decision stays as it is")
		})
	}
}

// A dialect with room for one limit reports the tightest one, whatever the order.
func TestTheTightestLimitIsReported(t *testing.T) {
	requests := func(quota, remaining int64, reset time.Duration) ratelimittest.Limit {
		return ratelimittest.Limit{Quota: quota, Remaining: remaining, Reset: reset}
	}
	in := func(unit string, l ratelimittest.Limit) ratelimittest.Limit { l.Unit = unit; return l }
	const bytes = "content-bytes"
	tests := []struct {
		name   string
		limits []ratelimittest.Limit
		want   string // the quota of the tightest limit
	}{
		{"fewest remaining, last", []ratelimittest.Limit{requests(10, 9, 60), requests(20, 8, 60), requests(30, 7, 1)}, "30"},
		{"fewest remaining, though most of its quota", []ratelimittest.Limit{requests(1000, 20, 60), requests(10, 9, 1)}, "10"},
		{"the latest reset of equals", []ratelimittest.Limit{requests(10, 7, 1), requests(20, 7, 60), requests(30, 7, 2)}, "20"},
		{"the first of identical limits", []ratelimittest.Limit{requests(10, 7, 60), requests(20, 7, 60)}, "10"},
		{"many bytes, few of their quota", []ratelimittest.Limit{requests(100, 50, 60), in(bytes, requests(65535, 1000, 10))}, "65535"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := written(delta, ratelimittest.Decision{Limits: tt.limits})
			require.Equal(t, tt.want, h.Get("X-RateLimit-Limit"))
		})
	}
}

// A client that waits for the reported time is never early, and less than two seconds late. The dialect
// rounds up, and Date is cut to whole seconds. The test varies the fractions of a second, the duration of the
// service, and the presence of Date.
func TestDialectsNeverReportATimeTooEarly(t *testing.T) {
	fractions := []time.Duration{0, 1, 100 * ms, 500 * ms, 900 * ms, time.Second - 1}
	for name, dialect := range map[string]ratelimittest.Dialect{
		"Draft10": ratelimittest.Draft10, "Draft07": draft07, "Trio": ratelimittest.Trio, "XRateLimit": ratelimittest.XRateLimit,
		"in milliseconds": millis, "as a date": rfc3339, "as a duration": byUnit,
		"Retry-After": ratelimittest.Fields("Retry-After: {retry-after}"), "Retry-After date": ratelimittest.Fields("Retry-After: {retry-date}"),
	} {
		t.Run(name, func(t *testing.T) {
			for _, offset := range fractions {
				for _, service := range fractions {
					for _, reset := range append(fractions[1:], 29001*ms, time.Hour-1, 20*time.Hour) {
						for _, isDated := range []bool{true, false} {
							now := start.Add(offset)
							early, late := margin(dialect, now, reset, service, isDated)
							require.False(t, early, "%v after a second, reset %v, service %v, Date %v", offset, reset, service, isDated)
							require.False(t, late, "%v after a second, reset %v, service %v, Date %v", offset, reset, service, isDated)
						}
					}
				}
			}
		})
	}
}

// margin simulates a client that waits for a reset. It reports whether the client is early, or later than
// rounding and the time for the response explain.
func margin(d ratelimittest.Dialect, now time.Time, reset, service time.Duration, isDated bool) (early, late bool) {
	h := http.Header{}
	d(h, now, ratelimittest.Decision{RetryAfter: reset, Limits: []ratelimittest.Limit{{Quota: 10, Remaining: 1, Reset: reset}}})
	answered := now.Add(service)
	if isDated && h.Get("Date") == "" {
		h.Set("Date", answered.UTC().Format(http.TimeFormat))
	}
	received := answered.Add(20 * ms)
	reading := validate.Response(&http.Response{StatusCode: 429, Header: h}, received, validate.Bounds{})
	wait := reading.RetryAfter
	if wait == validate.Unknown {
		wait = reading.Limits[0].Reset
	}
	due, comes := now.Add(reset), received.Add(wait)
	return comes.Before(due), comes.After(due.Add(2*time.Second + service + 20*ms))
}

// Two Handlers, one for requests and one for bytes, add a line each.
func TestDraft10AddsToTheLists(t *testing.T) {
	bytes := &ratelimittest.Handler{
		Limiter: &ratelimittest.Linear{Policy: ratelimittest.Policy{Name: "bytes", Unit: "content-bytes", Quota: 1 << 20, Window: time.Hour}},
		Cost:    func(*http.Request) int64 { return 1 << 10 },
	}
	requests := &ratelimittest.Handler{
		Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Name: "requests", Quota: 100, Window: time.Minute}},
		Next:    bytes,
	}
	rec := httptest.NewRecorder()
	requests.ServeHTTP(rec, newRequest(t, "GET", "/", nil))
	require.Equal(t, []string{`"requests";r=99;t=60`, `"bytes";r=1047552;t=3597`}, rec.Header().Values("RateLimit"))
	require.Len(t, rec.Header().Values("RateLimit-Policy"), 2)
}

func TestRespond(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := &ratelimittest.Handler{
			Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(10, time.Minute)}, Dialect: ratelimittest.Silent,
			Cost:   func(*http.Request) int64 { return 7 },
			Next:   ratelimittest.Respond(http.StatusOK, `{"left":{remaining},"cost":{cost},"wait":{retry-after}}`),
			Refuse: ratelimittest.Respond(http.StatusOK, "wait {retry-after} s"),
		}
		for _, want := range [][2]string{{`{"left":3,"cost":7,"wait":null}`, "application/json"}, {"wait 60 s", "text/plain; charset=utf-8"}} {
			rec := httptest.NewRecorder()
			h.ServeHTTP(rec, newRequest(t, "GET", "/", nil))
			require.Equal(t, want[0], rec.Body.String())
			require.Equal(t, want[1], rec.Header().Get("Content-Type"))
		}
		alone := httptest.NewRecorder()
		ratelimittest.Respond(http.StatusTeapot, "{cost}").ServeHTTP(alone, newRequest(t, "GET", "/", nil))
		require.Equal(t, "null", alone.Body.String())
		require.Equal(t, http.StatusTeapot, alone.Code)
	})
}

// The trailer comes after the body, over HTTP and in memory.
func TestDialectInTrailer(t *testing.T) {
	srv := ratelimittest.NewServer(&ratelimittest.FixedWindow{Policy: ratelimittest.Per(10, time.Hour)}, ratelimittest.Dialect(ratelimittest.Trio).InTrailer())
	defer srv.Close()
	srv.Handler.Next = hello
	for _, rt := range []http.RoundTripper{srv.Client().Transport, &ratelimittest.Transport{Handler: srv.Handler}} {
		resp, err := rt.RoundTrip(newRequest(t, "GET", srv.URL, nil))
		require.NoError(t, err)
		require.Empty(t, resp.Header.Get("RateLimit-Remaining"))
		require.Contains(t, resp.Trailer, "Ratelimit-Remaining", "announced")
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		require.NoError(t, resp.Body.Close())
		require.Equal(t, "hello world", string(body))
		require.Equal(t, "9", resp.Trailer.Get("RateLimit-Remaining"))
		require.EqualValues(t, -1, resp.ContentLength)
	}
}
