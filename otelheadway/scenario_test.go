package otelheadway_test

import (
	"context"
	"net/http"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/metric/metricdata/metricdatatest"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/otelheadway"
	"github.com/headway-go/headway/ratelimittest"
)

// One of everything that can happen to requests, in virtual time.
func TestScenario(t *testing.T) {
	var during, after metrics
	synctest.Test(t, func(t *testing.T) { during, after, _ = play(t) })
	partition := attribute.String("headway.partition", testPartition)

	t.Run("while a hold lasts", func(t *testing.T) {
		require.InDelta(t, 1, during.value("headway.client.partitions", partition), 0)
		require.InDelta(t, 2, during.value("headway.client.queued_requests", partition), 0)
		require.InDelta(t, 0, during.value("headway.client.active_requests", partition), 0)
		require.InDelta(t, 50, during.value("headway.client.hold_time", partition), 10)
		require.InDelta(t, 3, during.value("headway.client.longest_wait_time", partition), 2.1)
		require.Positive(t, during.value("headway.client.sending_rate", partition))
		limit := []attribute.KeyValue{partition, attribute.String("headway.policy", "default"), attribute.String("headway.unit", "requests")}
		require.InDelta(t, 3, during.value("headway.client.limit.quota", limit...), 0)
		require.InDelta(t, 0, during.value("headway.client.limit.remaining", limit...), 0)
		require.InDelta(t, 2, during.value("headway.client.sent_requests", partition), 0)
		require.InDelta(t, -1, during.value("headway.client.resent_requests", partition), 0)
	})

	t.Run("at the end", func(t *testing.T) {
		slow := attribute.String("server.address", "slow.example.com")
		for _, row := range []struct {
			name  string
			want  float64
			attrs []attribute.KeyValue
		}{
			{"sent_requests", 3, []attribute.KeyValue{partition, attribute.String("server.address", "api.example.com"), attribute.Int("server.port", 443)}},
			{"resent_requests", 1, []attribute.KeyValue{partition}},
			{"throttled_requests", 1, []attribute.KeyValue{partition, attribute.Int("http.response.status_code", 429)}},
			{"throttled_requests", 1, []attribute.KeyValue{slow, attribute.Int("http.response.status_code", 503)}},
			{"refused_requests", 1, []attribute.KeyValue{partition, attribute.String("error.type", "deadline"), attribute.String("headway.policy", "default")}},
			{"refused_requests", 1, []attribute.KeyValue{slow, attribute.String("error.type", "max_wait")}},
			{"abandoned_requests", 1, []attribute.KeyValue{partition}},
			{"waits", 3, []attribute.KeyValue{partition}},
			{"ignored_fields", 1, []attribute.KeyValue{attribute.String("server.address", "odd.example.com"), attribute.String("headway.reason", "malformed")}},
			{"evicted_partitions", 1, []attribute.KeyValue{partition, attribute.String("headway.reason", "idle")}},
			{"request.held_time", 3, []attribute.KeyValue{partition, attribute.String("headway.outcome", "sent")}},
			{"partitions", -1, []attribute.KeyValue{partition}}, // it is forgotten
		} {
			require.InDelta(t, row.want, after.value("headway.client."+row.name, row.attrs...), 0, "%s %v", row.name, row.attrs)
		}
		resent := after.find("headway.client.request.held_time", partition, attribute.String("headway.outcome", "resent"))
		require.Len(t, resent, 1)
		require.Greater(t, resent[0].sum, 40.0, "the whole hold")
		for _, cause := range after.find("headway.client.waits", partition) {
			require.True(t, cause.attrs.HasValue("headway.cause"))
		}
	})
}

// Of some metrics all that an exporter gets.
func TestMetricData(t *testing.T) {
	var reader metric.Reader
	synctest.Test(t, func(t *testing.T) { _, _, reader = play(t) })
	scope := gather(t, reader).ScopeMetrics[0]
	byName := make(map[string]metricdata.Metrics)
	for _, m := range scope.Metrics {
		byName[m.Name] = m
	}
	server := []attribute.KeyValue{
		attribute.String("headway.partition", testPartition),
		attribute.String("server.address", "api.example.com"), attribute.Int("server.port", 443),
	}
	ignoring := []metricdatatest.Option{metricdatatest.IgnoreTimestamp(), metricdatatest.IgnoreExemplars()}
	metricdatatest.AssertEqual(t, metricdata.Metrics{
		Name: "headway.client.abandoned_requests", Unit: "{request}",
		Description: "Requests whose context ended while they waited.",
		Data: metricdata.Sum[int64]{
			Temporality: metricdata.CumulativeTemporality, IsMonotonic: true,
			DataPoints: []metricdata.DataPoint[int64]{{Attributes: attribute.NewSet(server...), Value: 1}},
		},
	}, byName["headway.client.abandoned_requests"], ignoring...)

	held := byName["headway.client.request.held_time"]
	require.Equal(t, "s", held.Unit)
	var abandoned metricdata.HistogramDataPoint[float64]
	for _, p := range held.Data.(metricdata.Histogram[float64]).DataPoints {
		if v, _ := p.Attributes.Value("headway.outcome"); v.AsString() == "abandoned" {
			abandoned = p
		}
	}
	metricdatatest.AssertEqual(t, metricdata.HistogramDataPoint[float64]{
		Attributes: attribute.NewSet(append(server, attribute.String("headway.outcome", "abandoned"))...),
		Count:      1, Sum: 5, Min: metricdata.NewExtrema(5.0), Max: metricdata.NewExtrema(5.0),
		Bounds:       []float64{0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 1800, 3600},
		BucketCounts: []uint64{0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0},
	}, abandoned, ignoring...)

	require.NotEmpty(t, scope.Scope.SchemaURL)
}

// play returns what the metrics are while a hold lasts, and at the end, with their reader.
func play(t *testing.T) (during, after metrics, reader metric.Reader) {
	t.Helper()
	api := &ratelimittest.Transport{
		Handler: ratelimittest.NewHandler(ratelimittest.NewFixedWindow(3, time.Minute), ratelimittest.Draft10),
		Latency: 20 * time.Millisecond,
	}
	m := &otelheadway.Meter{}
	transport, reader := measured(t, m, byHost{
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
	during = collect(t, reader)

	waiting.Wait()
	require.NoError(t, get(ctx, transport, testURL, secret...))
	require.NoError(t, get(ctx, transport, "https://slow.example.com/"))
	require.ErrorIs(t, get(ctx, transport, "https://slow.example.com/"), headway.ErrMaxWait)
	require.NoError(t, get(ctx, transport, "https://odd.example.com/"))
	time.Sleep(time.Hour)
	after = collect(t, reader)
	require.NoError(t, m.Close())
	return during, after, reader
}

// The same over real HTTP, with a collection while a request is in flight.
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
	transport, reader := measured(t, &otelheadway.Meter{}, server.Client().Transport)
	transport.MaxWait = time.Second

	require.NoError(t, get(t.Context(), transport, server.URL))
	slow := make(chan error)
	go func() { slow <- get(t.Context(), transport, server.URL+"/slow") }()
	<-entered
	address := attribute.String("server.address", "127.0.0.1")
	require.InDelta(t, 1, collect(t, reader).value("headway.client.active_requests", address), 0)
	close(release)
	require.NoError(t, <-slow)
	require.ErrorIs(t, get(t.Context(), transport, server.URL), headway.ErrMaxWait)

	after := collect(t, reader)
	require.InDelta(t, 0, after.value("headway.client.active_requests", address), 0)
	require.InDelta(t, 2, after.value("headway.client.sent_requests", address), 0)
	require.InDelta(t, 1, after.value("headway.client.refused_requests", attribute.String("error.type", "max_wait"), attribute.String("headway.policy", "default")), 0)
	require.InDelta(t, 2, after.value("headway.client.limit.quota"), 0)
	require.InDelta(t, 0, after.value("headway.client.limit.remaining"), 0)
	require.InDelta(t, 2, after.value("headway.client.request.held_time"), 0)
}
