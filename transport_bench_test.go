package headway_test

import (
	"fmt"
	"io"
	"net/http"
	"runtime"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/handfleet"
	"github.com/headway-go/headway/internal/test/kit"
)

// A constBase returns the same response to every request, without allocations.
type constBase struct{ resp *http.Response }

func (b constBase) RoundTrip(*http.Request) (*http.Response, error) { return b.resp, nil }

func newConstBase(header http.Header) constBase {
	return constBase{&http.Response{StatusCode: http.StatusOK, Header: header, Body: http.NoBody}}
}

// A freshBase returns a copy of one response to every request, as Transports replace Bodies. It is not safe for concurrent
// use.
type freshBase struct{ template, resp http.Response }

func (b *freshBase) RoundTrip(*http.Request) (*http.Response, error) {
	b.resp = b.template
	return &b.resp, nil
}

// A body is empty, and has to be read to show that.
type body struct{}

func (body) Read([]byte) (int, error) { return 0, io.EOF }
func (body) Close() error             { return nil }

// abundant has the fields of a limit that is never reached.
func abundant() http.Header {
	return http.Header{
		"Ratelimit":        {`"default";r=500000000000;t=60`},
		"Ratelimit-Policy": {`"default";q=500000000000;w=60`},
	}
}

// abundantX is the same limit in X-RateLimit fields, with the seconds until the reset.
func abundantX() http.Header {
	return http.Header{
		"X-Ratelimit-Limit": {"500000000000"}, "X-Ratelimit-Remaining": {"500000000000"}, "X-Ratelimit-Reset": {"60"},
	}
}

// abundantXEpoch is the same limit with the time of the reset, a minute after Date.
func abundantXEpoch() http.Header {
	told := abundantX()
	told.Set("Date", "Mon, 05 Jan 2026 00:00:00 GMT")
	told.Set("X-RateLimit-Reset", "1767571260")
	return told
}

// benchmarkTransport returns a Transport whose pace Bounds does not limit.
func benchmarkTransport(base http.RoundTripper) *headway.Transport {
	t := &headway.Transport{Base: base}
	t.Bounds.MaxRate = -1
	return t
}

// joinHandFleet makes one request and then gives the Transport its part of the limits that the response reports.
func joinHandFleet(tb testing.TB, transport *headway.Transport, req *http.Request) {
	tb.Helper()
	f := handfleet.New()
	transport.Fleet = f
	_, err := transport.RoundTrip(req)
	require.NoError(tb, err)
	f.Tell(f.Agreement(tb, 250000000000))
	require.True(tb, transport.State()[0].Limits[0].Agreed)
}

func BenchmarkRoundTrip(b *testing.B) {
	authorized := http.Header{
		"Accept": {"application/json"}, "User-Agent": {"bench"},
		"Authorization": {"Bearer 0123456789abcdef0123456789abcdef"},
	}
	for _, bench := range []struct {
		name    string
		request http.Header
		answer  http.Header
		fleet   bool // the Transport has half of the quota as its part
	}{
		{"headers=none", nil, http.Header{"Content-Type": {"application/json"}}, false},
		{"headers=none/credential", authorized, http.Header{"Content-Type": {"application/json"}}, false},
		{"headers=draft10", nil, abundant(), false},
		{"headers=draft10/credential", authorized, abundant(), false},
		{"headers=draft10/fleet", nil, abundant(), true},
		{"headers=xratelimit", nil, abundantX(), false},
		{"headers=xratelimit/epoch", nil, abundantXEpoch(), false},
	} {
		b.Run(bench.name, func(b *testing.B) {
			b.ReportAllocs()
			transport := benchmarkTransport(newConstBase(bench.answer))
			req := kit.NewRequest(b, "https://api.example.com/v1/things")
			req.Header = bench.request
			if bench.fleet {
				joinHandFleet(b, transport, req)
			}
			for b.Loop() {
				if _, err := transport.RoundTrip(req); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkRoundTripParallel measures contention of goroutines in one partition and among many, with limits that are never
// reached.
func BenchmarkRoundTripParallel(b *testing.B) {
	for _, partitions := range []int{1, 10_000} {
		requests := make([]*http.Request, partitions)
		for i := range requests {
			requests[i] = kit.NewRequest(b, fmt.Sprintf("https://host%d.example.com/", i))
		}
		for _, goroutines := range []int{1, 8, 64} {
			b.Run(fmt.Sprintf("partitions=%d/goroutines=%d", partitions, goroutines), func(b *testing.B) {
				b.ReportAllocs()
				transport := benchmarkTransport(newConstBase(abundant()))
				send := func(i int) error {
					_, err := transport.RoundTrip(requests[i%len(requests)])
					return err
				}
				for i := range 2 * len(requests) { // a partition allocates at its first two responses
					require.NoError(b, send(i))
				}
				if goroutines == 1 {
					for i := 0; b.Loop(); i++ {
						if err := send(i); err != nil {
							b.Fatal(err)
						}
					}
					return
				}
				var begun atomic.Int64
				b.SetParallelism(max(1, goroutines/runtime.GOMAXPROCS(0)))
				b.ResetTimer()
				b.RunParallel(func(pb *testing.PB) {
					// Each goroutine begins with another request.
					for i := int(begun.Add(1)) * len(requests) / goroutines; pb.Next(); i++ {
						if err := send(i); err != nil {
							b.Error(err)
							return
						}
					}
				})
			})
		}
	}
}
