package bench_test

import (
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/page"
)

// A wireLoad is unlimited requests over real connections on the loopback interface.
type wireLoad struct {
	protocol string
	atOnce   int // requests; each has a connection in HTTP/1.1, and they share one in HTTP/2
}

func wireLoads() (all []wireLoad) {
	for _, protocol := range []string{"HTTP/1.1", "HTTP/2"} {
		for _, n := range []int{1, 16, 256} {
			all = append(all, wireLoad{protocol, n})
		}
	}
	return all
}

// A wireCost is what a load reaches with one client, at best.
type wireCost struct {
	perSecond float64
	p50, p99  time.Duration
}

// A wireRow compares a load without headway, with it, and with a busyWait instead of it.
type wireRow struct {
	load                wireLoad
	without, with, busy wireCost
}

// busyTime is about as long as headway computes for a request over a real connection.
const busyTime = 3 * time.Microsecond

// A busyWait computes for busyTime before each request, and does nothing else. It shows what so much computing costs in a
// client that shares its processors with a server.
type busyWait struct{ http.RoundTripper }

func (b busyWait) RoundTrip(req *http.Request) (*http.Response, error) {
	for begun := time.Now(); time.Since(begun) < busyTime; {
	}
	return b.RoundTripper.RoundTrip(req)
}

// measureWire measures each load in so many rounds. In each round the clients take turns, and each is the first in every
// third one. The best round counts, as other work of the machine only adds to the times.
func measureWire(t *testing.T, rounds, requests int) (rows []wireRow) {
	t.Helper()
	for _, l := range wireLoads() {
		row := wireRow{l, noCost(), noCost(), noCost()}
		url, base := l.serve(t)
		paced := &headway.Transport{Base: base}
		paced.Bounds.MaxRate = -1
		clients := []http.RoundTripper{base, paced, busyWait{base}}
		costs := []*wireCost{&row.without, &row.with, &row.busy}
		for n := range rounds * len(clients) {
			i := (n + n/len(clients)) % len(clients)
			costs[i].improve(l.send(t, clients[i], url, requests))
		}
		rows = append(rows, row)
	}
	return rows
}

func noCost() wireCost { return wireCost{p50: math.MaxInt64, p99: math.MaxInt64} }

func (c *wireCost) improve(by wireCost) {
	c.perSecond, c.p50, c.p99 = max(c.perSecond, by.perSecond), min(c.p50, by.p50), min(c.p99, by.p99)
}

// serve starts Go's server, which reports a limit that is never reached, and returns its URL and a transport for it.
func (l wireLoad) serve(t *testing.T) (url string, base *http.Transport) {
	t.Helper()
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		maps.Copy(w.Header(), toldByDraft10())
		_, _ = io.WriteString(w, `{"ok":true}`)
	}))
	if l.protocol == "HTTP/2" {
		server.EnableHTTP2 = true
		server.StartTLS()
	} else {
		server.Start()
	}
	t.Cleanup(server.Close)
	base = server.Client().Transport.(*http.Transport).Clone() //nolint:forcetypeassert // httptest's own
	base.MaxIdleConnsPerHost = l.atOnce
	t.Cleanup(base.CloseIdleConnections)
	return server.URL, base
}

// send sends so many requests, and measures their times until the body has been read.
func (l wireLoad) send(t *testing.T, client http.RoundTripper, url string, requests int) wireCost {
	t.Helper()
	took := make([][]time.Duration, l.atOnce)
	begun := time.Now()
	var all sync.WaitGroup
	for i := range took {
		all.Go(func() {
			for range max(requests/l.atOnce, 1) {
				sent := time.Now()
				if err := fetch(t, client, url, l.protocol); err != nil {
					t.Error(err)
					return
				}
				took[i] = append(took[i], time.Since(sent))
			}
		})
	}
	all.Wait()
	passed, times := time.Since(begun), slices.Concat(took...)
	require.NotEmpty(t, times)
	slices.Sort(times)
	return wireCost{float64(len(times)) / passed.Seconds(), times[len(times)/2], times[len(times)*99/100]}
}

func fetch(t *testing.T, client http.RoundTripper, url, protocol string) error {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	resp, err := client.RoundTrip(req)
	if err != nil {
		return err
	}
	defer resp.Body.Close() //nolint:errcheck // it has been read
	if got := fmt.Sprintf("HTTP/%d.%d", resp.ProtoMajor, resp.ProtoMinor); got != protocol && got != protocol+".0" {
		return fmt.Errorf("the response came by %s", got)
	}
	_, err = io.Copy(io.Discard, resp.Body)
	return err
}

// wireCosts are the rows, for the template.
type wireCosts []wireRow

// Processors is how many processors client and server share.
func (wireCosts) Processors() int { return runtime.GOMAXPROCS(0) }

// Table has the figures without headway and with it, their ratio, and that of a busyWait.
func (rows wireCosts) Table() string {
	table := [][]string{{"protocol", "at once", "requests per second", "with headway", "ratio", "busy", "p50 µs", "with headway", "ratio", "busy", "p99 µs", "with headway", "ratio", "busy"}}
	for _, r := range rows {
		line := []string{r.load.protocol, fmt.Sprint(r.load.atOnce)}
		add := func(of func(c *wireCost) float64) {
			without, with, busy := of(&r.without), of(&r.with), of(&r.busy)
			line = append(line, fmt.Sprintf("%.0f", without), fmt.Sprintf("%.0f", with), fmt.Sprintf("%.2f", with/without), fmt.Sprintf("%.2f", busy/without))
		}
		add(func(c *wireCost) float64 { return c.perSecond })
		add(func(c *wireCost) float64 { return microseconds(c.p50) })
		add(func(c *wireCost) float64 { return microseconds(c.p99) })
		table = append(table, line)
	}
	return page.Table(table)
}

func microseconds(d time.Duration) float64 { return d.Seconds() * 1e6 }

// wireMark names the marks around the table in bench.md.
const wireMark = "wire"

// TestWireCosts sends a few requests of each load. With -write it measures them for two minutes and writes their table.
func TestWireCosts(t *testing.T) {
	rounds, requests := 1, 256
	if *write {
		rounds, requests = 10, 8192
	}
	rows := wireCosts(measureWire(t, rounds, requests))
	require.Len(t, rows, len(wireLoads()))
	t.Logf("\n%s", rows.Table())
	if *write {
		require.NoError(t, figuresFolder(t).Replace("bench.md", wireMark, filled(t, "wire.md.tmpl", rows)))
	}
}
