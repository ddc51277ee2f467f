package pool_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"time"

	"github.com/headway-go/headway/pool"
)

// Two deployments of one service. The requests of a conversation stay with one of them, whose prompt cache has its text, for
// up to ten seconds longer than they would wait for the other one.
func ExampleTransport() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		if req.Header.Get("Api-Key") == "key of east" {
			w.WriteHeader(http.StatusUnauthorized)
		}
	}))
	defer server.Close()

	deployment := func(name, url, key string) pool.Member {
		return pool.Member{Name: name, Prepare: func(req *http.Request) {
			req.URL.Host = url[len("http://"):]
			req.Header.Set("Api-Key", key)
		}}
	}
	client := &http.Client{Transport: &pool.Transport{
		Members: []pool.Member{
			deployment("east", server.URL, "key of east"),
			deployment("west", server.URL, "key of west"),
		},
		Affinity: func(req *http.Request) (string, time.Duration) {
			return req.Header.Get("Conversation"), 10 * time.Second
		},
		Changed: func(member string, isOut bool) { fmt.Println(member, "is left out:", isOut) },
	}}

	req, err := http.NewRequest(http.MethodGet, "http://any.deployment/answers", http.NoBody)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, conversation := range []string{"1", "2", "3", "4", "5", "6", "7", "8"} {
		req.Header.Set("Conversation", conversation)
		resp, err := client.Do(req)
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			fmt.Println(conversation, resp.Status)
		}
	}
	// Output:
	// east is left out: true
}
