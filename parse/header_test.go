package parse_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// dialects has headers of real servers, by dialect.
func dialects() map[string]http.Header {
	return map[string]http.Header{
		"draft10": {
			"Ratelimit":        {`"default";r=50;t=30`},
			"Ratelimit-Policy": {`"default";q=100;w=60`},
		},
		"draft07": {
			"Ratelimit":        {`limit=100, remaining=50, reset=5`},
			"Ratelimit-Policy": {`100;w=60`},
		},
		"trio": {
			"Ratelimit-Limit":     {`100, 100;w=60, 1000;w=3600`},
			"Ratelimit-Remaining": {`50`},
			"Ratelimit-Reset":     {`30`},
		},
		"github": {
			"X-Ratelimit-Limit":     {`5000`},
			"X-Ratelimit-Remaining": {`4987`},
			"X-Ratelimit-Reset":     {`1372700873`},
			"X-Ratelimit-Used":      {`13`},
			"X-Ratelimit-Resource":  {`core`},
		},
		"discord": {
			"X-Ratelimit-Limit":       {`1`},
			"X-Ratelimit-Remaining":   {`0`},
			"X-Ratelimit-Reset":       {`1470173023.123`},
			"X-Ratelimit-Reset-After": {`64.57`},
			"X-Ratelimit-Bucket":      {`abcd1234`},
			"X-Ratelimit-Scope":       {`user`},
			"X-Ratelimit-Global":      {`true`},
			"Retry-After":             {`65`},
		},
		"dashed": {
			"X-Rate-Limit-Limit":     {`600`},
			"X-Rate-Limit-Remaining": {`599`},
			"X-Rate-Limit-Reset":     {`2024-05-05T18:02Z`},
		},
		"retryafter": {
			"Retry-After": {`Tue, 14 Mar 2017 16:16:00 GMT`},
		},
	}
}

func TestHeaderDialects(t *testing.T) {
	remaining := func(n int64, c counts) counts {
		c.Remaining, c.HasRemaining = n, true
		return c
	}
	trio := remaining(50, limitCounts(100, quota(100, 60), quota(1000, 3600)))
	trio.Reset = bare(30 * time.Second)
	github := remaining(4987, limitCounts(5000))
	github.Used, github.Name, github.Reset = 13, "core", date(t, "2013-07-01T17:47:53Z")
	discord := remaining(0, limitCounts(1))
	discord.Name = "abcd1234"
	discord.Reset, discord.ResetAfter = date(t, "2016-08-02T21:23:43.123Z"), delay(64570*time.Millisecond)
	dashed := remaining(599, limitCounts(600))
	dashed.Reset = date(t, "2024-05-05T18:02:00Z")
	for _, c := range []struct {
		name       string
		rateLimit  []serviceLimit
		policy     []policy
		trio, x, d counts
		retryAfter parse.When
	}{
		{
			name:      "draft10",
			rateLimit: []serviceLimit{{Name: "default", Quota: unknown, Remaining: 50, Reset: 30}},
			policy:    []policy{{Name: "default", Quota: 100, Window: 60, Unit: limits.Requests}},
		},
		{
			name:      "draft07",
			rateLimit: []serviceLimit{{Quota: 100, Remaining: 50, Reset: 5}},
			policy:    []policy{quota(100, 60)},
		},
		{name: "trio", trio: trio},
		{name: "github", x: github},
		{name: "discord", x: discord, retryAfter: delay(65 * time.Second)},
		{name: "dashed", d: dashed},
		{name: "retryafter", retryAfter: date(t, "2017-03-14T16:16:00Z")},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := dialects()[c.name]
			require.NotEmpty(t, h)
			f := parse.Header(response(h))
			require.Equal(t, c.rateLimit, nonEmpty(serviceLimits(&f)))
			require.Equal(t, c.policy, nonEmpty(policies(&f)))
			require.Equal(t, c.trio, trioOf(&f))
			require.Equal(t, c.x, xRateLimit(&f))
			require.Equal(t, c.d, xDashed(&f))
			require.Equal(t, c.retryAfter, waitOf(&f))
			require.Empty(t, f.Problems)
		})
	}
}

func TestHeaderNames(t *testing.T) {
	for _, c := range []struct {
		name string
		read bool
	}{
		{name: "X-Ratelimit-Remaining", read: true},
		{name: "x-ratelimit-remaining", read: true},
		{name: "X-RATELIMIT-REMAINING", read: true},
		{name: "X-RateLimit-Remaining", read: true},
		{name: "X-Ratelimit-Remaining "},
		{name: "X_Ratelimit_Remaining"},
		{name: "X-Ratelimit-Remainin"},
		{name: "X-Ratelimit-Nearlimit"},
		{name: "X-Ratelimit\rRemaining"},
		{name: "Access-Control-Expose-Headers"},
		{name: ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := parse.Header(http.Header{c.name: {"5"}})
			require.Equal(t, c.read, xRateLimit(&f).HasRemaining)
			require.Empty(t, f.Problems)
		})
	}
}

func TestHeaderSpellings(t *testing.T) {
	for range 50 { // the order of a map is random
		f := parse.Header(http.Header{"retry-after": {"1"}, "RETRY-AFTER": {"2"}, "Retry-After": {"3"}, "retry-After": {"4"}})
		require.Len(t, f.Waits, 4, "each spelling is a field")
		f = parse.Header(http.Header{"retry-after": {"1"}, "Retry-After": nil})
		require.Equal(t, delay(time.Second), waitOf(&f), "a name without lines is not there")
		f = parse.Header(http.Header{"X-Ratelimit-Max": {"5"}, "X-Ratelimit-Limit": {"6"}, "x-ratelimit-limit": {"4"}, "x-ratelimit-max": {"3"}})
		require.Equal(t, int64(3), xRateLimit(&f).Limit, "the smallest limit counts")
		require.NotEmpty(t, f.Problems)
	}
}

func TestHeaderName(t *testing.T) {
	h := http.Header{"X-Ratelimit-Policy": {"d"}, "X-Ratelimit-Name": {"c"}, "X-Ratelimit-Resource": {"b"}, "X-Ratelimit-Bucket": {"a"}}
	for _, want := range []struct{ name, without string }{{"a", "Bucket"}, {"b", "Resource"}, {"c", "Name"}, {"d", "Policy"}} {
		require.Equal(t, want.name, readHeader(h, xRateLimit).Name)
		h.Del("X-Ratelimit-" + want.without)
	}
}

func TestHeaderProblems(t *testing.T) {
	h := http.Header{
		"Ratelimit":               {`"a";r="x", "b";r=1`},
		"Ratelimit-Policy":        {`"a";q=`},
		"Retry-After":             {`soon`},
		"Ratelimit-Limit":         {`unlimited`},
		"X-Ratelimit-Reset-After": {``},
		"X-Rate-Limit-Remaining":  {`5`, `4`},
		"X-Rate-Limit-Name":       {strings.Repeat("n", parse.MaxText+1)},
		"X-Rate-Limit-Reset":      {`60`},
	}
	want := []parse.Error{
		{Field: "RateLimit", Offset: 0, Err: parse.ErrType},
		{Field: "RateLimit-Policy", Offset: 6, Err: parse.ErrTruncated},
		{Field: "Retry-After", Offset: 0, Err: parse.ErrTime},
		{Field: "RateLimit-Limit", Offset: 0, Err: parse.ErrNumber},
		{Field: "X-RateLimit-Reset-After", Offset: -1, Err: parse.ErrMissing},
		{Field: "X-Rate-Limit-Remaining", Offset: 3, Err: parse.ErrConflict},
		{Field: "X-Rate-Limit-Name", Offset: -1, Err: parse.ErrTooLong},
	}
	for range 20 {
		f := parse.Header(h)
		var got []parse.Error
		for _, p := range f.Problems {
			got = append(got, *p)
		}
		require.Equal(t, want, got, "whatever the order of the map")
		require.Len(t, serviceLimits(&f), 1, "a field's failure does not touch the rest")
		require.Equal(t, int64(4), xDashed(&f).Remaining)
		require.Equal(t, bare(time.Minute), xDashed(&f).Reset)
		require.False(t, trioOf(&f).Present)
	}
}

func TestErrorHoldsNoValue(t *testing.T) {
	f := parse.Header(http.Header{"Retry-After": {"secret"}, "X-Ratelimit-Limit": {"secret"}})
	require.Len(t, f.Problems, 2)
	for _, p := range f.Problems {
		require.NotContains(t, p.Error(), "secret")
		require.True(t, strings.HasPrefix(p.Error(), "parse: "))
	}
}

func TestHeaderEmpty(t *testing.T) {
	require.Zero(t, parse.Header(nil))
	require.Zero(t, parse.Header(http.Header{}))
	require.Zero(t, parse.Header(http.Header{"Date": {"Tue, 14 Mar 2017 16:16:00 GMT"}, "X-Request-Id": {"5"}, "Server": nil}))
}
