package otelhttp_test

import (
	"context"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	sdk "go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/examples/sdks/otelhttp"
)

// A telemetry collects the spans and metrics of one client.
type telemetry struct {
	spans   *tracetest.InMemoryExporter
	traces  *trace.TracerProvider
	reader  *metric.ManualReader
	metrics *metric.MeterProvider
}

func newTelemetry() *telemetry {
	spans, reader := tracetest.NewInMemoryExporter(), metric.NewManualReader()
	return &telemetry{
		spans: spans, traces: trace.NewTracerProvider(trace.WithSyncer(spans)),
		reader: reader, metrics: metric.NewMeterProvider(metric.WithReader(reader)),
	}
}

// options returns the options for a layer that reports to t. The names of its spans begin with layer.
func (t *telemetry) options(layer string) []sdk.Option {
	return []sdk.Option{
		sdk.WithTracerProvider(t.traces),
		sdk.WithMeterProvider(t.metrics),
		sdk.WithPropagators(propagation.TraceContext{}),
		sdk.WithSpanNameFormatter(func(_ string, req *http.Request) string { return layer + " " + req.Method }),
	}
}

// named returns the ended spans with that name, in the order of their ends.
func (t *telemetry) named(name string) (spans tracetest.SpanStubs) {
	for _, span := range t.spans.GetSpans() {
		if span.Name == name {
			spans = append(spans, span)
		}
	}
	return spans
}

// measured returns the number of requests in the histogram of durations.
func (t *telemetry) measured(tb testing.TB) (requests uint64) {
	tb.Helper()
	var all metricdata.ResourceMetrics
	require.NoError(tb, t.reader.Collect(tb.Context(), &all))
	for _, scope := range all.ScopeMetrics {
		for _, m := range scope.Metrics {
			if durations, ok := m.Data.(metricdata.Histogram[float64]); ok && m.Name == "http.client.request.duration" {
				for _, point := range durations.DataPoints {
					requests += point.Count
				}
			}
		}
	}
	return requests
}

// Three orders of the layers. paced is headway, and each function sets its Base.

func callsOnly(t *telemetry, paced *headway.Transport, network http.RoundTripper) http.RoundTripper {
	paced.Base = network
	return otelhttp.Calls(paced, t.options("call")...)
}

func attemptsOnly(t *telemetry, paced *headway.Transport, network http.RoundTripper) http.RoundTripper {
	paced.Base = otelhttp.Attempts(network, t.options("attempt")...)
	return paced
}

func both(t *telemetry, paced *headway.Transport, network http.RoundTripper) http.RoundTripper {
	paced.Base = otelhttp.Attempts(network, t.options("attempt")...)
	return otelhttp.Calls(paced, append(t.options("call"), sdk.WithMeterProvider(noop.NewMeterProvider()))...)
}

// post makes one call and reads its response to the end, which ends its spans.
func post(ctx context.Context, client *http.Client, url string) error {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader("an item"))
	if err != nil {
		return err
	}
	resp, err := client.Do(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// traceparent returns the header with which a server knows a span.
func traceparent(span tracetest.SpanStub) string {
	return "00-" + span.SpanContext.TraceID().String() + "-" + span.SpanContext.SpanID().String() + "-01"
}
