package otelheadway_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/sdk/metric"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/otelheadway"
)

// A constBase answers every request with the same response, at no cost.
type constBase struct{ resp *http.Response }

func (b constBase) RoundTrip(*http.Request) (*http.Response, error) { return b.resp, nil }

// benchmarked is a Transport that nothing keeps back, and a request with a credential.
func benchmarked(tb testing.TB) (*headway.Transport, *http.Request) {
	tb.Helper()
	resp := &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/plain"}}, Body: http.NoBody}
	req, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, testURL, nil)
	require.NoError(tb, err)
	req.Header.Set("Authorization", "Bearer 0123456789abcdef")
	return &headway.Transport{Base: constBase{resp}}, req
}

// sdkMeter is a Meter of the SDK.
func sdkMeter() *otelheadway.Meter {
	return &otelheadway.Meter{Provider: metric.NewMeterProvider(metric.WithReader(metric.NewManualReader()))}
}

func send(via http.RoundTripper, req *http.Request) error {
	resp, err := via.RoundTrip(req)
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

func BenchmarkRoundTrip(b *testing.B) {
	for _, bench := range []struct {
		name string
		with func(*headway.Transport) error
	}{
		{"hooks=none", func(*headway.Transport) error { return nil }},
		{"hooks=empty", func(t *headway.Transport) error { t.Trace = &headway.Trace{}; return nil }},
		{"metrics=noop", func(t *headway.Transport) error {
			return (&otelheadway.Meter{Provider: noop.NewMeterProvider()}).Instrument(t, "")
		}},
		{"metrics=on", func(t *headway.Transport) error { return sdkMeter().Instrument(t, "") }},
	} {
		b.Run(bench.name, func(b *testing.B) {
			transport, req := benchmarked(b)
			require.NoError(b, bench.with(transport))
			b.ReportAllocs()
			for b.Loop() {
				if err := send(transport, req); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run(bench.name+"/parallel", func(b *testing.B) {
			transport, req := benchmarked(b)
			require.NoError(b, bench.with(transport))
			b.ReportAllocs()
			b.RunParallel(func(pb *testing.PB) {
				for pb.Next() {
					if err := send(transport, req); err != nil {
						b.Error(err)
						return
					}
				}
			})
		})
	}
}
