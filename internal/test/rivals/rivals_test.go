package rivals

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/internal/test/page"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/ratelimittest"
	"github.com/headway-go/headway/validate"
)

var write = flag.Bool("write", false, "write the table of scenarios into docs/figures/suites.md")

// A scenario is a behaviour that a limiter demands of itself, in our own words.
type scenario struct {
	limiter string
	demand  string
	run     func(t *testing.T)
}

const (
	gofri      = "go-github-ratelimit"
	octokit    = "Octokit's throttling plug-in"
	aws        = "AWS SDK, adaptive retry"
	bottleneck = "Bottleneck"
	prawcore   = "prawcore"
	wandb      = "wandb"
)

func scenarios() []scenario {
	return []scenario{
		{gofri, "Once a resource's quota is used up, nothing is sent to it until its reset.", virtual(waitsForReset)},
		{gofri, "A used-up resource does not stop another one.", virtual(otherResourceGoesOn)},
		{gofri, "A request that may not wait gets an error at once, and nothing is sent.", virtual(refusesAtOnce)},
		{gofri, "The caller may have a response instead of that error.", virtual(refusesWithResponse)},
		{gofri, "A secondary limit is known by its message or its documentation_url, also by the old name of abuse.", virtual(knowsSecondary)},
		{gofri, "While a secondary limit lasts, no other request of the user is sent.", virtual(secondaryStopsAll)},
		{gofri, "A secondary limit that lasts longer than the caller waits is handed back, body and all.", virtual(longSecondaryIsHandedBack)},
		{gofri, "A 403 of another kind is handed back, body and all, and stops nothing.", virtual(otherForbidden)},
		{octokit, "A refused request is sent again, with its body, and a bounded number of times.", virtual(resendsBounded)},
		{octokit, "The caller may turn the sending again off.", virtual(resendsNothing)},
		{octokit, "A GraphQL query that is refused with status 200 is sent again.", virtual(refusedWithStatus200)},
		{octokit, "A secondary limit without a time holds for a minute.", virtual(minuteWithoutTime)},
		{aws, "Nothing is paced before the first refusal.", virtual(unpacedWithoutRefusal)},
		{aws, "Without any field the pace is found by trial: few requests are refused, and all are served.", findsPace},
		{aws, "When a server throttles no longer, the pace grows again.", virtual(paceGrows)},
		{bottleneck, "A reservoir is never overdrawn, from refresh to refresh, and is used.", reservoir},
		{bottleneck, "No more than so many requests are in flight.", inFlight},
		{bottleneck, "Jobs of higher priority go first, and equals in order.", virtual(priorities)},
		{bottleneck, "A job may weigh more than one.", virtual(weights)},
		{bottleneck, "A job that is cancelled while it waits uses nothing.", virtual(cancelled)},
		{bottleneck, "A limit of the caller's own holds without any field: a minimum time between two requests.", virtual(ownLimit)},
		{prawcore, "Decimal numbers are read: 598.0 left.", virtual(decimals)},
		{prawcore, "What is left is spread over the time until the reset.", virtual(spread)},
		{prawcore, "With nothing left the next request waits for the reset.", virtual(waitsForReset)},
		{prawcore, "A Retry-After of a 429 is obeyed.", virtual(retryAfter)},
		{wandb, "When the server reports less per second, the pace falls.", virtual(paceFollows)},
		{wandb, "A reset of 0 neither stops the client nor floods the server.", virtual(resetOfZero)},
		{wandb, "Responses without fields, after some with them, stop nothing.", virtual(fieldsEnd)},
	}
}

// virtual returns a scenario that runs in virtual time.
func virtual(run func(*testing.T)) func(*testing.T) {
	return func(t *testing.T) {
		t.Helper()
		synctest.Test(t, run)
	}
}

// TestRivals runs each scenario in virtual time.
func TestRivals(t *testing.T) {
	for i, s := range scenarios() {
		t.Run(fmt.Sprintf("%02d %s", i+1, s.limiter), func(t *testing.T) {
			t.Log(s.demand)
			s.run(t)
		})
	}
}

// TestPage holds the table in docs/figures/suites.md to the scenarios.
func TestPage(t *testing.T) {
	rows := [][]string{{"limiter", "what it demands"}}
	for _, s := range scenarios() {
		rows = append(rows, []string{s.limiter, s.demand})
	}
	folder, err := page.Figures()
	require.NoError(t, err)
	kit.RequireTable(t, folder, "suites.md", "rivals", rows, *write)
}

const (
	github = "https://api.github.com/"
	core   = github + "repos/a/b"
	search = github + "search/code"
)

// quota returns GitHub's fields.
func quota(resource string, left int, reset time.Duration) http.Header {
	return kit.Fields("Content-Type", "application/json", "X-RateLimit-Limit", fmt.Sprint(max(30, 100*left)), "X-RateLimit-Remaining", fmt.Sprint(left),
		"X-RateLimit-Reset", fmt.Sprint(time.Now().Add(reset).Unix()), "X-RateLimit-Resource", resource)
}

// reply returns a response with a body of its own.
func reply(status int, header http.Header, body string) *http.Response {
	resp := kit.Reply(status, header)
	resp.Body = io.NopCloser(strings.NewReader(body))
	return resp
}

// refusing returns a server that refuses its first n requests with a response, and serves the others.
func refusing(n int, refusal func() *http.Response) *kit.Server {
	return &kit.Server{Latency: 50 * time.Millisecond, Answer: func(i int, _ *http.Request) *http.Response {
		if i < n {
			return refusal()
		}
		return reply(http.StatusOK, nil, "done")
	}}
}

// get makes a request and returns its response's status and body. It may be called from any goroutine.
func get(ctx context.Context, rt http.RoundTripper, url string) (status int, text string, err error) {
	resp, err := kit.Get(ctx, rt, url)
	if err != nil {
		return 0, "", err
	}
	body, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(body), errors.Join(err, resp.Body.Close())
}

// requireServed makes a request that must be served.
func requireServed(t *testing.T, rt http.RoundTripper, url string) {
	t.Helper()
	status, _, err := get(t.Context(), rt, url)
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status)
}

func waitsForReset(t *testing.T) {
	t.Helper()
	server := refusing(1, func() *http.Response { return reply(http.StatusForbidden, quota("core", 0, 10*time.Minute), "{}") })
	transport := &headway.Transport{Base: server}
	requireServed(t, transport, core)
	require.Equal(t, 2, server.Sent())
	require.GreaterOrEqual(t, server.Gap(1), 10*time.Minute)
	require.LessOrEqual(t, server.Gap(1), 11*time.Minute)
}

func otherResourceGoesOn(t *testing.T) {
	t.Helper()
	exhausted := time.Now().Add(20 * time.Minute)
	server := &kit.Server{Latency: 50 * time.Millisecond, Answer: func(_ int, req *http.Request) *http.Response {
		switch {
		case strings.HasPrefix(req.URL.Path, "/search"):
			return reply(http.StatusOK, quota("search", 29, time.Minute), "found")
		case time.Now().Before(exhausted):
			return reply(http.StatusOK, quota("core", 0, time.Until(exhausted)), "the last one")
		default:
			return reply(http.StatusOK, quota("core", 29, time.Hour), "again")
		}
	}}
	transport := &headway.Transport{Base: server}
	requireServed(t, transport, search)
	requireServed(t, transport, core)
	var waiting sync.WaitGroup
	waiting.Go(func() { _, _, _ = get(t.Context(), transport, core) })
	synctest.Wait()
	begun := time.Now()
	requireServed(t, transport, search)
	require.LessOrEqual(t, time.Since(begun), 5*time.Second)
	waiting.Wait()
	require.False(t, time.Now().Before(exhausted), "the other resource has waited")
}

// usedUp returns a transport that knows that nothing is left for half an hour.
func usedUp(t *testing.T, refusal headway.Refusal) (*kit.Server, *headway.Transport) {
	t.Helper()
	server := kit.Always(http.StatusOK, quota("core", 0, 30*time.Minute))
	transport := &headway.Transport{Base: server, Refusal: refusal}
	requireServed(t, transport, core)
	return server, transport
}

func refusesAtOnce(t *testing.T) {
	t.Helper()
	server, transport := usedUp(t, headway.RefuseWithError)
	begun := time.Now()
	_, _, err := get(headway.WithMaxWait(t.Context(), time.Minute), transport, core)
	limit, ok := errors.AsType[*headway.LimitError](err)
	require.True(t, ok, "%v", err)
	require.WithinDuration(t, begun.Add(30*time.Minute), limit.RetryAt, 5*time.Second)
	require.WithinDuration(t, begun, time.Now(), 0)
	require.Equal(t, 1, server.Sent())
}

func refusesWithResponse(t *testing.T) {
	t.Helper()
	server, transport := usedUp(t, headway.RefuseWithResponse)
	resp, err := kit.Get(headway.WithMaxWait(t.Context(), time.Minute), transport, core)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	require.Equal(t, http.StatusTooManyRequests, resp.StatusCode)
	require.NotEmpty(t, resp.Header.Get("Retry-After"))
	_, ok := headway.Refused(resp)
	require.True(t, ok)
	require.Equal(t, 1, server.Sent())
}

// secondaries are bodies of GitHub that report a secondary limit.
func secondaries() []string {
	return []string{
		`{"message":"You have exceeded a secondary rate limit. Please wait a few minutes.","documentation_url":"https://docs.github.com/x"}`,
		`{"message":"Slow down.","documentation_url":"https://docs.github.com/rest/overview/resources-in-the-rest-api#secondary-rate-limits"}`,
		`{"message":"Slow down.","documentation_url":"https://docs.github.com/rest/using-the-rest-api/about-secondary-rate-limits"}`,
		`{"message":"You have triggered an abuse detection mechanism.","documentation_url":"https://developer.github.com/v3/#abuse-rate-limits"}`,
	}
}

// refusedBySecondary returns a refusal with a Retry-After in seconds, or without one.
func refusedBySecondary(body, seconds string) func() *http.Response {
	return func() *http.Response {
		header := quota("core", 4000, 30*time.Minute)
		if seconds != "" {
			header.Set("Retry-After", seconds)
		}
		return reply(http.StatusForbidden, header, body)
	}
}

func knowsSecondary(t *testing.T) {
	t.Helper()
	for _, body := range secondaries() {
		for seconds, held := range map[string]time.Duration{"90": 90 * time.Second, "": time.Minute} {
			server := refusing(1, refusedBySecondary(body, seconds))
			status, _, err := get(t.Context(), &headway.Transport{Base: server}, core)
			require.NoError(t, err)
			require.Equal(t, http.StatusOK, status, body)
			kit.RequireHeld(t, held, server.Gap(1)-server.Latency)
		}
	}
}

func secondaryStopsAll(t *testing.T) {
	t.Helper()
	server := refusing(1, refusedBySecondary(secondaries()[0], "60"))
	transport := &headway.Transport{Base: server}
	begun := time.Now()
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() { _, _, _ = get(t.Context(), transport, fmt.Sprint(github, "users/", i)) })
		time.Sleep(100 * time.Millisecond)
	}
	all.Wait()
	require.Equal(t, 1, server.Arrived(begun, time.Minute))
	require.Equal(t, 21, server.Sent())
}

func longSecondaryIsHandedBack(t *testing.T) {
	t.Helper()
	server := refusing(1, refusedBySecondary(secondaries()[0], "3600"))
	begun := time.Now()
	status, text, err := get(t.Context(), &headway.Transport{Base: server, MaxWait: time.Minute}, core)
	require.NoError(t, err)
	require.Equal(t, http.StatusForbidden, status)
	require.Equal(t, secondaries()[0], text)
	require.Equal(t, server.Latency, time.Since(begun))
}

func otherForbidden(t *testing.T) {
	t.Helper()
	const body = `{"message":"Resource not accessible by integration","documentation_url":"https://docs.github.com/rest/issues"}`
	server := refusing(1, refusedBySecondary(body, ""))
	transport := &headway.Transport{Base: server}
	status, text, err := get(t.Context(), transport, core)
	require.NoError(t, err)
	require.Equal(t, http.StatusForbidden, status)
	require.Equal(t, body, text) //nolint:testifylint // every byte counts
	begun := time.Now()
	requireServed(t, transport, core)
	require.LessOrEqual(t, time.Since(begun), time.Second)
}

// post sends a body, and returns the response's status.
func post(t *testing.T, rt http.RoundTripper) int {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, core, strings.NewReader("payload"))
	require.NoError(t, err)
	resp, err := rt.RoundTrip(req)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return resp.StatusCode
}

func resendsBounded(t *testing.T) {
	t.Helper()
	server := refusing(100, refusedBySecondary(secondaries()[0], "5"))
	require.Equal(t, http.StatusForbidden, post(t, &headway.Transport{Base: server}))
	require.Equal(t, 1+headway.DefaultMaxRetries, server.Sent())
	for _, call := range server.Calls() {
		require.Equal(t, "payload", call.Body)
	}
}

func resendsNothing(t *testing.T) {
	t.Helper()
	server := refusing(100, refusedBySecondary(secondaries()[0], "5"))
	require.Equal(t, http.StatusForbidden, post(t, &headway.Transport{Base: server, MaxRetries: -1}))
	require.Equal(t, 1, server.Sent())
}

func refusedWithStatus200(t *testing.T) {
	t.Helper()
	server := refusing(1, func() *http.Response {
		return reply(http.StatusOK, quota("graphql", 0, 2*time.Minute), `{"errors":[{"type":"RATE_LIMITED"}]}`)
	})
	transport := &headway.Transport{Base: server, Limits: func(resp *http.Response) validate.Reading {
		body, err := io.ReadAll(resp.Body)
		if err != nil || !strings.Contains(string(body), `"RATE_LIMITED"`) {
			return validate.Reading{}
		}
		return validate.Reading{Verdict: validate.VerdictUnknown, RetryAfter: 2 * time.Minute}
	}}
	status, text, err := get(t.Context(), transport, github+"graphql")
	require.NoError(t, err)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "done", text)
	require.GreaterOrEqual(t, server.Gap(1), 2*time.Minute-time.Second)
}

func minuteWithoutTime(t *testing.T) {
	t.Helper()
	server := refusing(1, refusedBySecondary(secondaries()[0], ""))
	requireServed(t, &headway.Transport{Base: server}, core)
	kit.RequireHeld(t, time.Minute, server.Gap(1)-server.Latency)
}

// play runs a workload at a server that reports its limit in a dialect, in virtual time.
func play(t *testing.T, limiter ratelimittest.Limiter, dialect ratelimittest.Dialect, load ratelimittest.Workload) ratelimittest.Figures {
	t.Helper()
	return ratelimittest.Run(t, ratelimittest.Scenario{
		Limiter: limiter, Dialect: dialect, RetryAfter: ratelimittest.Silent, Load: load, Latency: 50 * time.Millisecond,
		NewClient: func(base http.RoundTripper) *http.Client {
			return &http.Client{Transport: &headway.Transport{Base: base, MaxRetries: 10}}
		},
	})
}

func unpacedWithoutRefusal(t *testing.T) {
	t.Helper()
	server := &kit.Server{Latency: 50 * time.Millisecond, Answer: func(int, *http.Request) *http.Response { return kit.Reply(http.StatusOK, nil) }}
	transport := &headway.Transport{Base: server}
	requireServed(t, transport, kit.URL)
	begun := time.Now()
	for range 200 {
		requireServed(t, transport, kit.URL)
	}
	require.LessOrEqual(t, time.Since(begun), 200*server.Latency+time.Second)
}

func findsPace(t *testing.T) {
	t.Helper()
	f := play(t, &ratelimittest.TokenBucket{Policy: ratelimittest.Per(10, time.Second)}, ratelimittest.Silent, ratelimittest.Batch{Requests: 600, Workers: 20})
	require.Equal(t, 600, f.Served)
	require.LessOrEqual(t, f.RefusedPerMille(), 200.0)
	require.LessOrEqual(t, f.Took, 90*time.Second, "1.5 of the time at its rate")
}

func paceGrows(t *testing.T) {
	t.Helper()
	begun := time.Now()
	server := &kit.Server{Latency: 50 * time.Millisecond}
	second, inSecond := time.Time{}, 0
	var mu sync.Mutex
	server.Answer = func(int, *http.Request) *http.Response {
		mu.Lock()
		defer mu.Unlock()
		if now := time.Now().Truncate(time.Second); now != second {
			second, inSecond = now, 0
		}
		inSecond++
		if time.Since(begun) < time.Minute && inSecond > 5 { // a brown-out
			return kit.Reply(http.StatusTooManyRequests, nil)
		}
		return kit.Reply(http.StatusOK, nil)
	}
	transport := &headway.Transport{Base: server, MaxRetries: 10}
	var workers sync.WaitGroup
	for range 8 {
		workers.Go(func() {
			for time.Since(begun) < 10*time.Minute {
				_, _, _ = get(t.Context(), transport, kit.URL)
			}
		})
	}
	workers.Wait()
	slow, fast := server.Arrived(begun, time.Minute), server.Arrived(begun.Add(9*time.Minute), time.Minute)
	require.LessOrEqual(t, slow, 2*5*60)
	require.GreaterOrEqual(t, fast, 4*5*60)
}

func reservoir(t *testing.T) {
	t.Helper()
	f := play(t, &ratelimittest.FixedWindow{Policy: ratelimittest.Per(100, time.Minute)}, ratelimittest.Trio, ratelimittest.Batch{Requests: 1000, Workers: 20})
	require.Equal(t, 1000, f.Served)
	require.Zero(t, f.Refused)
	require.LessOrEqual(t, f.Slowdown(), 1.15)
}

func inFlight(t *testing.T) {
	t.Helper()
	f := play(t, &ratelimittest.Concurrency{Policy: ratelimittest.Policy{Quota: 3}}, ratelimittest.Draft10, ratelimittest.Batch{Requests: 300, Workers: 20})
	require.Equal(t, 300, f.Served)
	require.LessOrEqual(t, f.RefusedPerMille(), 10.0)
}

// queued returns a transport whose requests wait for each other: one per second.
func queued(t *testing.T) (*kit.Server, *headway.Transport) {
	t.Helper()
	server := kit.Always(http.StatusOK, kit.Fields("RateLimit-Policy", `"default";q=60;w=60`, "RateLimit", `"default";r=30;t=30`))
	transport := &headway.Transport{Base: server, Burst: -1, Jitter: -1}
	for range 2 {
		requireServed(t, transport, kit.URL)
	}
	return server, transport
}

func priorities(t *testing.T) {
	t.Helper()
	_, transport := queued(t)
	var mu sync.Mutex
	var order []string
	var jobs sync.WaitGroup
	for i, priority := range []int{0, 0, 5, -1, 5, 9} {
		jobs.Go(func() {
			_, _, err := get(headway.WithPriority(t.Context(), priority), transport, kit.URL)
			mu.Lock()
			defer mu.Unlock()
			order = append(order, fmt.Sprint(priority, " ", i))
			if err != nil {
				t.Error(err)
			}
		})
		synctest.Wait()
	}
	jobs.Wait()
	require.Equal(t, []string{"9 5", "5 2", "5 4", "0 0", "0 1", "-1 3"}, order)
}

func weights(t *testing.T) {
	t.Helper()
	server, transport := queued(t)
	for range 2 {
		_, _, err := get(headway.WithCost(t.Context(), limits.Requests, 10), transport, kit.URL)
		require.NoError(t, err)
	}
	requireServed(t, transport, kit.URL)
	require.GreaterOrEqual(t, server.Gap(3), 9*time.Second, "the first one's ten units")
	require.GreaterOrEqual(t, server.Gap(4), 9*time.Second)
}

func cancelled(t *testing.T) {
	t.Helper()
	server, transport := queued(t)
	ctx, cancel := context.WithCancel(t.Context())
	var jobs sync.WaitGroup
	for range 20 {
		jobs.Go(func() {
			if _, _, err := get(ctx, transport, kit.URL); !errors.Is(err, context.Canceled) {
				t.Error(err)
			}
		})
	}
	synctest.Wait()
	cancel()
	jobs.Wait()
	begun := time.Now()
	requireServed(t, transport, kit.URL)
	require.LessOrEqual(t, time.Since(begun), 2*time.Second)
	require.Equal(t, 3, server.Sent())
}

func ownLimit(t *testing.T) {
	t.Helper()
	server := kit.Always(http.StatusOK, nil)
	transport := &headway.Transport{Base: server, Ceiling: rate.NewLimiter(rate.Every(250*time.Millisecond), 1)}
	errs := kit.Crowd(t.Context(), transport, 20)
	require.Equal(t, make([]error, 20), errs)
	for n := 1; n < 20; n++ {
		require.GreaterOrEqual(t, server.Gap(n), 249*time.Millisecond)
	}
}

func decimals(t *testing.T) {
	t.Helper()
	transport := &headway.Transport{Base: kit.Always(http.StatusOK,
		kit.Fields("X-Ratelimit-Remaining", "598.0", "X-Ratelimit-Used", "2", "X-Ratelimit-Reset", "591"))}
	requireServed(t, transport, "https://oauth.reddit.com/api/v1/me")
	limits := transport.State()[0].Limits
	require.Len(t, limits, 1)
	require.EqualValues(t, 598, limits[0].Remaining)
}

func spread(t *testing.T) {
	t.Helper()
	end := time.Now().Add(5 * time.Minute)
	left := 100
	server := &kit.Server{Latency: 10 * time.Millisecond, Answer: func(int, *http.Request) *http.Response {
		left--
		return kit.Reply(http.StatusOK, kit.Fields("X-Ratelimit-Remaining", fmt.Sprintf("%d.0", left),
			"X-Ratelimit-Used", fmt.Sprint(600-left), "X-Ratelimit-Reset", fmt.Sprint(int(time.Until(end).Seconds()+1))))
	}}
	transport := &headway.Transport{Base: server}
	begun := time.Now()
	for range 95 {
		requireServed(t, transport, "https://oauth.reddit.com/api/v1/me")
	}
	require.GreaterOrEqual(t, time.Since(begun), 3*time.Minute)
	require.False(t, time.Now().After(end))
	require.LessOrEqual(t, server.Busiest(begun.Add(time.Minute), time.Minute), 40, "twice an even share")
}

func retryAfter(t *testing.T) {
	t.Helper()
	server := refusing(1, func() *http.Response { return reply(http.StatusTooManyRequests, kit.Fields("Retry-After", "7"), "") })
	requireServed(t, &headway.Transport{Base: server}, kit.URL)
	kit.RequireHeld(t, 7*time.Second, server.Gap(1)-server.Latency)
}

func paceFollows(t *testing.T) {
	t.Helper()
	left, reset := 600, 60 // ten per second
	server := &kit.Server{Latency: 10 * time.Millisecond, Answer: func(int, *http.Request) *http.Response {
		return kit.Reply(http.StatusOK, kit.Fields("RateLimit-Limit", "600", "RateLimit-Remaining", fmt.Sprint(left), "RateLimit-Reset", fmt.Sprint(reset)))
	}}
	transport := &headway.Transport{Base: server, Burst: -1}
	took := func() time.Duration {
		begun := time.Now()
		for range 10 {
			requireServed(t, transport, kit.URL)
		}
		return time.Since(begun)
	}
	took()
	fast := took()
	left = 30 // half a request per second
	requireServed(t, transport, kit.URL)
	slow := took()
	require.LessOrEqual(t, fast, 2*time.Second)
	require.GreaterOrEqual(t, slow, 10*time.Second)
}

func resetOfZero(t *testing.T) {
	t.Helper()
	begun := time.Now()
	server := kit.Always(http.StatusOK, kit.Fields("RateLimit-Limit", "600", "RateLimit-Remaining", "300", "RateLimit-Reset", "0"))
	transport := &headway.Transport{Base: server}
	for range 100 {
		requireServed(t, transport, kit.URL)
	}
	require.LessOrEqual(t, time.Since(begun), time.Minute)
}

func fieldsEnd(t *testing.T) {
	t.Helper()
	fields := kit.Fields("RateLimit-Limit", "60", "RateLimit-Remaining", "30", "RateLimit-Reset", "30")
	server := &kit.Server{Latency: 10 * time.Millisecond, Answer: func(n int, _ *http.Request) *http.Response {
		if n < 3 {
			return kit.Reply(http.StatusOK, fields)
		}
		return kit.Reply(http.StatusOK, nil)
	}}
	transport := &headway.Transport{Base: server}
	begun := time.Now()
	for range 120 {
		requireServed(t, transport, kit.URL)
	}
	require.LessOrEqual(t, time.Since(begun), 3*time.Minute)
}
