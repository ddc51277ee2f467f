package audit_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/cmd/headway/internal/audit"
	"github.com/headway-go/headway/ratelimittest"
)

// over returns a plan whose requests go to a handler in virtual time.
func over(h http.Handler) *audit.Plan {
	network := &ratelimittest.Transport{Handler: h, Latency: 20 * time.Millisecond}
	return &audit.Plan{
		Requests: 30, Rate: 2, MaxWait: 2 * time.Minute, Cost: 1, IsSafe: true,
		Send: func(kind audit.Kind, conditions http.Header) (*audit.Exchange, error) {
			path := "/"
			if kind == audit.Missing {
				path = "/missing"
			}
			req := httptest.NewRequest(http.MethodGet, "http://api.example.com"+path, http.NoBody)
			req.Header = conditions.Clone()
			x := &audit.Exchange{Kind: kind, Sent: time.Now()}
			resp, err := network.RoundTrip(req)
			if err != nil {
				return nil, err
			}
			x.Received, x.Response = time.Now(), resp
			return x, resp.Body.Close()
		},
	}
}

// run audits a handler in virtual time.
func run(t *testing.T, h http.Handler, change func(*audit.Plan)) (r *audit.Report, all []*audit.Exchange, notes []string) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		p := over(h)
		if change != nil {
			change(p)
		}
		var err error
		all, notes, err = p.Run()
		require.NoError(t, err)
		r = audit.Check(all, p.Cost)
		requireBounded(t, p, all)
	})
	return r, all, notes
}

// requireBounded checks that a plan was kept.
func requireBounded(t *testing.T, p *audit.Plan, all []*audit.Exchange) {
	t.Helper()
	require.LessOrEqual(t, len(all), p.Requests)
	for i := 1; i < len(all); i++ {
		gap := all[i].Sent.Sub(all[i-1].Sent)
		require.GreaterOrEqual(t, gap, time.Duration(float64(time.Second)/p.Rate))
		require.LessOrEqual(t, gap, max(p.MaxWait, time.Second)+time.Second)
	}
}

// refused counts refusals.
func refused(all []*audit.Exchange) (n int) {
	for _, x := range all {
		if x.Refused {
			n++
		}
	}
	return n
}

// api is what is limited: it has an ETag, and one path.
func api(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Etag", `"1"`)
	switch {
	case r.URL.Path != "/":
		http.NotFound(w, r)
	case r.Header.Get("If-None-Match") != "":
		w.WriteHeader(http.StatusNotModified)
	}
}

func beyond(p *audit.Plan) { p.Beyond = true }

// onTop changes each response before the audit sees it.
func onTop(change func(*audit.Exchange)) func(*audit.Plan) {
	return func(p *audit.Plan) {
		send := p.Send
		p.Send = func(kind audit.Kind, conditions http.Header) (*audit.Exchange, error) {
			x, err := send(kind, conditions)
			if err == nil {
				change(x)
			}
			return x, err
		}
	}
}

// window is the usual limiter of these tests.
func window() ratelimittest.Limiter {
	return &ratelimittest.FixedWindow{Policy: ratelimittest.Per(10, 30*time.Second)}
}

// with returns a dialect that sets further fields, whose values are text for fmt.
func with(d ratelimittest.Dialect, name string, value func(ratelimittest.Limit, time.Time) any) ratelimittest.Dialect {
	return func(h http.Header, now time.Time, decision ratelimittest.Decision) {
		d(h, now, decision)
		h.Set(name, fmt.Sprint(value(decision.Limits[0], now)))
	}
}

// Each row is a server that tells the truth or lies in one way. The texts are the beginnings of findings; a check that is
// not in want has no finding that misleads.
func TestCheck(t *testing.T) {
	type want map[string]string // by ID: verdict and text
	policy := ratelimittest.Per(10, 30*time.Second)
	claiming := func(change func(*ratelimittest.Limit)) ratelimittest.Dialect {
		return ratelimittest.Dialect(ratelimittest.Draft10).Claiming(change)
	}
	delay := ratelimittest.Fields("X-RateLimit-Limit: {limit}", "X-RateLimit-Remaining: {remaining}", "X-RateLimit-Reset: {reset}")
	for _, row := range []struct {
		name    string
		h       *ratelimittest.Handler
		change  func(*audit.Plan)
		want    want
		isClean bool // nothing is suggested
	}{
		{"a window, in the draft's fields", &ratelimittest.Handler{Limiter: window()}, beyond, want{
			"fields": "true: RateLimit and RateLimit-Policy, as in the drafts from 08 on", "policy": "true: 10 requests per 30s",
			"remaining": "true: it falls by 1", "reset": "true: a delay", "end": "true: after the reset 10", "kind": "true: a fixed window",
			"refusal": "true: status 429", "agreement": "true", "retry": "true: after a wait of 25s", "errors": "true",
		}, true},
		{"nobody goes beyond", &ratelimittest.Handler{Limiter: window()}, nil, want{
			"refusal": "not seen: none of 30 requests", "end": "true: after the reset 10", "kind": "true: a fixed window",
		}, true},
		{"a large quota", &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(5000, time.Minute)}}, nil, want{
			"end": "true: after the reset 29", "kind": "true: a fixed window",
		}, true},
		{"points in time", &ratelimittest.Handler{Limiter: window(), Dialect: ratelimittest.XRateLimit}, nil, want{
			"fields": "true: X-RateLimit-*, which no", "policy": "not told: the window", "reset": "true: a point in time", "clock": "true",
		}, false},
		{"a token bucket", &ratelimittest.Handler{Limiter: &ratelimittest.TokenBucket{Policy: policy}}, beyond, want{
			"end": "true: after the reset 1", "kind": "true: units come back bit by bit", "retry": "true: after a wait of 1s",
		}, true},
		{"a sliding log", &ratelimittest.Handler{Limiter: &ratelimittest.SlidingLog{Policy: policy}}, nil, want{
			"end": "true: after the reset 2", "kind": "true: units come back bit by bit",
		}, true},
		{"older drafts", &ratelimittest.Handler{Limiter: window(), Dialect: ratelimittest.Trio}, nil, want{
			"fields": "true: RateLimit-Limit, -Remaining and -Reset", "reset": "true: a delay",
		}, false},
		{"the reset is when all is back", &ratelimittest.Handler{Limiter: &ratelimittest.TokenBucket{Policy: policy, FullReset: true}}, beyond, want{
			"end": "misleading: too late: units were back up to 27s", "agreement": "misleading: Retry-After is 1s, and the reset 28s",
		}, false},
		{"the reset is early", &ratelimittest.Handler{Limiter: window(), Dialect: claiming(func(l *ratelimittest.Limit) { l.Reset /= 2 })}, nil, want{
			"end": "misleading: too early", "agreement": "misleading: Retry-After is 13s, and the reset 7s",
		}, false},
		{"a point in time that is cut to the second", &ratelimittest.Handler{Limiter: window(), Dialect: with(ratelimittest.XRateLimit, "X-RateLimit-Reset", func(l ratelimittest.Limit, now time.Time) any {
			return now.Add(l.Reset).Unix()
		})}, func(*audit.Plan) { time.Sleep(700 * time.Millisecond) }, want{"end": "misleading: too early"}, false},
		{"the reset is that of a faster clock", &ratelimittest.Handler{Limiter: window(), Dialect: ratelimittest.Dialect(ratelimittest.XRateLimit).Skewed(20 * time.Second)}, nil, want{
			"clock": "misleading: the server's clock is 20s ahead",
		}, false},
		{"and of a slower one", &ratelimittest.Handler{Limiter: window(), Dialect: ratelimittest.Dialect(ratelimittest.XRateLimit).Skewed(-20 * time.Second)}, nil, want{
			"clock": "misleading: the server's clock is 20s behind",
		}, false},
		{"milliseconds", &ratelimittest.Handler{Limiter: window(), Dialect: with(delay, "X-RateLimit-Reset", func(l ratelimittest.Limit, _ time.Time) any {
			return l.Reset.Milliseconds()
		})}, nil, want{"reset": "misleading: it counts milliseconds"}, false},
		{"milliseconds that stay the same", &ratelimittest.Handler{Limiter: window(), Dialect: claiming(func(l *ratelimittest.Limit) { l.Reset = 30_000 * time.Second })}, nil, want{
			"reset": "misleading: it is up to 8h19m30s longer than the window: does it count milliseconds?",
		}, false},
		{"a point in time where the draft has a delay", &ratelimittest.Handler{Limiter: window(), Dialect: with(ratelimittest.Trio, "RateLimit-Reset", func(l ratelimittest.Limit, now time.Time) any {
			return now.Add(l.Reset).Unix()
		})}, nil, want{"reset": "misleading: RateLimit-Reset has a point in time"}, false},
		{"what is left never falls", &ratelimittest.Handler{Limiter: window(), Dialect: claiming(func(l *ratelimittest.Limit) { l.Remaining = 10 })}, nil, want{
			"remaining": "misleading: it does not fall: after 7 requests", "agreement": "misleading: the refusal says that 10 are left",
		}, false},
		{"each request costs two", &ratelimittest.Handler{Limiter: window(), Cost: func(*http.Request) int64 { return 2 }}, nil, want{
			"remaining": "not told: a request seems to cost 2",
		}, true},
		{"and the user says so", &ratelimittest.Handler{Limiter: window(), Cost: func(*http.Request) int64 { return 2 }}, func(p *audit.Plan) { p.Cost = 2 }, want{
			"remaining": "true: it falls by 2",
		}, true},
		{"the limit is not kept", &ratelimittest.Handler{Limiter: ratelimittest.LimiterFunc(func(time.Time, string, int64) ratelimittest.Decision {
			return ratelimittest.Decision{Allowed: true, Limits: []ratelimittest.Limit{{Policy: "a", Quota: 5, Window: time.Minute, Reset: time.Minute}}}
		})}, beyond, want{"agreement": "misleading: a request was served, and 0 were left", "remaining": "misleading: it does not fall"}, false},
		{"Retry-After is too short", &ratelimittest.Handler{Limiter: window(), RetryAfter: ratelimittest.Fields("Retry-After: 3")}, beyond, want{
			"retry": "misleading: too short: after a wait of 3s", "agreement": "misleading: Retry-After is 3s, and the reset 25s",
		}, false},
		{"no Retry-After", &ratelimittest.Handler{Limiter: window(), RetryAfter: ratelimittest.Silent}, beyond, want{
			"retry": "not told: Retry-After; clients have to read the reset", "end": "true: after the reset 10",
		}, true},
		{"nothing at all", &ratelimittest.Handler{Limiter: window(), Dialect: ratelimittest.Silent, RetryAfter: ratelimittest.Silent, Refuse: ratelimittest.Respond(503, "")}, nil, want{
			"fields": "not told: served responses report no limit", "refusal": "misleading: status 503 without Retry-After", "retry": "not told: when to come back",
		}, false},
		{"only refusals report", &ratelimittest.Handler{Limiter: window(), Dialect: func(h http.Header, now time.Time, d ratelimittest.Decision) {
			if !d.Allowed {
				ratelimittest.Draft10(h, now, d)
			}
		}}, nil, want{"fields": "not told", "retry": "true: after a wait of 25s"}, true},
		{"only served responses report", &ratelimittest.Handler{Limiter: window(), Dialect: func(h http.Header, now time.Time, d ratelimittest.Decision) {
			if d.Allowed {
				ratelimittest.Draft10(h, now, d)
			}
		}}, beyond, want{"errors": "not told: 1 of 1 refusals", "agreement": "true"}, true},
		{"a refusal that comes too soon", &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(4, 30*time.Second)}, Dialect: func(h http.Header, now time.Time, d ratelimittest.Decision) {
			if d.Allowed {
				claiming(func(l *ratelimittest.Limit) { l.Remaining += 3 })(h, now, d)
			}
		}}, nil, want{"agreement": "misleading: the request was refused, and 3 were left before it"}, false},
		{"a 503 that says when to come back", &ratelimittest.Handler{Limiter: window(), Refuse: ratelimittest.Respond(503, "")}, beyond, want{
			"refusal": "true: status 503, which the other fields explain", "retry": "true",
		}, true},
		{"a refusal for good", &ratelimittest.Handler{Limiter: window(), RetryAfter: ratelimittest.Fields("X-Should-Retry: false")}, beyond, want{
			"refusal": "true: status 429; it says that waiting does not help",
		}, true},
		{"only responses with content report", &ratelimittest.Handler{}, onTop(func(x *audit.Exchange) {
			if x.Kind == audit.Plain {
				x.Response.Header.Set("RateLimit-Policy", `"a";q=9;w=30`)
			}
		}), want{
			"errors": "not told: 1 of 1 other errors report no limit; 1 of 1 responses with status 304 report no limit", "policy": "true: 9 requests per 30s",
		}, false},
		{"some served responses report", &ratelimittest.Handler{}, onTop(func(x *audit.Exchange) {
			if x.Sent.UnixMilli()%1000 == 0 {
				x.Response.Header.Set("RateLimit-Policy", `"a";q=9;w=30`)
			}
		}), want{"fields": "not told: RateLimit-Policy alone; 14 of 28", "remaining": "not told: what is left", "reset": "not told: when units come back", "errors": "not told"}, false},
		{"draft 07", &ratelimittest.Handler{Limiter: window(), Dialect: ratelimittest.Fields("RateLimit: limit={limit}, remaining={remaining}, reset={reset}", "RateLimit-Policy: {limit};w={window}")}, nil, want{
			"fields": "true: RateLimit and RateLimit-Policy, as in draft 07", "end": "true",
		}, false},
		{"the window does not fit", &ratelimittest.Handler{Limiter: window(), Dialect: claiming(func(l *ratelimittest.Limit) { l.Window = 10 * time.Second })}, nil, want{
			"reset": "misleading: it is up to 20s longer than the window",
		}, false},
		{"points in time without a Date", &ratelimittest.Handler{Limiter: window(), Dialect: ratelimittest.XRateLimit}, onTop(func(x *audit.Exchange) {
			x.Response.Header.Del("Date")
		}), want{"clock": "misleading: resets are points in time, and there is no Date"}, false},
		{"a conditional request that is answered as others", &ratelimittest.Handler{Limiter: window(), Dialect: with(ratelimittest.Draft10, "Last-Modified", func(ratelimittest.Limit, time.Time) any {
			return "Sat, 01 Jan 2000 00:00:00 GMT"
		}), Refuse: ratelimittest.Respond(429, "")}, nil, want{"errors": "true"}, true},
		{"all requests wait", &ratelimittest.Handler{Dialect: ratelimittest.Fields("Retry-After: 7")}, onTop(func(x *audit.Exchange) {
			x.Response.Header.Set("Retry-After", "7")
		}), want{"fields": "not told"}, false},
		{"a syntax error", &ratelimittest.Handler{Limiter: window(), Dialect: ratelimittest.Dialect(ratelimittest.Draft10).Malformed("RateLimit-Policy")}, nil, want{
			"syntax": "misleading: RateLimit-Policy: malformed", "policy": "not told: the quota and the window",
		}, false},
		{"a cache", &ratelimittest.Handler{Limiter: window(), Dialect: with(ratelimittest.Draft10, "Age", func(ratelimittest.Limit, time.Time) any { return 60 })}, nil, want{
			"fields": "not seen: 9 of 9 responses came from a cache",
		}, false},
	} {
		t.Run(row.name, func(t *testing.T) {
			row.h.Next = http.HandlerFunc(api)
			r, _, _ := run(t, row.h, row.change)
			for _, f := range r.Findings {
				text := string(f.Verdict) + ": " + f.Text
				if wanted, has := row.want[f.ID]; has {
					require.True(t, strings.HasPrefix(text, wanted), "%s: %s", f.ID, text)
					delete(row.want, f.ID)
				} else if f.Verdict == audit.Misleading {
					t.Errorf("%s: %s", f.ID, text)
				}
			}
			require.Empty(t, row.want)
			require.Equal(t, row.isClean, len(r.Suggested) == 0, r.Suggested)
		})
	}
}

// An audit sends no more than it may, and waits no longer.
func TestBounds(t *testing.T) {
	for _, row := range []struct {
		name          string
		change        func(*audit.Plan)
		sent, refused int
		note          string
	}{
		{"as many as allowed", func(p *audit.Plan) { p.Requests = 7 }, 7, 0, ""},
		{"one", func(p *audit.Plan) { p.Requests = 1 }, 1, 0, ""},
		{"no wait for the reset", func(p *audit.Plan) { p.MaxWait = 26*time.Second - 1 }, 10, 0, "the audit ended early: the server asks to wait 26s, which is longer than -max-wait"},
		{"just a wait for the reset", func(p *audit.Plan) { p.MaxWait = 26 * time.Second }, 30, 0, ""},
		{"no wait for Retry-After", func(p *audit.Plan) { beyond(p); p.MaxWait = 5 * time.Second }, 11, 1, "the audit ended early: the server asks to wait 25s, which is longer than -max-wait"},
		{"no refusal that nobody could wait for", func(p *audit.Plan) { beyond(p); p.Requests = 11 }, 11, 0, ""},
		{"one that somebody can", func(p *audit.Plan) { beyond(p); p.Requests = 12 }, 12, 1, ""},
		{"not beyond", func(p *audit.Plan) { p.Requests = 12 }, 12, 0, ""},
	} {
		t.Run(row.name, func(t *testing.T) {
			_, all, notes := run(t, &ratelimittest.Handler{Limiter: window(), Next: http.HandlerFunc(api)}, row.change)
			require.Len(t, all, row.sent)
			require.Equal(t, row.refused, refused(all))
			require.Equal(t, row.note, strings.Join(notes, ""))
			missing := 0
			for _, x := range all {
				missing += strings.Count(string(x.Kind), string(audit.Missing))
			}
			require.LessOrEqual(t, missing, 1)
		})
	}
}

// An audit waits at most twice, and stops at the first refusal after a wait.
func TestWaits(t *testing.T) {
	_, all, _ := run(t, &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(3, 10*time.Second)}}, nil)
	require.Len(t, all, 9)
	_, all, notes := run(t, &ratelimittest.Handler{Limiter: window(), RetryAfter: ratelimittest.Fields("Retry-After: 1")}, beyond)
	require.Len(t, all, 12)
	require.Equal(t, []string{"the server refused the request after the wait, too"}, notes)
}

// What is suggested has what is known, and leaves the rest open.
func TestSuggested(t *testing.T) {
	for _, row := range []struct {
		name, field, value, policy, limit string
	}{
		{"a unit and another name", "RateLimit", `"a\"b";r=5;t=7`, `"ab";q=QUOTA;w=SECONDS`, `"ab";r=5;t=7`},
		{"bytes", "RateLimit-Policy", `"a";q=9;qu="content-bytes";w=60`, `"a";q=9;qu="content-bytes";w=60`, `"a";r=REMAINING;t=SECONDS`},
		{"part of a second", "X-RateLimit-Reset-After", "6.2", `"default";q=QUOTA;w=SECONDS`, `"default";r=REMAINING;t=7`},
	} {
		t.Run(row.name, func(t *testing.T) {
			r, _, _ := run(t, &ratelimittest.Handler{}, func(p *audit.Plan) {
				p.Requests = 2
				onTop(func(x *audit.Exchange) { x.Response.Header.Set(row.field, row.value) })(p)
			})
			require.Equal(t, []string{"RateLimit-Policy: " + row.policy, "RateLimit: " + row.limit}, r.Suggested)
		})
	}
}

// Several limits have findings of their own.
func TestSeveralLimits(t *testing.T) {
	both := ratelimittest.All(
		&ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Name: "burst", Quota: 5, Window: 10 * time.Second}},
		&ratelimittest.FixedWindow{Policy: ratelimittest.Policy{Name: "day", Quota: 1000, Window: 24 * time.Hour}},
	)
	r, _, _ := run(t, &ratelimittest.Handler{Limiter: both}, nil)
	ends := map[string]audit.Verdict{}
	for _, f := range r.Findings {
		if f.ID == "end" {
			ends[f.Limit] = f.Verdict
		}
	}
	require.Equal(t, map[string]audit.Verdict{`"burst"`: audit.True, `"day"`: audit.NotSeen}, ends)
}

// A method that is not safe goes to the URL alone, and without conditions.
func TestUnsafeMethod(t *testing.T) {
	_, all, _ := run(t, &ratelimittest.Handler{Limiter: window(), Next: http.HandlerFunc(api)}, func(p *audit.Plan) { p.IsSafe = false })
	for _, x := range all {
		require.Equal(t, audit.Plain, x.Kind)
	}
}
