package trial_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// A load is a number of requests, some of them at once.
type load struct{ requests, atOnce int }

// A spread is how long requests take.
type spread struct{ p50, p99 time.Duration }

func spreadOf(took []time.Duration) spread {
	slices.Sort(took)
	return spread{took[len(took)/2], took[len(took)*99/100]}
}

// A line is a connection that stays open, with one request at a time. It is no http.Client, which would take as long as
// what is measured.
type line struct {
	conn      net.Conn
	request   string
	responses *bufio.Reader
}

// open opens n lines to a URL, until the end of the test.
func open(t *testing.T, url string, n int) []*line {
	t.Helper()
	address := strings.TrimPrefix(url, "http://")
	var all []*line
	for range n {
		conn, err := net.Dial("tcp", address) //nolint:noctx // on loopback
		require.NoError(t, err)
		t.Cleanup(func() { _ = conn.Close() }) // all is read
		request := fmt.Sprintf("GET /items/1 HTTP/1.1\r\nHost: %s\r\nUser-Agent: trial\r\n\r\n", address)
		all = append(all, &line{conn, request, bufio.NewReader(conn)})
	}
	return all
}

// send sends n requests, on all lines at once, and returns how long each took.
func send(t *testing.T, all []*line, n int) []time.Duration {
	t.Helper()
	took, errs := make([][]time.Duration, len(all)), make([]error, len(all))
	var workers sync.WaitGroup
	for i, l := range all {
		workers.Go(func() { took[i], errs[i] = l.send(n / len(all)) })
	}
	workers.Wait()
	require.NoError(t, errors.Join(errs...))
	return slices.Concat(took...)
}

// send sends n requests, one after the other.
func (l *line) send(n int) ([]time.Duration, error) {
	took := make([]time.Duration, 0, n)
	for range n {
		begun := time.Now()
		if err := l.exchange(); err != nil {
			return nil, err
		}
		took = append(took, time.Since(begun))
	}
	return took, nil
}

// exchange sends a request, and reads the response to its end.
func (l *line) exchange() error {
	if _, err := io.WriteString(l.conn, l.request); err != nil {
		return err
	}
	resp, err := http.ReadResponse(l.responses, nil)
	if err != nil {
		return err
	}
	n, err := io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close() // all is read
	if err == nil && (resp.StatusCode != http.StatusOK || n != contentLength || resp.Close) {
		err = fmt.Errorf("%s with %d bytes", resp.Status, n)
	}
	return err
}
