package headway_test

import (
	"fmt"
	"net/http"

	"github.com/headway-go/headway"
)

// A client is made once and used by everyone. It stays under the limits of all
// servers that it talks to.
func Example() {
	client := &http.Client{Transport: &headway.Transport{Base: server()}} // Base: nil for real ones
	resp, err := client.Get("https://api.example.com/things")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = resp.Body.Close() }()
	fmt.Println(resp.StatusCode)
	// Output: 200
}

// Wrong: what a Transport learned from the responses is in it. One that is made
// for each request knows nothing, and finds the limit by running into it.
func ExampleTransport_incorrect() {
	base := server()
	for range 5 {
		client := &http.Client{Transport: &headway.Transport{Base: base, MaxRetries: -1}}
		resp, err := client.Get("https://api.example.com/things")
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = resp.Body.Close()
		fmt.Println(resp.StatusCode)
	}
	// Output:
	// 200
	// 200
	// 200
	// 429
	// 429
}
