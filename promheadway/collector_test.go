package promheadway_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/series/seriestest"
	"github.com/headway-go/headway/promheadway"
)

func TestInstrumentErrors(t *testing.T) {
	c := &promheadway.Collector{}
	require.ErrorContains(t, c.Instrument(nil, ""), "promheadway: ")
	transport := &headway.Transport{}
	require.NoError(t, c.Instrument(transport, "a"))
	require.ErrorContains(t, c.Instrument(transport, "b"), "promheadway: ")
	require.NoError(t, new(promheadway.Collector).Instrument(transport, ""), "another one may count as well")
}

// The names of Transports are labels. A second Collector in the same registry is refused, as its metrics
// would be the same.
func TestSeveralTransports(t *testing.T) {
	c := &promheadway.Collector{}
	registry := registered(t, c)
	for i, name := range []string{"", "search", "search"} {
		transport := &headway.Transport{Base: seriestest.Answering(http.StatusOK)}
		require.NoError(t, c.Instrument(transport, name))
		for range i + 1 {
			require.NoError(t, seriestest.Get(t.Context(), transport, seriestest.URL))
		}
	}
	f := scrape(t, registry)
	require.InDelta(t, 1, f.value(t, "headway_requests_sent_total", "transport", ""), 0)
	require.InDelta(t, 5, f.value(t, "headway_requests_sent_total", "transport", "search"), 0)
	require.InDelta(t, 2, f.value(t, "headway_partitions", "transport", "search"), 0)
	require.Error(t, registry.Register(&promheadway.Collector{}))
}

// After Remove the gauges of a Transport disappear. Its counts stay until the Collector is unregistered.
func TestRemove(t *testing.T) {
	c := &promheadway.Collector{}
	c.Remove(&headway.Transport{})
	registry := registered(t, c)
	transport := seriestest.Instrumented(t, c, seriestest.Answering(http.StatusOK))
	require.NoError(t, seriestest.Get(t.Context(), transport, seriestest.URL))
	require.InDelta(t, 1, gather(t, registry).value(t, "headway_partitions"), 0)

	c.Remove(transport)
	require.NoError(t, seriestest.Get(t.Context(), transport, seriestest.URL))
	f := gather(t, registry)
	require.InDelta(t, -1, f.value(t, "headway_partitions"), 0)
	require.InDelta(t, 1, f.value(t, "headway_requests_sent_total"), 0)
	require.True(t, registry.Unregister(c))
	require.Empty(t, gather(t, registry))
}

func TestConcurrency(t *testing.T) {
	c := &promheadway.Collector{MaxPartitions: 5}
	registry := registered(t, c)
	sent := seriestest.Crowd(t, c, func() { _, _ = registry.Gather() })
	require.InDelta(t, sent, gather(t, registry).total("headway_requests_sent_total"), 0)
}

// Exemplars come from the context of the request, in classic and native buckets.
func TestExemplars(t *testing.T) {
	type key struct{}
	c := &promheadway.Collector{Exemplar: func(ctx context.Context) prometheus.Labels {
		if id, ok := ctx.Value(key{}).(string); ok {
			return prometheus.Labels{"trace_id": id}
		}
		return nil
	}}
	registry := registered(t, c)
	transport := seriestest.Instrumented(t, c, seriestest.Answering(http.StatusOK))
	require.NoError(t, seriestest.Get(t.Context(), transport, seriestest.URL))
	require.NoError(t, seriestest.Get(context.WithValue(t.Context(), key{}, "c0ffee"), transport, seriestest.URL))
	h := gather(t, registry).find(t, "headway_request_wait_seconds").GetHistogram()
	require.EqualValues(t, 2, h.GetSampleCount())
	var exemplars []*dto.Exemplar
	for _, b := range h.GetBucket() {
		if b.GetExemplar() != nil {
			exemplars = append(exemplars, b.GetExemplar())
		}
	}
	require.Len(t, exemplars, 1)
	require.Equal(t, "c0ffee", exemplars[0].GetLabel()[0].GetValue())
	require.EqualValues(t, 2, h.GetZeroCount(), "of the native histogram")
}
