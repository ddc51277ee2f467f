package termheadway_test

import (
	"context"
	"io"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/termheadway"
)

// begin makes n concurrent requests in the order of their start. The group ends with them.
func begin(ctx context.Context, rt http.RoundTripper, url string, n int) *sync.WaitGroup {
	var group sync.WaitGroup
	for range n {
		group.Go(func() {
			if resp, err := kit.Get(ctx, rt, url); err == nil {
				_ = resp.Body.Close()
			}
		})
		synctest.Wait()
	}
	return &group
}

// one is the cost of each request in any unit.
func one(*http.Request, limits.Unit) int64 { return 1 }

// What the line says of waits of other causes, after five seconds.
func TestCauses(t *testing.T) {
	for _, test := range []struct {
		name      string
		answer    func(*http.Request) *http.Response
		ceiling   bool
		partition func(*http.Request) string
		begun     time.Duration // since midnight
		want      string
	}{
		{name: "quota", answer: kit.UsedUp(), want: "api.example.com: 2 waiting, next in 56 s, last in 62 s, 0 of 10 left until 00:01"},
		{name: "place", answer: kit.InFlight("1", func() io.ReadCloser { return kit.NewTrackedBody("open") }), want: "api.example.com: 2 waiting, next after a response"},
		{
			name:   "tokens, until tomorrow",
			answer: kit.Status(200, "RateLimit-Policy", `"t";q=1000;w=3000;qu="tokens"`, "RateLimit", `"t";r=0;t=3000`), begun: 23*time.Hour + 30*time.Minute,
			want: "api.example.com: 2 waiting, next in 50 min, 0 of 1000 tokens left until 2 Jan 00:20",
		},
		{
			name: "a partition's own name", answer: kit.UsedUp(), partition: func(*http.Request) string { return "Ann's keys" },
			want: "Ann's keys: 2 waiting, next in 56 s, last in 62 s, 0 of 10 left until 00:01",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			terminal := newTerminal(t, 100)
			synctest.Test(t, func(t *testing.T) {
				time.Sleep(test.begun)
				transport := &headway.Transport{Partition: test.partition, MaxRetries: -1, MaxWait: -1, Jitter: -1, Base: kit.InTurn(test.answer), Cost: one}
				if test.ceiling {
					transport.Ceiling = rate.NewLimiter(rate.Every(time.Hour), 1)
				}
				line := termheadway.Show(terminal, transport)
				_, err := kit.Get(t.Context(), transport, kit.URL) // its body stays open
				require.NoError(t, err)
				ctx, cancel := context.WithCancel(t.Context())
				group := begin(ctx, transport, kit.URL, 2)
				time.Sleep(5 * time.Second)
				synctest.Wait()
				require.Equal(t, test.want, terminal.now())
				cancel()
				group.Wait()
				synctest.Wait()
				require.Empty(t, terminal.now())
				require.NoError(t, line.Close())
			})
		})
	}
}

// Requests that wait for less than a second each are no matter for a person.
func TestShortWaitsAreNotShown(t *testing.T) {
	const fast = `"default";q=100;w=60`
	for _, test := range []struct {
		name      string
		transport func() *headway.Transport
	}{
		{"for the pace", func() *headway.Transport {
			return &headway.Transport{Burst: -1, Jitter: -1, Base: kit.InTurn(kit.Status(200, "RateLimit-Policy", fast, "RateLimit", `"default";r=90;t=60`))}
		}},
		{"for the Ceiling", func() *headway.Transport {
			return &headway.Transport{Base: kit.InTurn(kit.Status(200)), Ceiling: rate.NewLimiter(2, 1)}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			terminal := newTerminal(t, 80)
			synctest.Test(t, func(t *testing.T) {
				transport := test.transport()
				line := termheadway.Show(terminal, transport)
				begun := time.Now()
				for range 30 {
					kit.Prime(t, transport)
				}
				require.Greater(t, time.Since(begun), 9*time.Second)
				time.Sleep(time.Hour) // no timer is left that would go on
				require.NoError(t, line.Close())
			})
			require.Empty(t, terminal.seen())
		})
	}
}

// Several hosts, of several Transports: the line has the one that waits longest. Users of one host count together.
func TestSeveralHosts(t *testing.T) {
	terminal := newTerminal(t, 120)
	synctest.Test(t, func(t *testing.T) {
		one := &headway.Transport{Base: kit.InTurn(kit.UsedUp()), Jitter: -1}
		two := &headway.Transport{Base: kit.InTurn(kit.UsedUp()), Jitter: -1}
		line := termheadway.Show(terminal, one, nil, two, one)
		ctx, cancel := context.WithCancel(t.Context())
		var groups []*sync.WaitGroup
		for i, wait := range []struct {
			transport *headway.Transport
			url       string
			n         int
		}{
			{one, "https://a.example/", 2},
			{one, "https://b.example/", 3},
			{two, "https://a.example/", 4}, // the same host
			{two, "https://c.example/", 5},
		} {
			prime(t, wait.transport, wait.url)
			groups = append(groups, begin(ctx, wait.transport, wait.url, wait.n))
			time.Sleep(2 * time.Second)
			synctest.Wait()
			require.Equal(t, []string{
				"a.example: 2 waiting, next in 59 s, last in 65 s, 0 of 10 left until 00:01",
				"a.example: 2 waiting, next in 57 s, last in 63 s, 0 of 10 left until 00:01; 3 at another host",
				"a.example: 6 waiting, next in 55 s, last in 77 s, 0 of 10 left until 00:01; 3 at another host",
				"a.example: 6 waiting, next in 53 s, last in 75 s, 0 of 10 left until 00:01; 8 at 2 other hosts",
			}[i], terminal.now())
		}
		cancel()
		for _, group := range groups {
			group.Wait()
		}
		synctest.Wait()
		require.Empty(t, terminal.now())
		require.NoError(t, line.Close())
	})
}

// prime makes one request, so that the transport learns the limits of a server.
func prime(t *testing.T, transport *headway.Transport, url string) {
	t.Helper()
	resp, err := kit.Get(t.Context(), transport, url)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
}

// A program's own progress bar says when its job ends, and nothing if nobody knows.
func TestUntil(t *testing.T) {
	now := time.Date(2030, time.January, 1, 14, 3, 0, 0, time.UTC)
	for want, f := range map[string]headway.Forecast{
		"done at 14:37":             {Last: now.Add(34 * time.Minute), Certainty: headway.CertaintyKnown},
		"done at about 2 Jan 00:20": {Last: now.Add(10*time.Hour + 17*time.Minute), Certainty: headway.CertaintyEstimated},
		"":                          {Last: now, Certainty: headway.CertaintyUnknown},
	} {
		f.At = now
		require.Equal(t, want, termheadway.Until(f))
	}
	require.Empty(t, termheadway.Until(headway.Forecast{At: now, Last: now}), "requests that are not paced")
	require.Empty(t, termheadway.Until(headway.Forecast{At: now, Certainty: headway.CertaintyKnown}))
}
