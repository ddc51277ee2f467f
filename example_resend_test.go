package headway_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/headway-go/headway"
)

// What does a caller see of a 429? Nothing: the request waits, and is sent again. (An SDK
// that answers in place of the server once it believes that a quota is used up, as
// go-github does, does not get that far: see examples/sdks for how to have it ask.)
func ExampleTransport_resend() {
	client := &http.Client{Transport: &headway.Transport{
		Base: throttlingFirst(),
		Trace: &headway.Trace{
			Resent: func(context.Context, headway.SentInfo) { fmt.Println("sent again") },
		},
	}}
	fmt.Println(statusOf(client.Get(things)))
	// Output:
	// server got ""
	// sent again
	// server got ""
	// 200 OK
}

// Is a request with a body sent again in full? Yes, for http.NewRequest sets GetBody for
// strings, bytes and buffers.
func ExampleTransport_body() {
	client := &http.Client{Transport: &headway.Transport{Base: throttlingFirst()}}
	fmt.Println(statusOf(client.Post(things, "text/plain", strings.NewReader("a thing"))))
	// Output:
	// server got "a thing"
	// server got "a thing"
	// 200 OK
}

// What if the body is a stream? Nothing is buffered. Where GetBody can begin it anew, say
// so; else the request is not sent again, and its caller gets the refusal.
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

// A retrying layer sends a request again as long as again says so, at most three times.
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

// anyFailure is what retrying clients do by default: they retry what is no success.
func anyFailure(_ context.Context, resp *http.Response, err error) (bool, error) {
	return resp == nil || resp.StatusCode >= 400, nil
}

// Two layers retry. Do their attempts multiply? Not if the one above the Transport leaves
// limits to it. This form of policy is that of hashicorp/go-retryablehttp.
func ExampleCheckRetry() {
	transport := &headway.Transport{Base: throttling("Retry-After", "3600"), MaxWait: time.Minute}
	client := &http.Client{Transport: &retrying{transport, headway.CheckRetry(anyFailure)}}
	fmt.Println(statusOf(client.Get(things))) // the server's answer
	fmt.Println(statusOf(client.Get(things))) // the Transport's refusal
	// Output:
	// attempt 1
	// 429 Too Many Requests
	// attempt 1
	// not sent
}

// Wrong: a layer below the Transport that retries. The Transport learns of a refusal when
// the server has been asked three times.
func ExampleTransport_incorrectOrder() {
	layer := &retrying{throttling("Retry-After", "3600"), anyFailure}
	client := &http.Client{Transport: &headway.Transport{Base: layer, MaxWait: time.Minute}}
	fmt.Println(statusOf(client.Get(things)))
	// Output:
	// attempt 1
	// attempt 2
	// attempt 3
	// 429 Too Many Requests
}

// A layer of a program's own, such as one that sets a header field, says what it wraps.
type authorizing struct{ base http.RoundTripper }

func (a authorizing) RoundTrip(req *http.Request) (*http.Response, error) {
	req = req.Clone(req.Context())
	req.Header.Set("Authorization", "Bearer secret")
	return a.base.RoundTrip(req)
}

func (a authorizing) Unwrap() http.RoundTripper { return a.base }

// A program sets up a Transport above a library that has one of its own. Do both wait, and
// resend? Only the upper one does, which finds the lower one by the method Unwrap of
// what stands between them.
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
