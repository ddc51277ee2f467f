package headway_test

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/ratelimittest"
)

// A client is made once and used by everyone. It stays under the limits of all servers that it talks to.
func Example() {
	client := &http.Client{Transport: &headway.Transport{Base: server()}} // leave out Base for real servers
	resp, err := client.Get("https://api.example.com/things")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer func() { _ = resp.Body.Close() }()
	fmt.Println(resp.StatusCode)
	// Output: 200
}

// Wrong: a new Transport for each request. What a Transport learns is in it, so a new one knows nothing and runs into the
// limit.
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

// A command runs often, for some seconds each time. How does it know what its last run has used up? It keeps a snapshot in a
// file.
func ExampleTransport_Snapshot() {
	api := server()
	var file []byte
	for run := range 3 {
		transport := &headway.Transport{
			Base:        api,
			MaxWait:     time.Minute,
			SnapshotKey: []byte("a secret of 16 bytes or more"),
		}
		if run > 0 {
			if err := transport.Restore(file); err != nil {
				fmt.Println(err) // the Transport works nevertheless
			}
		}
		client := &http.Client{Transport: transport}
		fmt.Println(statusOf(client.Get(things)), "and", statusOf(client.Get(things)))
		file, _ = transport.Snapshot()
	}
	// Output:
	// 200 OK and 200 OK
	// not sent and not sent
	// not sent and not sent
}

// The servers of the examples are in memory. They enforce limits and report them in header fields. Their windows are long,
// so that no example has to wait.

const things = "https://api.example.com/things"

// server returns an API that allows three requests per hour.
func server() http.RoundTripper {
	return limited(&ratelimittest.FixedWindow{Policy: ratelimittest.Per(3, time.Hour)})
}

// limited returns an API with that limiter.
func limited(by ratelimittest.Limiter) http.RoundTripper {
	return &ratelimittest.Transport{Handler: &ratelimittest.Handler{Limiter: by, Dialect: ratelimittest.Draft10}}
}

// printing returns an API with that limiter that prints the paths of the requests that it allows.
func printing(by ratelimittest.Limiter) http.RoundTripper {
	handler := &ratelimittest.Handler{Limiter: by, Dialect: ratelimittest.Draft10}
	handler.Next = http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		fmt.Println(req.URL.Path)
		_, _ = io.WriteString(w, "an answer")
	})
	return &ratelimittest.Transport{Handler: handler}
}

// failing returns an API that sends that response to every request.
func failing(status int, body string) http.RoundTripper {
	return &ratelimittest.Transport{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		http.Error(w, body, status)
	})}
}

// throttling returns an API that refuses every request with a 429 and these header fields.
func throttling(namesAndValues ...string) http.RoundTripper {
	return &ratelimittest.Transport{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		setFields(w.Header(), namesAndValues)
		w.WriteHeader(http.StatusTooManyRequests)
	})}
}

func setFields(header http.Header, namesAndValues []string) {
	for i := 0; i < len(namesAndValues); i += 2 {
		if value := namesAndValues[i+1]; value != "" {
			header.Set(namesAndValues[i], value)
		}
	}
}

// throttlingFirst returns an API that refuses its first request, and prints the bodies that it gets.
func throttlingFirst() http.RoundTripper {
	requests := 0
	return &ratelimittest.Transport{Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		text, _ := io.ReadAll(req.Body)
		fmt.Printf("server got %q\n", text)
		if requests++; requests == 1 {
			w.Header().Set("Retry-After", "0")
			w.WriteHeader(http.StatusTooManyRequests)
		}
	})}
}

// statusOf closes the body of a response and returns its status. For an error it returns the text, or "not sent" for a
// *headway.LimitError.
func statusOf(resp *http.Response, err error) string {
	if _, ok := errors.AsType[*headway.LimitError](err); ok {
		return "not sent"
	}
	if err != nil {
		return err.Error()
	}
	_ = resp.Body.Close()
	return resp.Status
}
