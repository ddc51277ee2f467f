package ratelimittest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
)

// The methods of Dialect change what it reports, and not the limiter's decision.
func TestDialectsThatLie(t *testing.T) {
	claimed := one
	claimed.Limits = []ratelimittest.Limit{one.Limits[0]}
	runGoldens(t, []golden{
		{"a clock that is fast", ratelimittest.Dialect(ratelimittest.XRateLimit).Skewed(time.Minute), one, []string{
			"Date: Tue, 01 Jan 2030 00:01:00 GMT", "X-RateLimit-Limit: 100", "X-RateLimit-Remaining: 50", "X-RateLimit-Reset: 1893456090",
		}},
		{"more than there is", ratelimittest.Dialect(delta).Claiming(func(l *ratelimittest.Limit) { l.Remaining += 5 }), claimed, []string{
			"X-RateLimit-Limit: 100", "X-RateLimit-Remaining: 55", "X-RateLimit-Reset: 30",
		}},
		{"all fields malformed", ratelimittest.Dialect(ratelimittest.Draft10).Malformed(), one, []string{
			`RateLimit-Policy: "default";q=100;w=60;`, `RateLimit: "default";r=50;t=30;`,
		}},
		{"one field malformed", ratelimittest.Dialect(ratelimittest.Draft10).Malformed("ratelimit"), one, []string{
			`RateLimit-Policy: "default";q=100;w=60`, `RateLimit: "default";r=50;t=30;`,
		}},
		{"in the trailer", ratelimittest.Dialect(counts).InTrailer(), one, []string{
			"Trailer: X-Ratelimit-Limit", "Trailer: X-Ratelimit-Remaining",
			http.TrailerPrefix + "X-Ratelimit-Limit: 100", http.TrailerPrefix + "X-Ratelimit-Remaining: 50",
		}},
	})
	require.Equal(t, one, claimed)
}

// Placeholders without a value leave a line out; unknown ones stay as they are.
func TestFields(t *testing.T) {
	runGoldens(t, []golden{
		{"nothing", ratelimittest.Fields(), one, nil},
		{"all numbers", ratelimittest.Fields("A: {limit},{remaining},{used},{percent},{window},{reset},{policy},{unit}"), one, []string{"A: 100,50,50,50,60,30,default,requests"}},
		{"a rate", ratelimittest.Fields("A: {rate}"), three, []string{"A: 0.2777777777777778"}},
		{"no limits", ratelimittest.Fields("A: {limit}", "B: {cost}", "C: always"), nothing, []string{"C: always"}},
		{"no window and no reset", ratelimittest.Fields("A: {window}", "B: {duration}", "C: {rate}", "D: {limit}"), bareLimit, []string{"D: 5"}},
		{"a refusal", ratelimittest.Fields("Retry-After: {retry-after}", "X-Until: {retry-date}"), refusal, []string{"Retry-After: 3", "X-Until: Tue, 01 Jan 2030 00:00:04 GMT"}},
		{"not a refusal", ratelimittest.Fields("Retry-After: {retry-after}", "X-Until: {retry-date}"), one, nil},
		{"braces", ratelimittest.Fields(`A: {"a":{percent},"b":{}}`, "B: {other}{", "C"), one, []string{`A: {"a":50,"b":{}}`, "B: {other}{", "C: "}},
	})
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
