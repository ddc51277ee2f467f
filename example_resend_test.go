package headway_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/validate"
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
					fmt.Println("held for", info.Hold.Round(10*time.Millisecond))
				},
			},
		}}
		statusOf(client.Get(things))
	}
	// Output:
	// held for 30m0s
	// held for 250ms
}

// A server says Retry-After: 0 with every refusal. Is it asked as fast as it answers? No: a
// tenth of a second has to pass at least, and after each further refusal twice as much.
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
	// held for 100ms
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
