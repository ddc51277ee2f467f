package promheadway_test

import (
	"fmt"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"
	"github.com/prometheus/common/expfmt"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/promheadway"
	"github.com/headway-go/headway/ratelimittest"
)

// A server in memory allows three requests per hour. The program makes two, and prints those metrics that are
// the same in each run.
func Example() {
	api := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(3, time.Hour)}, Dialect: ratelimittest.Draft10}
	transport := &headway.Transport{Base: &ratelimittest.Transport{Handler: api}} // in production Base is nil

	metrics := &promheadway.Collector{}
	if err := metrics.Instrument(transport, ""); err != nil { // before the first request
		fmt.Println(err)
		return
	}
	registry := prometheus.NewRegistry()
	registry.MustRegister(metrics)
	mux := http.NewServeMux() // of the program's own server
	mux.Handle("/metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))

	client := &http.Client{Transport: transport}
	for range 2 {
		resp, err := client.Get("https://api.example.com/things")
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = resp.Body.Close()
	}

	families, err := registry.Gather()
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, family := range families {
		if name := family.GetName(); strings.HasPrefix(name, "headway_limit") || name == "headway_requests_sent_total" {
			_, _ = expfmt.MetricFamilyToText(os.Stdout, family)
		}
	}
	// Output:
	// # HELP headway_limit_quota Quota of the limit of which the smallest part remains, in its unit.
	// # TYPE headway_limit_quota gauge
	// headway_limit_quota{partition="https://api.example.com",policy="default",transport="",unit="requests"} 3
	// # HELP headway_limit_remaining What remains of the limit of which the smallest part does, in its unit.
	// # TYPE headway_limit_remaining gauge
	// headway_limit_remaining{partition="https://api.example.com",policy="default",transport="",unit="requests"} 1
	// # HELP headway_requests_sent_total Requests handed to the network, without those sent again.
	// # TYPE headway_requests_sent_total counter
	// headway_requests_sent_total{partition="https://api.example.com",transport=""} 2
}
