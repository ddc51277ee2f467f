package headway_test

import (
	"fmt"
	"net/http"
	"strings"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/ratelimittest"
)

// Do two users of one program slow each other down? Each origin with each credential is a
// partition of its own. Its name tells nothing of the credential.
func ExampleDefaultPartition() {
	names := map[string]bool{}
	for _, token := range []string{"alice's secret", "bob's secret", "alice's secret"} {
		req, _ := http.NewRequest(http.MethodGet, "https://API.example.com:443/things", http.NoBody)
		req.Header.Set("Authorization", "Bearer "+token)
		name := headway.DefaultPartition(req)
		names[name] = true
		fmt.Println(strings.HasPrefix(name, "https://api.example.com#"), strings.Contains(name, "secret"))
	}
	fmt.Println(len(names), "partitions")
	// Output:
	// true false
	// true false
	// true false
	// 2 partitions
}

// A server limits searching apart from everything else, and health checks not at all.
func ExampleTransport_partition() {
	transport := &headway.Transport{
		Base: server(),
		Partition: func(req *http.Request) string {
			switch {
			case req.URL.Path == "/health":
				return "" // straight to Base
			case strings.HasPrefix(req.URL.Path, "/search"):
				return headway.DefaultPartition(req) + " search"
			default:
				return headway.DefaultPartition(req)
			}
		},
	}
	client := &http.Client{Transport: transport}
	for _, path := range []string{"/things", "/search?q=a", "/health"} {
		fmt.Println(statusOf(client.Get("https://api.example.com" + path)))
	}
	for _, state := range transport.State() {
		fmt.Println(state.Partition)
	}
	// Output:
	// 200 OK
	// 200 OK
	// 200 OK
	// https://api.example.com
	// https://api.example.com search
}

// Wrong: a partition for each URL. The server has one quota for all of them, of which each
// partition believes that it is alone with it.
func ExampleTransport_incorrectPartition() {
	client := &http.Client{Transport: &headway.Transport{
		Base:       server(),
		Partition:  func(req *http.Request) string { return req.URL.String() },
		MaxRetries: -1,
	}}
	for i := range 5 {
		fmt.Println(statusOf(client.Get(fmt.Sprintf("https://api.example.com/things/%d", i))))
	}
	// Output:
	// 200 OK
	// 200 OK
	// 200 OK
	// 429 Too Many Requests
	// 429 Too Many Requests
}

// A policy has a quota for each project, and the server says by pk whose it tells. Does a
// project that has used up its own keep others waiting? Not if it is known before a
// request is sent whose quota it will use.
func ExampleTransport_partitionKey() {
	project := func(req *http.Request) string { return req.Header.Get("Test-Project") }
	handler := ratelimittest.NewHandler(&ratelimittest.FixedWindow{Policy: ratelimittest.Policy{
		Name: "project", Quota: 2, Window: time.Hour,
		PartitionKey: func(client string) string { return client },
	}}, ratelimittest.Draft10)
	handler.Client = project
	client := &http.Client{Transport: &headway.Transport{
		Base:         &ratelimittest.Transport{Handler: handler},
		PartitionKey: func(req *http.Request) []byte { return []byte(project(req)) },
		MaxWait:      time.Minute,
	}}
	for _, name := range []string{"blue", "blue", "blue", "red"} {
		req, _ := http.NewRequest(http.MethodGet, things, http.NoBody)
		req.Header.Set("Test-Project", name)
		fmt.Println(name, statusOf(client.Do(req)))
	}
	// Output:
	// blue 200 OK
	// blue 200 OK
	// blue not sent
	// red 200 OK
}

// Searches are used up for an hour. Does everything else wait with them? A limit that the
// answers of a route leave out does not apply to it, which needs no Partition.
func ExampleTransport_routes() {
	search := ratelimittest.NewHandler(&ratelimittest.FixedWindow{
		Policy: ratelimittest.Policy{Name: "search", Quota: 1, Window: time.Hour},
	}, ratelimittest.Draft10)
	core := ratelimittest.NewHandler(&ratelimittest.FixedWindow{
		Policy: ratelimittest.Policy{Name: "core", Quota: 5000, Window: time.Hour},
	}, ratelimittest.Draft10)
	api := http.NewServeMux()
	api.Handle("/search", search)
	api.Handle("/things/{id}", core)

	client := &http.Client{Transport: &headway.Transport{
		Base:    &ratelimittest.Transport{Handler: api},
		MaxWait: time.Minute,
	}}
	for _, path := range []string{"/things/1", "/search", "/search", "/things/2"} {
		fmt.Println(path, statusOf(client.Get("https://api.example.com"+path)))
	}
	// Output:
	// /things/1 200 OK
	// /search 200 OK
	// /search not sent
	// /things/2 200 OK
}
