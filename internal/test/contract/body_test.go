package contract

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

func TestPlaceIsFreedAtTheEndOfTheBody(t *testing.T) {
	text := func() io.ReadCloser { return kit.NewTrackedBody("text") }
	for _, test := range []struct {
		name   string
		body   func() io.ReadCloser
		finish func(body io.ReadCloser) error
	}{
		{"EOF", text, func(body io.ReadCloser) error {
			_, err := io.ReadAll(body)
			return err
		}},
		{"read and closed", text, func(body io.ReadCloser) error {
			_, err := io.ReadAll(body)
			return errors.Join(err, body.Close(), body.Close())
		}},
		{"read error", func() io.ReadCloser { return io.NopCloser(iotest.ErrReader(errors.New("reset"))) }, func(body io.ReadCloser) error {
			if _, err := io.ReadAll(body); err == nil {
				return errors.New("no error")
			}
			return nil
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			transport := &headway.Transport{Base: kit.InTurn(kit.InFlight("10", test.body))}
			resp, err := kit.Get(t.Context(), transport, kit.URL)
			require.NoError(t, err)
			require.Equal(t, 1, transport.State()[0].InFlight)
			require.NoError(t, test.finish(resp.Body))
			require.Zero(t, transport.State()[0].InFlight)
			require.NoError(t, resp.Body.Close())
			require.Zero(t, transport.State()[0].InFlight, "freed once")
		})
	}
}

func TestPlaceIsFreedAtOnceWhenNoBodyFollows(t *testing.T) {
	for _, test := range []struct {
		name   string
		method string
		body   io.ReadCloser
	}{
		{"http.NoBody", "GET", http.NoBody},
		{"HEAD", "HEAD", kit.NewTrackedBody("")},
	} {
		t.Run(test.name, func(t *testing.T) {
			transport := &headway.Transport{Base: kit.InTurn(kit.InFlight("10", func() io.ReadCloser { return test.body }))}
			req := kit.NewRequest(t, kit.URL)
			req.Method = test.method
			resp, err := transport.RoundTrip(req)
			require.NoError(t, err)
			require.Zero(t, transport.State()[0].InFlight)
			require.Equal(t, test.body, resp.Body, "not wrapped")
			if resp.Body != nil {
				require.NoError(t, resp.Body.Close())
			}
		})
	}
}

// The number of requests between their start and the end of their body never exceeds the limit.
func TestConcurrencyLimitIsKept(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var mu sync.Mutex
		var busy, most int
		leave := func() {
			mu.Lock()
			defer mu.Unlock()
			busy--
		}
		transport := &headway.Transport{Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
			mu.Lock()
			busy++
			most = max(most, busy)
			mu.Unlock()
			time.Sleep(time.Second)
			return kit.InFlight("3", func() io.ReadCloser {
				return &leavingBody{Reader: strings.NewReader("text"), leave: leave}
			})(req), nil
		})}
		kit.Prime(t, transport)
		most = 0
		var clients sync.WaitGroup
		for range 20 {
			clients.Go(func() {
				resp, err := kit.Get(t.Context(), transport, kit.URL)
				if err != nil {
					t.Error(err)
					return
				}
				time.Sleep(time.Second) // the caller reads the header only
				_ = resp.Body.Close()
			})
		}
		clients.Wait()
		require.Equal(t, 3, most)
	})
}

type leavingBody struct {
	io.Reader
	leave func()
}

func (b *leavingBody) Close() error {
	b.leave()
	return nil
}

type closePanics struct{ io.Reader }

func (closePanics) Close() error { panic("broken") }

func TestPlaceIsFreedIfCloseOfTheBodyPanics(t *testing.T) {
	transport := &headway.Transport{Base: kit.InTurn(kit.InFlight("10", func() io.ReadCloser { return closePanics{strings.NewReader("text")} }))}
	resp, err := kit.Get(t.Context(), transport, kit.URL)
	require.NoError(t, err)
	require.Panics(t, func() { _ = resp.Body.Close() })
	require.Zero(t, transport.State()[0].InFlight)
}
