package headway_test

import (
	"fmt"
	"net/http"
	"time"

	"golang.org/x/time/rate"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/ratelimittest"
)

// Work comes in bursts, with idle time in between. Can a burst go at once while the client is far from the limit? Yes, with
// PaceMeasured.
func ExamplePacing() {
	for _, row := range []struct {
		name   string
		pacing headway.Pacing
	}{
		{"evenly", headway.PaceEvenly},
		{"measured", headway.PaceMeasured},
	} {
		client := &http.Client{Transport: &headway.Transport{
			Base:    limited(&ratelimittest.FixedWindow{Policy: ratelimittest.Per(60, time.Hour)}),
			Pacing:  row.pacing,
			MaxWait: time.Second, // refuses the requests that could not go at once
		}}
		sent := 0
		for range 30 {
			if statusOf(client.Get(things)) == "200 OK" {
				sent++
			}
		}
		fmt.Printf("%s: all 30 at once: %t\n", row.name, sent == 30)
	}
	// Output:
	// evenly: all 30 at once: false
	// measured: all 30 at once: true
}

// How does a program set its own limit over everything that it sends? With a Ceiling, which may change while it runs.
func ExampleTransport_ceiling() {
	ceiling := rate.NewLimiter(rate.Every(time.Hour), 2) // two at once, then one per hour
	client := &http.Client{Transport: &headway.Transport{
		Base:    failing(http.StatusNotFound, "no limits are told here"),
		Ceiling: ceiling,
		MaxWait: time.Minute,
	}}
	for range 3 {
		fmt.Println(statusOf(client.Get(things)))
	}
	ceiling.SetLimit(1000)
	fmt.Println(statusOf(client.Get(things)))
	// Output:
	// 404 Not Found
	// 404 Not Found
	// not sent
	// 404 Not Found
}
