package hostile

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/validate"
)

// hostileFamilies write four texts into the fields of each family, as the quota, the remaining units,
// the reset and the window.
var hostileFamilies = []struct {
	name   string
	header func(q, r, t, w string) http.Header
}{
	{"draft-10", func(q, r, t, w string) http.Header {
		return kit.Fields("RateLimit", `"a";r=`+r+`;t=`+t, "RateLimit-Policy", `"a";q=`+q+`;w=`+w)
	}},
	{"draft-07", func(q, r, t, w string) http.Header {
		return kit.Fields("RateLimit", "limit="+q+", remaining="+r+", reset="+t, "RateLimit-Policy", q+";w="+w)
	}},
	{"trio", func(q, r, t, w string) http.Header {
		return kit.Fields("RateLimit-Limit", q, "RateLimit-Remaining", r, "RateLimit-Reset", t, "RateLimit-Policy", q+";w="+w)
	}},
	{"X-RateLimit", func(q, r, t, _ string) http.Header {
		return kit.Fields("X-RateLimit-Limit", q, "X-RateLimit-Remaining", r, "X-RateLimit-Reset", t)
	}},
	{"X-Rate-Limit", func(q, r, t, _ string) http.Header {
		return kit.Fields("X-Rate-Limit-Limit", q, "X-Rate-Limit-Remaining", r, "X-Rate-Limit-Reset", t)
	}},
	{"Retry-After", func(_, _, t, _ string) http.Header { return kit.Fields("Retry-After", t) }},
}

// hostileTexts replace every number at once.
var hostileTexts = []struct{ name, text string }{
	{"a 10 MB field", strings.Repeat("9", 10<<20)},
	{"10 MB of a quoted string", `"` + strings.Repeat("x", 10<<20)},
	{"100,000 members", strings.Repeat("1, ", 99_999) + "1"},
	{"100,000 parameters", "1" + strings.Repeat(";a=1", 100_000)},
	{"100,000 opening brackets", strings.Repeat("(", 100_000)},
	{"nested quotes", `"\"\\\"(\"\\\\\"a\";r=1\"` + `"""`},
	{"NaN", "NaN"},
	{"infinite", "-Inf"},
	{"an exponent", "1e999999999"},
	{"not ASCII", "\x00\xff٣\r\n"},
	{"empty", ""},
	{"100 digits and one", strings.Repeat("9", 101)},
	{"signs", "+-1"},
}

// A text that is no number is ignored, as if the server reported nothing. After the first response
// three requests go at once, and no other request is delayed.
func TestHostileTextIsIgnored(t *testing.T) {
	eachHostileText(t, func(t *testing.T, header http.Header) {
		t.Helper()
		server := kit.Always(http.StatusOK, header)
		transport := kit.Seeded(t, &headway.Transport{Base: server})
		first(t, transport, http.StatusOK, header)

		started := time.Now()
		for _, err := range kit.Crowd(t.Context(), transport, 40) {
			require.NoError(t, err)
		}
		require.Equal(t, 3, server.Arrived(started, 1), "as if there were no header")
		require.Equal(t, 4*server.Latency, time.Since(started), "as if there were no header")
		for _, p := range transport.State() {
			require.Empty(t, p.Limits)
		}
	})
}

// A 429 with nonsense fields counts as a bare 429. The resends back off, and the last 429 is handed
// back.
func TestHostileTextOnRefusals(t *testing.T) {
	eachHostileText(t, func(t *testing.T, header http.Header) {
		t.Helper()
		server := kit.Always(http.StatusTooManyRequests, header)
		started := time.Now()
		first(t, kit.Seeded(t, &headway.Transport{Base: server}), http.StatusTooManyRequests, header)
		require.Equal(t, 1+headway.DefaultMaxRetries, server.Sent())
		require.GreaterOrEqual(t, time.Since(started), 1500*time.Millisecond, "half a second, doubled")
		require.LessOrEqual(t, time.Since(started), 15*time.Second)
	})
}

func eachHostileText(t *testing.T, check func(*testing.T, http.Header)) {
	t.Helper()
	for _, family := range hostileFamilies {
		for _, test := range hostileTexts {
			t.Run(family.name+"/"+test.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					check(t, family.header(test.text, test.text, test.text, test.text))
				})
			})
		}
	}
}

// hostileNumbers are well-formed numbers that no server can mean.
var hostileNumbers = []struct {
	name       string
	q, r, t, w string
	wait       bool // reports no remaining quota for a minute or more
}{
	{name: "one in a window of 292 years", q: "1", r: "0", t: years292, w: years292, wait: true},
	{name: "15 digits", q: billions, r: billions, t: "1", w: "1"},
	{name: "15 digits, for 32 million years", q: billions, r: billions, t: billions, w: billions},
	{name: "10^15", q: tenTo15, r: tenTo15, t: "1", w: "1"},
	{name: "reset of 10^15", q: tenTo15, r: tenTo15, t: tenTo15, w: tenTo15},
	{name: "more left than there is", q: "100", r: billions, t: "1", w: "1"},
	{name: "negative", q: minus, r: minus, t: minus, w: minus},
	{name: "all 0", q: "0", r: "0", t: "0", w: "0"},
}

const (
	years292 = "9223372036" // in seconds: the longest time.Duration
	billions = "999999999999999"
	minus    = "-100000000000000"
	tenTo15  = "1000000000000000" // one digit too many for a structured field
)

// A number beyond Bounds does not stop a client for good. A request that would wait longer than
// MaxWait is refused at once, and the others go. After Bounds.MaxReset all is as before.
func TestHostileNumbersStopNoClient(t *testing.T) {
	for _, family := range hostileFamilies[:5] {
		for _, test := range hostileNumbers {
			t.Run(family.name+"/"+test.name, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					header := family.header(test.q, test.r, test.t, test.w)
					server := kit.Always(http.StatusOK, header)
					transport := kit.Seeded(t, &headway.Transport{Base: server})
					first(t, transport, http.StatusOK, header)
					started := time.Now()
					ctx, cancel := t.Context(), func() {}
					if test.wait { // sooner than a second look
						ctx, cancel = context.WithTimeout(ctx, 50*time.Second)
					}
					defer cancel()
					errs := kit.Crowd(ctx, transport, 100)
					if !test.wait {
						require.LessOrEqual(t, time.Since(started), 2*time.Second)
						require.NoError(t, errors.Join(errs...))
						return
					}
					requireRefused(t, errs)
					require.Equal(t, 1, server.Sent())
					require.Equal(t, started, time.Now(), "refused at once")
					second, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
					defer cancel()
					require.NoError(t, kit.Fetch(second, transport, kit.ServerURL))
					require.GreaterOrEqual(t, time.Since(started), time.Minute-2*time.Second, "the second look")
					time.Sleep(longest)
					first(t, transport, http.StatusOK, header)
				})
			})
		}
	}
}

// longest is how long a server can stop a client: for a reset and two intervals, all at their bounds,
// with jitter.
const longest = 3*validate.DefaultMaxReset + validate.DefaultMaxReset/5

func requireRefused(t *testing.T, errs []error) {
	t.Helper()
	for _, err := range errs {
		var limit *headway.LimitError
		require.ErrorAs(t, err, &limit)
		require.Positive(t, limit.Wait)
	}
}

// Bounds.MaxRate bounds the pace, even if the server reports a larger quota. A quota is never used
// more than twice as fast, and at most Transport.Burst of it goes at once.
func TestHostileNumbersMakeNoFlood(t *testing.T) {
	const quota = 100 // the most that MaxRate allows for a window
	for _, family := range hostileFamilies[:5] {
		t.Run(family.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				header := family.header(billions, billions, "10", "10")
				server := kit.Always(http.StatusOK, header)
				transport := kit.Seeded(t, &headway.Transport{Base: server, Bounds: validate.Bounds{MaxRate: 10}})
				first(t, transport, http.StatusOK, header)
				started := time.Now()
				require.NoError(t, errors.Join(kit.Crowd(t.Context(), transport, 1000)...))
				require.LessOrEqual(t, server.Arrived(started, 1), int(headway.DefaultBurst*quota))
				require.LessOrEqual(t, server.Busiest(started, 10*time.Second), 2*quota)
			})
		})
	}
}

// A partition keeps copies of short names, not the fields that contained them.
func TestHostileNamesAreNotKept(t *testing.T) {
	const partitions = 500
	padding := ";x=\"" + strings.Repeat("x", 60<<10) + "\""
	for _, test := range []struct {
		name   string
		status int
	}{{"200", http.StatusOK}, {"429", http.StatusTooManyRequests}} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := &kit.Server{Answer: func(n int, _ *http.Request) *http.Response {
					name := fmt.Sprintf("%q", fmt.Sprint("policy", n))
					return kit.Reply(test.status, kit.Fields("RateLimit", name+";r=0;t=1000000"+padding, "RateLimit-Policy", name+";q=1;w=1"))
				}}
				n := 0
				transport := kit.Seeded(t, &headway.Transport{Base: server, Partition: func(*http.Request) string {
					n++
					return fmt.Sprint("partition", n)
				}})
				before := heap()
				for range partitions {
					err := kit.Fetch(t.Context(), transport, kit.ServerURL)
					require.NoError(t, err)
				}
				grown := heap() - before
				require.Len(t, transport.State(), partitions)
				require.Less(t, grown, int64(partitions*8<<10), "bytes of %d partitions", partitions)
			})
		})
	}
}

func heap() int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.GC()
	runtime.ReadMemStats(&stats)
	return int64(stats.HeapAlloc)
}

// Numbers that set no pace allow no more requests in flight than no report at all.
func TestNumbersWithoutAPaceMakeNoFlood(t *testing.T) {
	for _, header := range []http.Header{
		kit.Fields("RateLimit", `"a";r=0`), kit.Fields("RateLimit", `"a";r=0;t=0`), kit.Fields("RateLimit", `"a";r=5`),
		kit.Fields("X-RateLimit-Remaining", "0"), kit.Fields("X-RateLimit-Limit", "5", "X-RateLimit-Remaining", "0"),
		kit.Fields("X-RateLimit-Limit", "5"), kit.Fields("X-RateLimit-Reset", "60"), kit.Fields("RateLimit-Policy", `"a";q=5`),
		kit.Fields("X-RateLimit-Limit", minus, "X-RateLimit-Remaining", minus, "X-RateLimit-Reset", minus),
	} {
		t.Run(fmt.Sprint(header), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := kit.Always(200, header)
				transport := kit.Seeded(t, &headway.Transport{Base: server})
				first(t, transport, 200, header)
				started := time.Now()
				require.NoError(t, errors.Join(kit.Crowd(t.Context(), transport, 100)...))
				require.LessOrEqual(t, server.Arrived(started, 1), 3)
			})
		})
	}
}

// first makes a request and checks that the response is exactly the server's.
func first(t *testing.T, rt http.RoundTripper, status int, header http.Header) {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, kit.ServerURL, http.NoBody)
	require.NoError(t, err)
	resp, err := rt.RoundTrip(req)
	require.NoError(t, err)
	body, err := io.ReadAll(resp.Body)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, status, resp.StatusCode)
	require.Equal(t, "body", string(body))
	require.True(t, maps.EqualFunc(header, resp.Header, slices.Equal[[]string]), "header was changed") // not require.Equal, which would print ten megabytes
}
