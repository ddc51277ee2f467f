package headway_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/validate"
)

// What if the body is a stream? Set GetBody if the stream can start again. Otherwise the request is not resent, and its
// caller gets the 429: headway buffers no body.
func ExampleTransport_stream() {
	open := func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("a file")), nil }
	for _, getBody := range []func() (io.ReadCloser, error){nil, open} {
		client := &http.Client{Transport: &headway.Transport{Base: throttlingFirst()}}
		file, _ := open()
		req, _ := http.NewRequest(http.MethodPut, things, file)
		req.GetBody = getBody
		fmt.Println(statusOf(client.Do(req)))
	}
	// Output:
	// server got "a file"
	// 429 Too Many Requests
	// server got "a file"
	// server got "a file"
	// 200 OK
}

// A retrying layer sends a request up to three times, while again returns true.
type retrying struct {
	base  http.RoundTripper
	again func(context.Context, *http.Response, error) (bool, error)
}

func (r *retrying) RoundTrip(req *http.Request) (*http.Response, error) {
	for attempt := 1; ; attempt++ {
		fmt.Println("attempt", attempt)
		resp, err := r.base.RoundTrip(req)
		again, _ := r.again(req.Context(), resp, err)
		if !again || attempt == 3 {
			return resp, err
		}
		if err == nil {
			_ = resp.Body.Close()
		}
	}
}

// anyFailure retries everything but success, as retrying clients do by default.
func anyFailure(_ context.Context, resp *http.Response, err error) (bool, error) {
	return resp == nil || resp.StatusCode >= 400, nil
}

// Two layers retry. Do their attempts multiply? Not if the one above the Transport asks CheckRetry. The policy has the form
// of hashicorp/go-retryablehttp.
func ExampleCheckRetry() {
	transport := &headway.Transport{Base: throttling("Retry-After", "3600"), MaxWait: time.Minute}
	client := &http.Client{Transport: &retrying{transport, headway.CheckRetry(anyFailure)}}
	fmt.Println(statusOf(client.Get(things))) // the server's response
	fmt.Println(statusOf(client.Get(things))) // the Transport's refusal
	// Output:
	// attempt 1
	// 429 Too Many Requests
	// attempt 1
	// not sent
}

// An account has no money left, and no waiting helps. How does the program tell that from a limit? By the verdict.
func ExampleVerdictOf() {
	client := &http.Client{Transport: &headway.Transport{Base: throttling("X-Should-Retry", "false")}}
	resp, err := client.Get(things)
	if err != nil {
		fmt.Println(err)
		return
	}
	_ = resp.Body.Close()
	if headway.VerdictOf(resp) == validate.VerdictNever {
		fmt.Println(resp.Status, "until somebody looks at the account")
	}
	// Output: 429 Too Many Requests until somebody looks at the account
}

// A layer is a RoundTripper of the program, which might set a header field. Its method Unwrap returns what it wraps.
type authorizing struct{ base http.RoundTripper }

func (a authorizing) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer secret")
	return a.base.RoundTrip(req)
}

func (a authorizing) Unwrap() http.RoundTripper { return a.base }

// A program has a Transport above a library that has a Transport, too. Do both wait and resend? Only the upper one does. It
// finds the lower one through the method Unwrap of the layers between them.
func ExampleTransport_Unwrap() {
	lower := &headway.Transport{Base: server()}
	upper := &headway.Transport{Base: authorizing{lower}}
	client := &http.Client{Transport: upper}
	fmt.Println(statusOf(client.Get(things)))
	fmt.Println("partitions above:", len(upper.State()), "below:", len(lower.State()))
	// Output:
	// 200 OK
	// partitions above: 1 below: 0
}

// One request is refused. Must all others find that out by themselves? No: nothing of their partition is sent before the
// time that the server asked for.
func ExampleTransport_hold() {
	client := &http.Client{Transport: &headway.Transport{
		Base:    throttling("Retry-After", "3600"),
		MaxWait: time.Minute, // or the others would wait
	}}
	results := map[string]int{}
	for i := range 1000 {
		results[statusOf(client.Get(fmt.Sprintf("https://api.example.com/things/%d", i)))]++
	}
	fmt.Println(results)
	// Output: map[429 Too Many Requests:1 not sent:999]
}

// An API refuses with an unusual status, and only its documentation says when to come back. How does headway know? By a
// profile.
func ExampleTransport_profiles() {
	transport := &headway.Transport{
		Base:       failing(http.StatusConflict, "quota exceeded"),
		MaxRetries: -1, // or the request would wait and be sent again
		Profiles: []validate.Profile{{
			Host:    "api.example.com",
			Signs:   []validate.Sign{{Statuses: []int{http.StatusConflict}, Text: "quota exceeded"}},
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
