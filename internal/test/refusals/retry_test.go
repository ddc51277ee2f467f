package refusals

import (
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

func TestWhatIsSentAgain(t *testing.T) {
	noGetBody := func(req *http.Request) { req.GetBody = nil }
	brokenGetBody := func(req *http.Request) {
		req.GetBody = func() (io.ReadCloser, error) { return nil, errors.New("gone") }
	}
	retryAfter := []string{"Retry-After", "2"}
	for _, test := range []struct {
		name   string
		status int
		fields []string
		method string
		body   string
		change func(*http.Request)
		want   bool
	}{
		{name: "bare 429", status: 429, method: "GET", want: true},
		{name: "429 on POST", status: 429, fields: retryAfter, method: "POST", body: "payload", want: true},
		{name: "429 on POST without a body", status: 429, fields: retryAfter, method: "POST", want: true},
		{name: "429, no GetBody", status: 429, fields: retryAfter, method: "POST", body: "payload", change: noGetBody},
		{name: "429, GetBody fails", status: 429, fields: retryAfter, method: "POST", body: "payload", change: brokenGetBody},
		{name: "429, http.NoBody", status: 429, fields: retryAfter, method: "POST", want: true, change: func(req *http.Request) {
			req.Body, req.GetBody = http.NoBody, nil
		}},
		{name: "503 with Retry-After on GET", status: 503, fields: retryAfter, method: "GET", want: true},
		{name: "503 with Retry-After on PUT", status: 503, fields: retryAfter, method: "PUT", body: "payload", want: true},
		{name: "503 with Retry-After on POST", status: 503, fields: retryAfter, method: "POST", body: "payload"},
		{name: "503 with Retry-After on POST, Idempotency-Key", status: 503, fields: retryAfter, method: "POST", body: "payload", want: true, change: func(req *http.Request) {
			req.Header.Set("Idempotency-Key", "k")
		}},
		{name: "503 with Retry-After on POST, X-Idempotency-Key", status: 503, fields: retryAfter, method: "POST", body: "payload", want: true, change: func(req *http.Request) {
			req.Header["X-Idempotency-Key"] = nil // a key without a value counts, as in net/http
		}},
		{name: "plain 503", status: 503, method: "GET"},
		{name: "403 with Retry-After", status: 403, fields: retryAfter, method: "POST", body: "payload", want: true},
		{name: "403, nothing remains", status: 403, fields: []string{"X-RateLimit-Limit", "60", "X-RateLimit-Remaining", "0", "X-RateLimit-Reset", "5"}, method: "GET", want: true},
		{name: "plain 403", status: 403, method: "GET"},
		{name: "500", status: 500, fields: retryAfter, method: "GET"},
		{name: "200 with Retry-After", status: 200, fields: retryAfter, method: "GET"},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				base := kit.InTurn(kit.Status(test.status, test.fields...), kit.Status(200))
				var body io.Reader
				if test.body != "" {
					body = strings.NewReader(test.body)
				}
				req, err := http.NewRequestWithContext(t.Context(), test.method, kit.URL, body)
				require.NoError(t, err)
				if test.method == "" {
					req.Method = ""
				}
				if test.change != nil {
					test.change(req)
				}
				resp, err := (&headway.Transport{Base: base}).RoundTrip(req)
				require.NoError(t, err)
				require.NoError(t, resp.Body.Close())
				if !test.want {
					require.Equal(t, 1, base.Sent())
					require.Equal(t, test.status, resp.StatusCode)
					return
				}
				require.Equal(t, 200, resp.StatusCode)
				require.Equal(t, []string{test.body, test.body}, base.Bodies)
				if len(test.fields) > 0 && test.fields[0] == "Retry-After" {
					kit.RequireHeld(t, 2*time.Second, base.Times[1].Sub(base.Times[0]))
				}
			})
		})
	}
}

func TestResendGoesBeforeYoungerRequests(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var order []string
		transport := &headway.Transport{Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
			order = append(order, req.URL.Path)
			if len(order) == 1 {
				return kit.Respond(req, 429, "Retry-After", "5"), nil
			}
			return kit.Respond(req, 200, "RateLimit", `"a";r=1;t=1`, "RateLimit-Policy", `"a";q=1;w=1`), nil
		})}
		done := make(chan error)
		for _, path := range []string{"/old", "/young1", "/young2"} {
			go func() {
				err := kit.Fetch(t.Context(), transport, "https://api.example.com"+path)
				done <- err
			}()
			time.Sleep(time.Millisecond)
		}
		for range 3 {
			require.NoError(t, <-done)
		}
		require.Equal(t, []string{"/old", "/old", "/young1", "/young2"}, order)
	})
}

// mostRead is how much of a throttled response's body is kept, as documented by RoundTrip.
const mostRead = 64 << 10

// A hold may be extended after the throttled response was read. If the resend would then be too late, the
// response is still handed back.
func TestThrottledResponseIsHandedBackWhenTheHoldGrows(t *testing.T) {
	reset := errors.New("reset")
	for _, test := range []struct {
		name    string
		body    io.Reader
		want    int
		wantErr error
	}{
		{"small body", strings.NewReader(strings.Repeat("x", 1000)), 1000, nil},
		{"large body", strings.NewReader(strings.Repeat("x", mostRead+1)), mostRead, io.ErrUnexpectedEOF},
		{"body that fails", io.MultiReader(strings.NewReader("xxx"), iotest.ErrReader(reset)), 3, reset},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				transport := &headway.Transport{MaxRetries: 1, Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
					if req.URL.Path == "/slow" {
						time.Sleep(2 * time.Second)
						return kit.Respond(req, 429, "Retry-After", "3600"), nil
					}
					time.Sleep(time.Second)
					resp := kit.Respond(req, 429, "Retry-After", "10", "X-Kept", "yes")
					resp.Body = io.NopCloser(test.body)
					return resp, nil
				})}
				ctx := kit.Within(t, time.Minute)
				slow := make(chan struct{})
				go func() {
					defer close(slow)
					_ = kit.Fetch(ctx, transport, "https://api.example.com/slow")
				}()
				synctest.Wait()
				start := time.Now()
				resp, err := kit.Get(ctx, transport, kit.URL)
				require.NoError(t, err)
				require.Equal(t, 2*time.Second, time.Since(start), "as soon as that is known")
				require.Equal(t, "yes", resp.Header.Get("X-Kept"))
				body, err := io.ReadAll(resp.Body)
				require.ErrorIs(t, err, test.wantErr)
				require.Len(t, body, test.want)
				require.NoError(t, resp.Body.Close())
				<-slow
			})
		})
	}
}
