package fleet_test

import (
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/fleet"
	"github.com/headway-go/headway/ratelimittest"
)

const secret = "32 random bytes, from the config" // the same in all processes

// server returns a stand-in for an API that allows 100 requests per minute with each credential.
func server() http.RoundTripper {
	return &ratelimittest.Transport{
		Handler: &ratelimittest.Handler{Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(100, time.Minute)}, Dialect: ratelimittest.Draft10},
	}
}

// Each process makes a Fleet and sets it in its Transport.
func Example() {
	store, err := miniredis.Run() // in production: a Redis or Valkey that all processes can reach
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	client := redis.NewClient(&redis.Options{Addr: store.Addr()})
	defer func() { _ = client.Close() }()

	f, err := fleet.New(client, fleet.Options{Key: []byte(secret)})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = f.Close() }() // before the client is closed

	api := &http.Client{Transport: &headway.Transport{Base: server(), Fleet: f}} // in production Base is nil
	resp, err := api.Get("https://api.example.com/things")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = resp.Body.Close() }()
	fmt.Println(resp.StatusCode)
	// Output: 200
}

// New returns an error at once if the key is missing. Without the key the processes could not find each
// other.
func ExampleNew_withoutKey() {
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:6379"})
	defer func() { _ = client.Close() }()
	_, err := fleet.New(client, fleet.Options{})
	fmt.Println(errors.Is(err, fleet.ErrKey))
	// Output: true
}

// Requests do not need the store. Without it they are paced by the server's reports alone. The Trace and the
// Logger of each Transport report that the store is lost.
func ExampleNew_withoutStore() {
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1"}) // nothing listens here
	defer func() { _ = client.Close() }()
	f, err := fleet.New(client, fleet.Options{Key: []byte(secret)})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = f.Close() }()

	api := &http.Client{Transport: &headway.Transport{
		Base:  server(),
		Fleet: f,
		Trace: &headway.Trace{Fleet: func(info headway.FleetInfo) { fmt.Println("the store:", info.Err) }},
	}}
	resp, err := api.Get("https://api.example.com/things")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = resp.Body.Close() }()
	fmt.Println(resp.StatusCode)
	// Output: 200
}
