package services

import (
	"cmp"
	"context"
	"io"
	"maps"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// A row is a response, and how long it delays the next request, counted from the end of its body.
type row struct {
	name     string
	url      string // "": one without a profile
	status   int
	header   http.Header
	trailer  http.Header
	isSilent bool          // the trailer is not announced
	takes    time.Duration // until the end of the body
	isLeft   bool          // the caller closes the body before its end
	held     time.Duration
	refused  int // how often the request was refused, by the hook
}

// with returns h and the fields of these names and values.
func with(h http.Header, namesAndValues ...string) http.Header {
	h = h.Clone()
	maps.Copy(h, kit.Fields(namesAndValues...))
	return h
}

// What a header says about time decides when the next request goes, whether it is read as it is meant or not.
func TestNextRequest(t *testing.T) {
	const prisjakt = "https://api.schibsted.com"
	numbers := func(limit, remaining, reset string) http.Header {
		return kit.Fields("X-RateLimit-Limit", limit, "X-RateLimit-Remaining", remaining, "X-RateLimit-Reset", reset)
	}
	policies := kit.Fields("RateLimit", `"second";r=0;t=1, "minute";r=0;t=60, "day";r=90000;t=80000`)
	for _, test := range []row{
		{name: "Retry-After without a refusal, as Flask-Limiter sends it", header: kit.Fields("Retry-After", "3600")},
		{name: "Retry-After 0 of a 403, as Jira sends it", status: 403, header: kit.Fields("Retry-After", "0")},
		// Discord's shared and GitHub's secondary limits need that.
		{name: "Retry-After before the reset, quota left", status: 429, header: with(numbers("5000", "4987", "60"), "Retry-After", "5"), held: 5 * time.Second, refused: 1},
		{name: "Retry-After after the reset, quota left", status: 429, header: with(numbers("5000", "4987", "5"), "Retry-After", "60"), held: time.Minute, refused: 1},
		{name: "Retry-After of a 403, quota left", status: 403, header: with(numbers("5000", "4987", "5"), "Retry-After", "60"), held: time.Minute, refused: 1},
		{name: "a malformed Retry-After", status: 429, header: with(numbers("5000", "0", "60"), "Retry-After", "soon"), held: time.Minute, refused: 1},
		{name: "two lines of Retry-After", status: 429, header: http.Header{"Retry-After": {"5", "60"}}, held: time.Minute, refused: 1},

		{name: "the latest reset of limits without quota", header: policies, held: time.Minute},
		{name: "the latest reset of two families", header: with(numbers("9", "0", "60"), "RateLimit-Remaining", "0", "RateLimit-Reset", "5"), held: time.Minute},
		{name: "units left", header: kit.Fields("RateLimit-Policy", `"a";q=600;w=60`, "RateLimit", `"a";r=300;t=60`)},
		{name: "two lines of one field", header: http.Header{"X-Ratelimit-Remaining": {"9", "0"}, "X-Ratelimit-Reset": {"5", "60"}}, held: time.Minute},
		{name: "a negative remaining", header: numbers("600", "-1", "60")},
		{name: "all 0, as Tyk sends it without a quota", header: numbers("0", "0", "0")},
		{name: "milliseconds, by the profile of Prisjakt", url: prisjakt + "/prisjakt/partner-search", header: numbers("1000", "0", "600000"), held: 10 * time.Minute},
		// For others the same number is doubted. The window is then measured, and taken for a minute at first.
		{name: "milliseconds, of another path of that host", url: prisjakt + "/other", header: numbers("1000", "0", "600000"), held: time.Minute},
		{name: "a reset in the past", header: numbers("10", "0", "1893452400")},
		{name: "a reset of a clock that is an hour fast", header: with(numbers("10", "0", "1893459620"), "Date", "Tue, 01 Jan 2030 01:00:00 GMT"), held: 20 * time.Second},
		{name: "from a cache", header: with(numbers("600", "0", "60"), "Age", "5")},
		{name: "from a cache that has just fetched it", header: with(numbers("600", "0", "60"), "Age", "0"), held: time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test.run(t) })
		})
	}
}

// What a trailer reports counts as in a header, from the end of the body, if a trailer is announced and read.
func TestNextRequestAfterATrailer(t *testing.T) {
	usedUp := kit.Fields("RateLimit", `"default";r=0;t=30`)
	atMinute := kit.Fields("X-RateLimit-Limit", "60", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "1893456060")
	for _, test := range []row{
		{name: "used up", trailer: usedUp, held: 30 * time.Second},
		{name: "not announced", trailer: usedUp, isSilent: true},
		{name: "closed early", trailer: usedUp, isLeft: true},
		{name: "used up beside a header with more", header: kit.Fields("RateLimit", `"default";r=9;t=30`), trailer: usedUp, held: 30 * time.Second},
		{name: "an instant", trailer: atMinute, takes: 40 * time.Second, held: 20 * time.Second},
		{name: "Retry-After", trailer: kit.Fields("Retry-After", "30")},
		{name: "Retry-After beside a limit", trailer: with(usedUp, "Retry-After", "300"), held: 30 * time.Second},
		{name: "of an error", status: 404, trailer: usedUp, held: 30 * time.Second},
		{name: "of a 403, which then is no refusal", status: 403, trailer: usedUp, held: 30 * time.Second},
		{name: "of a 429", status: 429, header: kit.Fields("Retry-After", "5"), trailer: usedUp, held: 30 * time.Second, refused: 1},
		{name: "from a cache", header: kit.Fields("Age", "5"), trailer: usedUp},
		{name: "longer than all bounds, which is checked after a minute as in a header", trailer: kit.Fields("RateLimit", `"default";r=0;t=999999999999999`), held: time.Minute},
		{name: "hostile", trailer: kit.Fields("RateLimit", strings.Repeat(`"a";r=0;t=9,`, 1<<16), "X-RateLimit-Remaining", "\x00", "RateLimit-Reset", "-")},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test.run(t) })
		})
	}
}

func (x *row) run(t *testing.T) {
	t.Helper()
	time.Sleep(time.Until(kit.Epoch()))
	server := &kit.Server{Answer: func(n int, _ *http.Request) *http.Response {
		if n > 0 {
			return kit.Reply(http.StatusOK, nil)
		}
		resp := kit.Reply(max(x.status, http.StatusOK), x.header)
		resp.TransferEncoding, resp.Trailer = []string{"chunked"}, http.Header{}
		for name := range x.trailer {
			if !x.isSilent {
				resp.Trailer[name] = nil
			}
		}
		resp.Body = &slowBody{takes: x.takes, end: func() { resp.Trailer = x.trailer.Clone() }}
		return resp
	}}
	refused := 0
	transport := kit.Seeded(t, &headway.Transport{
		Base: server, MaxRetries: -1,
		Trace: &headway.Trace{Throttled: func(context.Context, headway.ThrottledInfo) { refused++ }},
	})
	resp, err := kit.Get(t.Context(), transport, cmp.Or(x.url, kit.ServerURL))
	require.NoError(t, err)
	if !x.isLeft {
		_, err = io.ReadAll(resp.Body)
		require.NoError(t, err)
	}
	require.NoError(t, resp.Body.Close())
	ended := time.Now()
	_, err = kit.Get(t.Context(), transport, cmp.Or(x.url, kit.ServerURL))
	require.NoError(t, err)
	require.Equal(t, 2, server.Sent(), "nothing was sent again")
	require.Equal(t, x.refused, refused)
	kit.RequireHeld(t, x.held, server.Calls()[1].At.Sub(ended))
}

// A slowBody is a body without data, which ends after a time.
type slowBody struct {
	takes time.Duration
	end   func()
}

func (b *slowBody) Read([]byte) (int, error) {
	time.Sleep(b.takes)
	b.end()
	return 0, io.EOF
}

func (b *slowBody) Close() error { return nil }

// A panic of a hook reaches the caller, and leaves no place taken.
func TestPanicOfAHook(t *testing.T) {
	transport := &headway.Transport{
		Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
			resp := kit.Respond(req, http.StatusOK, "RateLimit-Policy", `"c";q=1;qu="concurrent-requests"`, "RateLimit", `"c";r=0`)
			resp.Body = io.NopCloser(strings.NewReader("text"))
			resp.Trailer = kit.Fields("RateLimit", `"default";r=5;t=30`)
			return resp, nil
		}),
		Trace: &headway.Trace{Reading: func(_ context.Context, info headway.ReadingInfo) {
			if info.Trailer {
				panic("hook")
			}
		}},
	}
	resp, err := kit.Get(t.Context(), transport, kit.URL)
	require.NoError(t, err)
	require.PanicsWithValue(t, "hook", func() { _, _ = io.ReadAll(resp.Body) })
	require.NoError(t, resp.Body.Close())
	require.Zero(t, transport.State()[0].InFlight)
}
