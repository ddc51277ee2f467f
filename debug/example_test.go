package debug_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/debug"
	"github.com/headway-go/headway/ratelimittest"
)

// A program shows its Transports on a server for operators. Another program reads the same as JSON.
func ExampleHandler() {
	api := &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(100, time.Hour)}, Dialect: ratelimittest.Draft10}
	transport := &headway.Transport{Base: &ratelimittest.Transport{Handler: api}} // in production Base is nil
	client := &http.Client{Transport: transport}

	mux := http.NewServeMux()
	mux.Handle("GET /debug/headway", &debug.Handler{
		Transports: map[string]*headway.Transport{"things": transport},
	})
	operators := httptest.NewServer(mux)
	defer operators.Close()

	resp, err := client.Get("https://api.example.com/things")
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = resp.Body.Close()

	resp, err = http.Get(operators.URL + "/debug/headway?format=json")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = resp.Body.Close() }()
	var report debug.Report
	if err := json.NewDecoder(resp.Body).Decode(&report); err != nil {
		fmt.Println(err)
		return
	}
	for _, t := range report.Transports {
		for _, p := range t.Partitions {
			fmt.Println(t.Name, p.Partition, p.State)
			for _, l := range p.Limits {
				fmt.Println(*l.Remaining, "of", *l.Quota, l.Unit, "in", l.Window, "s")
			}
		}
	}
	// Output:
	// things https://api.example.com paced
	// 99 of 100 requests in 3600 s
}
