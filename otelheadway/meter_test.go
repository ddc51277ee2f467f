package otelheadway_test

import (
	"net/http"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/trace"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/series/seriestest"
	"github.com/headway-go/headway/otelheadway"
)

func TestInstrumentErrors(t *testing.T) {
	m := &otelheadway.Meter{}
	require.ErrorContains(t, m.Instrument(nil, ""), "otelheadway: ")
	transport := &headway.Transport{}
	require.NoError(t, m.Instrument(transport, "a"))
	require.ErrorContains(t, m.Instrument(transport, "b"), "otelheadway: ")
	require.NoError(t, new(otelheadway.Meter).Instrument(transport, ""), "another one, of the global provider, may count as well")
	require.NoError(t, m.Close())
	require.ErrorContains(t, m.Instrument(&headway.Transport{}, ""), "otelheadway: ")
}

// After Remove or Close the gauges of a Transport disappear, and its counts stay.
func TestRemoveAndClose(t *testing.T) {
	for name, end := range map[string]func(*otelheadway.Meter, *headway.Transport){
		"Remove": func(m *otelheadway.Meter, transport *headway.Transport) { m.Remove(transport) },
		"Close":  func(m *otelheadway.Meter, _ *headway.Transport) { _ = m.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			m := &otelheadway.Meter{}
			m.Remove(&headway.Transport{})
			reader := read(m)
			transport := seriestest.Instrumented(t, m, seriestest.Answering(http.StatusOK))
			require.NoError(t, seriestest.Get(t.Context(), transport, seriestest.URL))
			require.InDelta(t, 1, collect(t, reader).value("headway.client.partitions"), 0)

			end(m, transport)
			require.NoError(t, seriestest.Get(t.Context(), transport, seriestest.URL))
			all := collect(t, reader)
			require.InDelta(t, -1, all.value("headway.client.partitions"), 0)
			require.InDelta(t, 1, all.value("headway.client.sent_requests"), 0)
		})
	}
}

// The names of Transports are attributes. A Transport without a name has no such attribute.
func TestSeveralTransports(t *testing.T) {
	m := &otelheadway.Meter{}
	reader := read(m)
	for i, name := range []string{"", "search", "search"} {
		transport := &headway.Transport{Base: seriestest.Answering(http.StatusOK)}
		require.NoError(t, m.Instrument(transport, name))
		for range i + 1 {
			require.NoError(t, seriestest.Get(t.Context(), transport, seriestest.URL))
		}
	}
	all, search := collect(t, reader), attribute.String("headway.transport", "search")
	require.InDelta(t, 5, all.value("headway.client.sent_requests", search), 0)
	require.InDelta(t, 2, all.value("headway.client.partitions", search), 0)
	require.Len(t, all.points["headway.client.sent_requests"], 2)
	for _, p := range all.points["headway.client.sent_requests"] {
		require.Equal(t, p.value == 5, p.attrs.HasValue("headway.transport"))
	}
}

// Exemplars contain the span of the request.
func TestExemplars(t *testing.T) {
	m := &otelheadway.Meter{}
	reader := read(m)
	transport := seriestest.Instrumented(t, m, seriestest.Answering(http.StatusOK))
	require.NoError(t, seriestest.Get(t.Context(), transport, seriestest.URL))
	id := trace.TraceID{1, 2, 3}
	span := trace.NewSpanContext(trace.SpanContextConfig{TraceID: id, SpanID: trace.SpanID{4}, TraceFlags: trace.FlagsSampled})
	require.NoError(t, seriestest.Get(trace.ContextWithSpanContext(t.Context(), span), transport, seriestest.URL))
	waited := collect(t, reader).points["headway.client.request.wait_time"]
	require.Len(t, waited, 1)
	require.InDelta(t, 2, waited[0].value, 0)
	require.Len(t, waited[0].exemplars, 1)
	require.Equal(t, id[:], waited[0].exemplars[0].TraceID)
}

func TestConcurrency(t *testing.T) {
	m := &otelheadway.Meter{MaxPartitions: 5}
	reader := read(m)
	sent := seriestest.Crowd(t, m, func() { _ = collect(t, reader) })
	require.InDelta(t, sent, collect(t, reader).value("headway.client.sent_requests"), 0)

	var all sync.WaitGroup
	for range 8 { // an endless loop must not be possible
		all.Go(func() { _ = collect(t, reader) })
		all.Go(func() { _ = m.Close() })
	}
	all.Wait()
}
