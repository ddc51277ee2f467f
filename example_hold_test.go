package headway_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/validate"
)

// One request is refused. Do all others have to find that out by themselves? No: nothing
// of their partition is sent until the server's time has come.
func ExampleTransport_hold() {
	client := &http.Client{Transport: &headway.Transport{
		Base:    throttling("Retry-After", "3600"),
		MaxWait: time.Minute, // or they would wait
	}}
	results := map[string]int{}
	for i := range 1000 {
		results[statusOf(client.Get(fmt.Sprintf("https://api.example.com/things/%d", i)))]++
	}
	fmt.Println(results)
	// Output: map[429 Too Many Requests:1 not sent:999]
}

// Is Retry-After heeded in both of its forms? And which one counts if there is a reset, too?
func ExampleTransport_retryAfter() {
	for _, base := range []http.RoundTripper{
		throttling("Retry-After", "3600"),
		throttling("Retry-After", time.Now().Add(2*time.Hour).UTC().Format(http.TimeFormat)),
		throttling("Retry-After", "10800", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "60"),
	} {
		transport := &headway.Transport{Base: base, MaxRetries: -1}
		statusOf((&http.Client{Transport: transport}).Get(things))
		fmt.Println("held for", time.Until(transport.State()[0].HeldUntil).Round(time.Minute))
	}
	// Output:
	// held for 1h0m0s
	// held for 2h0m0s
	// held for 3h0m0s
}

// What if a 429 comes without Retry-After? Then a limit that is used up tells when to come
// back; and if there is none, half a second has to pass, and more with each refusal.
func ExampleTransport_bareRefusal() {
	for _, base := range []http.RoundTripper{
		throttling("X-RateLimit-Limit", "100", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "1800"),
		throttling(),
	} {
		client := &http.Client{Transport: &headway.Transport{
			Base:       base,
			MaxRetries: -1,
			Trace: &headway.Trace{
				Throttled: func(_ context.Context, info headway.ThrottledInfo) {
					fmt.Println("held for", info.Hold.Round(100*time.Millisecond))
				},
			},
		}}
		statusOf(client.Get(things))
	}
	// Output:
	// held for 30m0s
	// held for 500ms
}

// A server says Retry-After: 0 with every refusal. Is it asked as fast as it answers? No: a
// fifth of a second has to pass at least, and after each further refusal twice as much.
func ExampleTransport_leastHold() {
	client := &http.Client{Transport: &headway.Transport{
		Base:    throttling("Retry-After", "0"),
		MaxWait: time.Millisecond,
		Trace: &headway.Trace{
			Throttled: func(_ context.Context, info headway.ThrottledInfo) {
				fmt.Println("held for", info.Hold.Round(10*time.Millisecond))
			},
		},
	}}
	fmt.Println(statusOf(client.Get(things)))
	fmt.Println(statusOf(client.Get(things)))
	// Output:
	// held for 200ms
	// 429 Too Many Requests
	// not sent
}

// Do all clients come back at the same moment, once the server's time has come? They come
// back spread: chance makes a wait longer, and never shorter than told.
func ExampleTransport_comeBack() {
	base := throttling("Retry-After", "60")
	starts := map[time.Duration]bool{}
	early := 0
	for range 20 {
		client := &http.Client{Transport: &headway.Transport{Base: base, MaxWait: time.Second}}
		refused := time.Now()
		statusOf(client.Get(things))
		_, err := client.Get(things)
		limit, _ := errors.AsType[*headway.LimitError](err)
		start := limit.RetryAt.Sub(refused)
		starts[start.Round(time.Millisecond)] = true
		if start < time.Minute {
			early++
		}
	}
	fmt.Println("early:", early, "spread:", len(starts) > 10)
	// Output: early: 0 spread: true
}

// An API refuses with a status of its own and says nowhere when to come back, but in its
// documentation.
func ExampleTransport_profiles() {
	transport := &headway.Transport{
		Base:       failing(http.StatusConflict, "quota exceeded"),
		MaxRetries: -1, // or the request would wait, and be sent again
		Profiles: []validate.Profile{{
			Host:    "api.example.com",
			Proofs:  []validate.Proof{{Status: http.StatusConflict, Text: "quota exceeded"}},
			MinWait: time.Minute,
		}},
	}
	client := &http.Client{Transport: transport}
	for _, host := range []string{"api.example.com", "other.example.com"} {
		fmt.Println(host, statusOf(client.Get("https://"+host+"/things")))
	}
	for _, state := range transport.State() {
		fmt.Println(state.Partition, "is held:", time.Until(state.HeldUntil) > 50*time.Second)
	}
	// Output:
	// api.example.com 409 Conflict
	// other.example.com 409 Conflict
	// https://api.example.com is held: true
	// https://other.example.com is held: false
}
