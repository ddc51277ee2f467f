package trial_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit/child"
	"github.com/headway-go/headway/internal/test/page"
)

// What the proxy holds to under load.
const (
	mostHealth = 50 * time.Millisecond // for /healthz while all places are taken
	mostLines  = 3                     // a second in the log, of an upstream that is down
	mostMemory = 512 << 20             // bytes, with 600 posts of 1 MB that wait
	loadFor    = 5 * time.Second
)

// A loaded proxy is one under load.
type loaded struct {
	command    *exec.Cmd
	process    *child.Process
	url, admin string
}

// load starts a proxy in front of a server.
func load(t *testing.T, headway, upstream string, args ...string) *loaded {
	t.Helper()
	l := &loaded{admin: "http://" + child.FreeAddress(t)}
	args = append([]string{"proxy", "-listen", "127.0.0.1:0", "-admin-listen", strings.TrimPrefix(l.admin, "http://"), "-to", upstream, "-grace", "-1s"}, args...)
	l.command = exec.Command(headway, args...) //nolint:noctx // it ends with the test
	p, address := child.Start(t, l.command, func(line string) string {
		var line1 logLine
		_ = json.Unmarshal([]byte(line), &line1) // what cannot be read is not the line
		return line1.Listen
	})
	l.process, l.url = p, "http://"+address
	return l
}

// crowd lets clients do something over and over, until the time is over.
func crowd(t *testing.T, clients int, d time.Duration, once func(context.Context, *http.Client) bool) (done, failed int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), d)
	defer cancel()
	transport := &http.Transport{MaxIdleConnsPerHost: clients}
	defer transport.CloseIdleConnections()
	var all, bad atomic.Int64
	var group sync.WaitGroup
	for range clients {
		group.Go(func() {
			for ctx.Err() == nil {
				all.Add(1)
				if !once(ctx, &http.Client{Transport: transport}) && ctx.Err() == nil {
					bad.Add(1)
				}
			}
		})
	}
	group.Wait()
	return all.Load(), bad.Load()
}

// status sends a request, and returns the status of its response; 0: there is none.
func status(ctx context.Context, client *http.Client, method, url string, body io.Reader) int {
	req, err := http.NewRequestWithContext(ctx, method, url, body)
	if err != nil {
		return 0
	}
	resp, err := client.Do(req)
	if err != nil {
		return 0
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
	return resp.StatusCode
}

// silent starts a server that accepts and says nothing.
func silent(t *testing.T) (url string) {
	t.Helper()
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() { _, _ = io.Copy(io.Discard, conn); _ = conn.Close() }()
		}
	}()
	return "http://" + listener.Addr().String()
}

// healthAtFullPlaces returns the slowest of 100 answers to /healthz while twice as many clients wait as there are places.
func healthAtFullPlaces(t *testing.T, headway string) string {
	t.Helper()
	const places = 500
	l := load(t, headway, silent(t), "-max-connections", strconv.Itoa(places))
	var slowest time.Duration
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for range 2 * places {
		group.Go(func() {
			status(ctx, &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}, http.MethodGet, l.url, nil)
		})
	}
	require.Eventually(t, func() bool {
		return status(t.Context(), http.DefaultClient, http.MethodGet, l.admin+"/readyz", nil) == 503
	}, time.Minute, time.Millisecond)
	for range 100 {
		begun := time.Now()
		require.Equal(t, 200, status(t.Context(), http.DefaultClient, http.MethodGet, l.admin+"/healthz", nil))
		slowest = max(slowest, time.Since(begun))
	}
	cancel()
	group.Wait()
	require.LessOrEqual(t, slowest, mostHealth)
	return fmt.Sprintf("%.1f ms", slowest.Seconds()*1000)
}

// silentUpstream returns how long 20 requests to a silent upstream take until the last one has its 504.
func silentUpstream(t *testing.T, headway string) string {
	t.Helper()
	l := load(t, headway, silent(t), "-response-timeout", "1s")
	begun := time.Now()
	var group sync.WaitGroup
	var got [20]int
	for i := range got {
		group.Go(func() { got[i] = status(t.Context(), http.DefaultClient, http.MethodGet, l.url, nil) })
	}
	group.Wait()
	took := time.Since(begun)
	for _, code := range got {
		require.Equal(t, 504, code)
	}
	require.Less(t, took, 10*time.Second)
	return fmt.Sprintf("%.1f s", took.Seconds())
}

// slowReader reads a response of 32 MB at 30 KiB a minute for four minutes, and then the rest. Within a minute its system tells
// nothing of it.
func slowReader(t *testing.T, headway string) string {
	t.Helper()
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(make([]byte, 32<<20)) }))
	t.Cleanup(upstream.Close)
	l := load(t, headway, upstream.URL)
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", strings.TrimPrefix(l.url, "http://"))
	require.NoError(t, err)
	_, err = io.WriteString(conn, "GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")
	require.NoError(t, err)
	for range 240 {
		_, err := io.ReadFull(conn, make([]byte, 512))
		require.NoError(t, err)
		time.Sleep(time.Second)
	}
	rest, err := io.CopyN(io.Discard, conn, 32<<20-240*512)
	require.NoError(t, err, rest)
	require.NoError(t, conn.Close())
	return "all of it"
}

// logOfADeadUpstream returns how many lines a second the log has while 50 clients ask an upstream that is down.
func logOfADeadUpstream(t *testing.T, headway string) string {
	t.Helper()
	l := load(t, headway, "http://"+child.FreeAddress(t))
	requests, _ := crowd(t, 50, loadFor, func(ctx context.Context, c *http.Client) bool {
		return status(ctx, c, http.MethodGet, l.url, nil) == 502
	})
	lines := float64(len(l.process.Output())-1) / loadFor.Seconds()
	require.LessOrEqual(t, lines, float64(mostLines))
	return fmt.Sprintf("%.1f for %d requests a second", lines, requests/int64(loadFor.Seconds()))
}

// memoryOfPosts returns the most memory that the proxy takes while 600 posts of 1 MB wait.
func memoryOfPosts(t *testing.T, headway string) string {
	t.Helper()
	const posts = 600
	l := load(t, headway, silent(t))
	ctx, cancel := context.WithCancel(t.Context())
	var group sync.WaitGroup
	for range posts {
		group.Go(func() {
			status(ctx, http.DefaultClient, http.MethodPost, l.url, strings.NewReader(strings.Repeat("x", 1_000_000)))
		})
	}
	time.Sleep(loadFor)
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", l.command.Process.Pid))
	require.NoError(t, err)
	cancel()
	group.Wait()
	found := regexp.MustCompile(`VmHWM:\s+(\d+) kB`).FindSubmatch(text)
	require.NotNil(t, found)
	most, err := strconv.ParseInt(string(found[1]), 10, 64)
	require.NoError(t, err)
	require.LessOrEqual(t, most<<10, int64(mostMemory))
	return fmt.Sprintf("%d MiB", most>>10)
}

// hangups returns how many requests of 50 clients fail while the configuration is read again ten times a second.
func hangups(t *testing.T, headway string) string {
	t.Helper()
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("RateLimit-Policy", `"default";q=10000000;w=3600`)
		w.Header().Set("RateLimit", `"default";r=9999999;t=3600`)
	}))
	t.Cleanup(upstream.Close)
	l := load(t, headway, upstream.URL)
	go func() {
		for range 40 {
			time.Sleep(loadFor / 50)
			_ = l.command.Process.Signal(syscall.SIGHUP)
		}
	}()
	requests, failed := crowd(t, 50, loadFor, func(ctx context.Context, c *http.Client) bool {
		return status(ctx, c, http.MethodGet, l.url, nil) == 200
	})
	require.Zero(t, failed)
	return fmt.Sprintf("%d of %d", failed, requests)
}

// TestLoad loads the proxy as on a bad day. With -write alone, as it takes five minutes and the whole machine.
func TestLoad(t *testing.T) {
	if !*write {
		t.Skip("only with -write")
	}
	headway := buildHeadway(t)
	table := [][]string{{"load", "what is measured", "bound", "measured"}}
	for _, row := range []struct {
		load, what, bound string
		measure           func(t *testing.T, headway string) string
	}{
		{"1,000 clients wait for 500 places", "the slowest of 100 answers of `/healthz`", "50 ms", healthAtFullPlaces},
		{"20 requests at once to a silent upstream, `response-timeout: 1s`", "time until the last 504", "10 s", silentUpstream},
		{"a client reads 32 MB, the first 120 KB at 30 KiB a minute", "what it gets", "all of it", slowReader},
		{"50 clients ask an upstream that is down", "lines of the log a second", strconv.Itoa(mostLines), logOfADeadUpstream},
		{"600 posts of 1 MB wait", "most memory", "512 MiB", memoryOfPosts},
		{"50 clients ask, and SIGHUP comes ten times a second", "failed requests", "0", hangups},
	} {
		t.Run(row.load, func(t *testing.T) {
			table = append(table, []string{row.load, row.what, row.bound, row.measure(t, headway)})
		})
	}
	t.Logf("\n%s", page.Table(table))
	require.False(t, t.Failed(), "nothing is written")
	writePart(t, "load", page.Table(table))
}
