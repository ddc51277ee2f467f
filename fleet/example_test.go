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

// server is one that allows 100 requests per minute with each credential.
func server() http.RoundTripper {
	return &ratelimittest.Transport{
		Handler: ratelimittest.NewHandler(ratelimittest.NewFixedWindow(100, time.Minute), ratelimittest.Draft10),
	}
}

// Each process makes a Fleet, and gives it to its Transport. That is all.
func Example() {
	store, err := miniredis.Run() // where all processes reach it: a Redis or Valkey
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
	defer func() { _ = f.Close() }() // before the client

	api := &http.Client{Transport: &headway.Transport{Base: server(), Fleet: f}} // Base: nil for real ones
	resp, err := api.Get("https://api.example.com/things")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = resp.Body.Close() }()
	fmt.Println(resp.StatusCode)
	// Output: 200
}

// Without a key processes would not find each other, and others could. What is missing is said
// at once.
func ExampleNew_withoutKey() {
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:6379"})
	defer func() { _ = client.Close() }()
	_, err := fleet.New(client, fleet.Options{})
	fmt.Println(errors.Is(err, fleet.ErrKey))
	// Output: true
}

// What if there is no store? Requests do not need it: they go by what the server tells. The
// Trace and the Logger of a Transport are told that it is lost.
func ExampleNew_withoutStore() {
	client := redis.NewClient(&redis.Options{Addr: "127.0.0.1:1"}) // where nothing is
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
