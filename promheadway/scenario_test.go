package promheadway_test

import (
	"context"
	"maps"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/promheadway"
	"github.com/headway-go/headway/ratelimittest"
)

// One of everything that can happen to requests, in virtual time. What is gathered in
// the middle and at the end is then scraped from a real endpoint.
func TestScenario(t *testing.T) {
	var during, after families
	synctest.Test(t, func(t *testing.T) { during, after = play(t) })
	during, after = scrape(t, during), scrape(t, after)

	partition := []string{"transport", "", "partition", testPartition}
	with := func(labels ...string) []string { return append(labels, partition...) }

	t.Run("while a hold lasts", func(t *testing.T) {
		require.InDelta(t, 1, during.value(t, "headway_partitions", partition...), 0)
		require.InDelta(t, 2, during.value(t, "headway_requests_queued", partition...), 0)
		require.InDelta(t, 0, during.value(t, "headway_requests_in_flight", partition...), 0)
		require.InDelta(t, 50, during.value(t, "headway_hold_seconds", partition...), 10)
		require.InDelta(t, 3, during.value(t, "headway_longest_wait_seconds", partition...), 2.1)
		require.Positive(t, during.value(t, "headway_sending_requests_per_second", partition...))
		limit := with("policy", "default", "unit", "requests")
		require.InDelta(t, 3, during.value(t, "headway_limit_quota", limit...), 0)
		require.InDelta(t, 0, during.value(t, "headway_limit_remaining", limit...), 0)
		require.InDelta(t, 2, during.value(t, "headway_requests_sent_total", partition...), 0)
		require.InDelta(t, 0, during.value(t, "headway_requests_resent_total", partition...), 0, "but there already")
	})

	t.Run("at the end", func(t *testing.T) {
		for _, row := range []struct {
			name   string
			want   float64
			labels []string
		}{
			{"headway_requests_sent_total", 3, partition},
			{"headway_requests_resent_total", 1, partition},
			{"headway_requests_throttled_total", 1, with("code", "429")},
			{"headway_requests_refused_total", 1, with("reason", "deadline", "policy", "default")},
			{"headway_requests_refused_total", 1, []string{"partition", "https://slow.example.com", "reason", "max_wait"}},
			{"headway_requests_throttled_total", 1, []string{"partition", "https://slow.example.com", "code", "503"}},
			{"headway_requests_abandoned_total", 1, partition},
			{"headway_fields_ignored_total", 1, []string{"partition", "https://odd.example.com", "reason", "malformed"}},
			{"headway_partitions_evicted_total", 1, with("reason", "idle")},
			{"headway_request_held_seconds", 3, with("outcome", "sent")},
			{"headway_request_held_seconds", 1, with("outcome", "resent")},
			{"headway_request_held_seconds", 1, with("outcome", "abandoned")},
			{"headway_partitions", -1, partition}, // it is forgotten
		} {
			require.InDelta(t, row.want, after.value(t, row.name, row.labels...), 0, "%s %v", row.name, row.labels)
		}
		require.InDelta(t, 3, after.total("headway_waits_total", partition...), 0)
		resent := after.find(t, "headway_request_held_seconds", with("outcome", "resent")...).GetHistogram()
		require.Greater(t, resent.GetSampleSum(), 40.0, "the whole hold")
		abandoned := after.find(t, "headway_request_held_seconds", with("outcome", "abandoned")...).GetHistogram()
		require.InDelta(t, 5, abandoned.GetSampleSum(), 0)
		require.Len(t, abandoned.GetBucket(), 18, "with that without a bound")
		for _, bucket := range abandoned.GetBucket() {
			want := uint64(0)
			if bucket.GetUpperBound() >= 5 {
				want = 1
			}
			require.Equal(t, want, bucket.GetCumulativeCount(), "up to %v s", bucket.GetUpperBound())
		}
	})
}

// play returns what the metrics are while a hold lasts, and at the end.
func play(t *testing.T) (during, after families) {
	t.Helper()
	api := &ratelimittest.Transport{
		Handler: ratelimittest.NewHandler(ratelimittest.NewFixedWindow(3, time.Minute), ratelimittest.Draft10),
		Latency: 20 * time.Millisecond,
	}
	transport, registry := instrumented(t, &promheadway.Collector{}, byHost{
		"api.example.com":  api,
		"slow.example.com": answering(http.StatusServiceUnavailable, "Retry-After", "6000"),
		"odd.example.com":  answering(http.StatusOK, "RateLimit", `"secret`),
	})
	ctx, secret := t.Context(), []string{"Authorization", "Bearer hunter2"}

	require.NoError(t, get(ctx, transport, testURL, secret...))
	for range 2 { // another client of that user
		require.NoError(t, get(ctx, api, testURL, secret...))
	}
	var waiting sync.WaitGroup
	waiting.Go(func() { _ = get(ctx, transport, testURL, secret...) }) // throttled, and sent again
	time.Sleep(time.Second)
	waiting.Go(func() {
		ctx, cancel := context.WithCancel(ctx)
		time.AfterFunc(5*time.Second, cancel)
		_ = get(ctx, transport, testURL, secret...)
	})
	short, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	require.ErrorIs(t, get(short, transport, testURL, secret...), context.DeadlineExceeded)
	time.Sleep(time.Second)
	during = gather(t, registry)

	waiting.Wait()
	require.NoError(t, get(ctx, transport, testURL, secret...))
	require.NoError(t, get(ctx, transport, "https://slow.example.com/"))
	require.ErrorIs(t, get(ctx, transport, "https://slow.example.com/"), headway.ErrMaxWait)
	require.NoError(t, get(ctx, transport, "https://odd.example.com/"))
	time.Sleep(time.Hour)
	return during, gather(t, registry)
}

// The same over real HTTP, with a scrape while a request is in flight.
func TestEndToEnd(t *testing.T) {
	server := ratelimittest.NewServer(ratelimittest.NewFixedWindow(2, time.Hour), ratelimittest.Draft10)
	defer server.Close()
	entered, release := make(chan struct{}), make(chan struct{})
	server.Handler.Next = http.HandlerFunc(func(_ http.ResponseWriter, req *http.Request) {
		if req.URL.Path == "/slow" {
			close(entered)
			<-release
		}
	})
	transport, registry := instrumented(t, &promheadway.Collector{}, server.Client().Transport)
	transport.MaxWait = time.Second

	require.NoError(t, get(t.Context(), transport, server.URL))
	slow := make(chan error)
	go func() { slow <- get(t.Context(), transport, server.URL+"/slow") }()
	<-entered
	during := scrape(t, registry)
	require.InDelta(t, 1, during.value(t, "headway_requests_in_flight", "partition", server.URL), 0)
	close(release)
	require.NoError(t, <-slow)
	require.ErrorIs(t, get(t.Context(), transport, server.URL), headway.ErrMaxWait)

	after := scrape(t, registry)
	require.InDelta(t, 0, after.value(t, "headway_requests_in_flight", "partition", server.URL), 0)
	require.InDelta(t, 2, after.value(t, "headway_requests_sent_total", "partition", server.URL), 0)
	require.InDelta(t, 1, after.value(t, "headway_requests_refused_total", "partition", server.URL, "reason", "max_wait", "policy", "default"), 0)
	require.InDelta(t, 2, after.value(t, "headway_limit_quota", "policy", "default"), 0)
	require.InDelta(t, 0, after.value(t, "headway_limit_remaining", "policy", "default"), 0)
	require.InDelta(t, 2, after.value(t, "headway_request_held_seconds", "outcome", "sent"), 0)
}

func TestLint(t *testing.T) {
	var all families
	synctest.Test(t, func(t *testing.T) {
		during, after := play(t)
		maps.Copy(during, after)
		all = during
	})
	problems, err := testutil.GatherAndLint(all)
	require.NoError(t, err)
	require.Empty(t, problems)

	described := make(chan *prometheus.Desc, 100)
	new(promheadway.Collector).Describe(described)
	require.Len(t, all, len(described), "the scenario has every metric")
}
