package redisfleet_test

import (
	"fmt"
	"net/http"
	"time"

	"github.com/alicebob/miniredis/v2"
	"github.com/redis/go-redis/v9"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/fleet/redisfleet"
	"github.com/headway-go/headway/ratelimittest"
)

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

	f, err := redisfleet.New(client, redisfleet.Options{Key: []byte("32 random bytes, from the config")}) // the same in all processes
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = f.Close() }() // before the client is closed

	server := &ratelimittest.Transport{Handler: &ratelimittest.Handler{
		Limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(100, time.Minute)}, Dialect: ratelimittest.Draft10,
	}}
	api := &http.Client{Transport: &headway.Transport{Base: server, Fleet: f}} // in production Base is nil
	resp, err := api.Get("https://api.example.com/things")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = resp.Body.Close() }()
	fmt.Println(resp.StatusCode)
	// Output: 200
}
