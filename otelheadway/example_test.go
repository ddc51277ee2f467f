package otelheadway_test

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/sdk/metric/metricdata"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/otelheadway"
	"github.com/headway-go/headway/ratelimittest"
)

// A server in memory allows three requests per hour. The program makes two, and prints some of the metrics
// that an exporter would get.
func Example() {
	api := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(3, time.Hour)}, Dialect: ratelimittest.Draft10}
	transport := &headway.Transport{Base: &ratelimittest.Transport{Handler: api}} // in production Base is nil

	reader := metric.NewManualReader() // in production a periodic reader, with an exporter
	provider := metric.NewMeterProvider(metric.WithReader(reader))
	meter := &otelheadway.Meter{Provider: provider}
	if err := meter.Instrument(transport, ""); err != nil { // before the first request
		fmt.Println(err)
		return
	}
	defer func() { _ = meter.Close() }()

	client := &http.Client{Transport: transport}
	for range 2 {
		resp, err := client.Get("https://api.example.com/things")
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = resp.Body.Close()
	}

	var all metricdata.ResourceMetrics
	if err := reader.Collect(context.Background(), &all); err != nil {
		fmt.Println(err)
		return
	}
	for _, m := range all.ScopeMetrics[0].Metrics {
		switch data := m.Data.(type) {
		case metricdata.Sum[int64]:
			if m.Name == "headway.client.sent_requests" {
				fmt.Println(m.Name, data.DataPoints[0].Value, data.DataPoints[0].Attributes.Encoded(attribute.DefaultEncoder()))
			}
		case metricdata.Gauge[int64]:
			policy, _ := data.DataPoints[0].Attributes.Value("headway.policy")
			fmt.Println(m.Name, data.DataPoints[0].Value, "of the policy", policy.AsString())
		}
	}
	// Output:
	// headway.client.sent_requests 2 headway.partition=https://api.example.com,server.address=api.example.com,server.port=443
	// headway.client.limit.quota 3 of the policy default
	// headway.client.limit.remaining 1 of the policy default
}
