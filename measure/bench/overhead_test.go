package bench_test

import (
	"fmt"
	"net/http"
	"runtime"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/go-retryablehttp"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
)

// A load is a kind of requests that never wait.
type load struct {
	title      string
	benchmark  string        // its name below the client's
	headers    []http.Header // of the responses, in turn
	goroutines int
	hosts      int // the requests go to these hosts in turn
}

// byOne are the loads of one goroutine. The server reports no limit, or one that is never reached, in some dialect.
func byOne() []load {
	return []load{
		{"no limit reported", "limits=none", []http.Header{{"Content-Type": {"application/json"}}}, 1, 1},
		{"draft-10", "limits=draft10", []http.Header{toldByDraft10()}, 1, 1},
		{"X-RateLimit", "limits=xratelimit", []http.Header{{
			"Content-Type":          {"application/json"},
			"X-Ratelimit-Limit":     {"500000000"},
			"X-Ratelimit-Remaining": {"500000000"},
			"X-Ratelimit-Reset":     {"60"},
		}}, 1, 1},
	}
}

// inUse are the loads of one goroutine in which each response reports a unit less than the last one. The responses are
// made beforehand, so the numbers begin again after the last.
func inUse() []load {
	const responses = 256
	window, three := make([]http.Header, responses), make([]http.Header, responses)
	for i := range responses {
		left := 500_000_000 - i
		window[i] = toldByDraft10()
		window[i].Set("RateLimit", fmt.Sprintf(`"default";r=%d;t=60`, left))
		three[i] = http.Header{
			"Content-Type":     {"application/json"},
			"Ratelimit":        {fmt.Sprintf(`"second";r=%d;t=1, "minute";r=%d;t=60, "day";r=%d;t=86400`, left, left, left)},
			"Ratelimit-Policy": {`"second";q=500000000;w=1, "minute";q=500000000;w=60, "day";q=500000000;w=86400`},
		}
	}
	return []load{
		{"a window that empties", "limits=window", window, 1, 1},
		{"three such windows", "limits=three", three, 1, 1},
	}
}

// byMany are the loads of many goroutines, which use one host or many.
func byMany() []load {
	return []load{
		{"one host", "goroutines=64/hosts=1", []http.Header{toldByDraft10()}, 64, 1},
		{"10,000 hosts", "goroutines=64/hosts=10000", []http.Header{toldByDraft10()}, 64, 10_000},
	}
}

func toldByDraft10() http.Header {
	return http.Header{
		"Content-Type":     {"application/json"},
		"Ratelimit":        {`"default";r=500000000;t=60`},
		"Ratelimit-Policy": {`"default";q=500000000;w=60`},
	}
}

// A server responds at once, at the lowest cost that is fair to clients that replace the response's body. One goroutine
// always gets the same response, with its body restored. Many goroutines get a new response each time.
func (l load) server() http.RoundTripper {
	if l.goroutines > 1 {
		return fresh{l.headers[0]}
	}
	return &restored{resp: http.Response{StatusCode: http.StatusOK}, headers: l.headers}
}

type fresh struct{ header http.Header }

// RoundTrip implements http.RoundTripper.
func (f fresh) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: f.header, Body: http.NoBody, Request: req}, nil
}

type restored struct {
	resp    http.Response
	headers []http.Header
	next    int
}

// RoundTrip implements http.RoundTripper.
func (r *restored) RoundTrip(req *http.Request) (*http.Response, error) {
	r.resp.Header, r.resp.Body, r.resp.Request = r.headers[r.next%len(r.headers)], http.NoBody, req
	r.next++
	return &r.resp, nil
}

// A subject is a client whose cost is measured.
type subject struct {
	name string
	over func(base http.RoundTripper) caller
}

// A caller prepares a request that a program sends many times, and returns the function that sends it.
type caller func(*http.Request) sending

type sending func() (*http.Response, error)

// subjects returns all contenders without a limit: headway without a maximum rate, and others without a configured rate.
// The first is the bare base, the second headway. Each is called in its cheapest way.
func subjects() []subject {
	subjects := []subject{{bareBase, tripper}}
	for _, c := range contenders() {
		subjects = append(subjects, subject{c.name, func(base http.RoundTripper) caller { return tripper(c.client(base, noLimit)) }})
		switch c.name {
		case ourName:
			subjects[len(subjects)-1].over = unhindered
		case retryablePeer:
			subjects = append(subjects, subject{retryablePeer + " (Do)", doRetryable})
		}
	}
	return append(subjects, subject{"http.Client", func(base http.RoundTripper) caller {
		client := &http.Client{Transport: base}
		return func(req *http.Request) sending {
			return func() (*http.Response, error) { return client.Do(req) }
		}
	}})
}

// bareBase is the name of the base below all contenders.
const bareBase = "none"

// noLimit are the facts of a server without limits, with the shortest interval of rate.Every.
var noLimit = facts{every: 1, window: time.Minute, burst: 1}

func tripper(client http.RoundTripper) caller {
	return func(req *http.Request) sending {
		return func() (*http.Response, error) { return client.RoundTrip(req) }
	}
}

func unhindered(base http.RoundTripper) caller {
	t := &headway.Transport{Base: base}
	t.Bounds.MaxRate = -1
	return tripper(t)
}

// doRetryable calls go-retryablehttp with its own kind of request, as programs for it do. As a RoundTripper it converts
// each request.
func doRetryable(base http.RoundTripper) caller {
	client := newRetryableClient(base)
	return func(req *http.Request) sending {
		own := &retryablehttp.Request{Request: req}
		return func() (*http.Response, error) { return client.Do(own) }
	}
}

// BenchmarkOverhead measures the cost of a client whose requests never wait. The figures of client=none are the server's
// part of the others.
func BenchmarkOverhead(b *testing.B) { benchmark(b, slices.Concat(byOne(), inUse())) }

// BenchmarkOverheadParallel is BenchmarkOverhead with many goroutines.
func BenchmarkOverheadParallel(b *testing.B) { benchmark(b, byMany()) }

func benchmark(b *testing.B, loads []load) {
	b.Helper()
	b.Setenv("AWS_NEW_RETRIES_2026", "") // the SDK's default
	for _, s := range subjects() {
		for _, l := range loads {
			b.Run(fmt.Sprintf("client=%s/%s", s.name, l.benchmark), func(b *testing.B) { s.ready(b, l)(b) })
		}
	}
}

// ready makes a client that has sent to each host, and returns the benchmark.
func (s subject) ready(tb testing.TB, l load) func(*testing.B) {
	tb.Helper()
	call := s.over(l.server())
	sendings := make([]sending, l.hosts)
	for i := range sendings {
		// go-retryablehttp would read and keep http.NoBody like any body.
		req, err := http.NewRequestWithContext(tb.Context(), http.MethodGet, fmt.Sprintf("https://host%d.example.com/things", i), nil)
		require.NoError(tb, err)
		sendings[i] = call(req)
		for range 2 { // clients allocate at the first responses
			require.NoError(tb, sendings[i].do())
		}
	}
	return func(b *testing.B) {
		b.Helper()
		b.ReportAllocs()
		if l.goroutines > 1 {
			parallel(b, l.goroutines, sendings)
			return
		}
		for send := sendings[0]; b.Loop(); {
			if err := send.do(); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// do sends one request, and reads the response.
func (s sending) do() error {
	resp, err := s()
	if err != nil {
		return err
	}
	return resp.Body.Close()
}

// parallel lets goroutines send to the hosts in turn, each beginning with another host.
func parallel(b *testing.B, goroutines int, sendings []sending) {
	b.Helper()
	b.SetParallelism(max(1, goroutines/runtime.GOMAXPROCS(0)))
	var begun atomic.Int64
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for i := int(begun.Add(1)) * len(sendings) / goroutines; pb.Next(); i++ {
			if err := sendings[i%len(sendings)].do(); err != nil {
				b.Error(err)
				return
			}
		}
	})
}
