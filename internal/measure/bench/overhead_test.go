package bench_test

import (
	"flag"
	"fmt"
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
)

// A constant answers every request at once, with a response of its own, because some
// clients change it.
type constant struct{ header http.Header }

// RoundTrip implements http.RoundTripper.
func (c constant) RoundTrip(req *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusOK, Header: c.header, Body: http.NoBody, Request: req}, nil
}

// An answer is what a server says that does not limit.
type answer struct {
	limits string // in which dialect it tells them
	header http.Header
}

func answers() [2]answer {
	return [2]answer{
		{"none", http.Header{"Content-Type": {"application/json"}}},
		{"draft10", http.Header{
			"Content-Type":     {"application/json"},
			"Ratelimit":        {`"default";r=500000000;t=60`},
			"Ratelimit-Policy": {`"default";q=500000000;w=60`},
		}},
	}
}

// unhindered are all contenders, where nothing holds them back: neither headway's
// greatest rate, nor one that is told. bare is what they all send by.
func unhindered() []contender {
	all := append([]contender{{name: bareBase, client: func(base http.RoundTripper, _ facts) http.RoundTripper { return base }}},
		append(contenders(), forGitHub())...)
	for i := range all {
		if all[i].name == headwayPeer.name {
			all[i].client = func(base http.RoundTripper, _ facts) http.RoundTripper {
				t := &headway.Transport{Base: base}
				t.Bounds.MaxRate = -1
				return t
			}
		}
	}
	return all
}

// bareBase is the name of what sends for all contenders.
const bareBase = "none"

// noLimit is what a client is told of a server without limits. rate.Every knows none
// that is shorter, but for none at all.
var noLimit = facts{every: 1, window: time.Minute, burst: 1}

// BenchmarkOverhead tells what a client costs where nothing is limited. Of each figure
// those of client=none are the server's part.
func BenchmarkOverhead(b *testing.B) {
	b.Setenv("AWS_NEW_RETRIES_2026", "") // the SDK's default
	for _, c := range unhindered() {
		for _, a := range answers() {
			b.Run(fmt.Sprintf("client=%s/limits=%s", c.name, a.limits), func(b *testing.B) { overhead(b, c, a.header) })
		}
	}
}

func overhead(b *testing.B, c contender, header http.Header) {
	b.Helper()
	b.ReportAllocs()
	client := c.client(constant{header}, noLimit)
	req, err := http.NewRequestWithContext(b.Context(), http.MethodGet, "https://api.example.com/things", http.NoBody)
	require.NoError(b, err)
	for b.Loop() {
		resp, err := client.RoundTrip(req)
		if err != nil {
			b.Fatal(err)
		}
		_ = resp.Body.Close()
	}
}

// A cost is what a client adds to a request that is not limited.
type cost struct {
	client                 contender
	nanoseconds, allocated [2]float64 // by answer
}

// costs runs the benchmarks, each for some time, or for so many requests, see -benchtime.
// A client's tries are far apart, so that what else the machine does spoils few of them.
func costs(t *testing.T, tries int, benchtime string) []cost {
	t.Helper()
	setBenchtime(t, benchtime)
	var all []cost
	for _, c := range unhindered() {
		all = append(all, cost{client: c, nanoseconds: [2]float64{math.Inf(1), math.Inf(1)}})
	}
	for range tries {
		for i := range all {
			all[i].again(t)
		}
	}
	base, rest := all[0], all[1:]
	for i := range rest {
		for k := range answers() {
			rest[i].nanoseconds[k] = max(rest[i].nanoseconds[k]-base.nanoseconds[k], 0)
			rest[i].allocated[k] -= base.allocated[k]
		}
	}
	return rest
}

// again measures once more, and keeps what is better.
func (c *cost) again(t *testing.T) {
	t.Helper()
	for i, a := range answers() {
		r := testing.Benchmark(func(b *testing.B) { b.Helper(); overhead(b, c.client, a.header) })
		require.Positive(t, r.N, c.client.name)
		c.nanoseconds[i] = min(c.nanoseconds[i], float64(r.T.Nanoseconds())/float64(r.N))
		c.allocated[i] = float64(r.AllocsPerOp())
	}
}

func setBenchtime(t *testing.T, value string) {
	t.Helper()
	benchtime := flag.Lookup("test.benchtime").Value
	before := benchtime.String()
	require.NoError(t, benchtime.Set(value))
	t.Cleanup(func() { require.NoError(t, benchtime.Set(before)) })
}

// TestCosts has each client send a few requests, as nothing else but -write does.
func TestCosts(t *testing.T) {
	t.Setenv("AWS_NEW_RETRIES_2026", "") // the SDK's default
	var names []string
	for _, c := range costs(t, 1, "5x") {
		names = append(names, c.client.name)
		for i := range answers() {
			require.False(t, math.IsInf(c.nanoseconds[i], 0), c.client.name)
		}
	}
	require.Len(t, names, len(contenders())+1)
	require.Equal(t, us().name, names[0])
}
