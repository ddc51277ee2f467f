package refusals

import (
	"context"
	"io"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// A throttled response may have an endless body whose Close does not end a Read. It delays no resend,
// and keeps no request beyond its context.
func TestThrottledBodyThatIsDeaf(t *testing.T) {
	for _, test := range []struct {
		name    string
		problem bool // headway reads the body ahead, too
		ends    time.Duration
		wantErr error
		sent    int
	}{
		{"sent again", false, time.Minute, nil, 2},
		{"read ahead, and sent again", true, time.Minute, nil, 2},
		{"the context ends meanwhile", false, 100 * time.Millisecond, context.Canceled, 1},
		{"the context ends while it is read ahead", true, 100 * time.Millisecond, context.Canceled, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				released := make(chan struct{})
				defer close(released)
				base := kit.InTurn(func(req *http.Request) *http.Response {
					resp := kit.Respond(req, 429, "Retry-After", "2")
					if test.problem {
						resp.Header.Set("Content-Type", "application/problem+json")
					}
					resp.Body = io.NopCloser(deafReader{released})
					return resp
				}, kit.Status(200))
				ctx, cancel := context.WithCancel(t.Context())
				timer := time.AfterFunc(test.ends, cancel)
				defer timer.Stop()
				start := time.Now()
				resp, err := kit.Get(ctx, &headway.Transport{Base: base}, kit.URL)
				require.ErrorIs(t, err, test.wantErr)
				require.Equal(t, test.sent, base.Sent())
				if err != nil {
					require.Equal(t, test.ends, time.Since(start))
					return
				}
				require.NoError(t, resp.Body.Close())
				held := time.Since(start)
				if test.problem {
					held -= 250 * time.Millisecond
				}
				kit.RequireHeld(t, 2*time.Second, held)
			})
		})
	}
}

// The Read of a deafReader blocks until release.
type deafReader struct{ released chan struct{} }

func (r deafReader) Read([]byte) (int, error) {
	<-r.released
	return 0, io.EOF
}

// If Close blocks as well, the response keeps no place in flight, for which its own resend might wait.
func TestThrottledBodyThatIsDeafKeepsNoPlace(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		released := make(chan struct{})
		base := kit.InTurn(func(req *http.Request) *http.Response {
			resp := kit.InFlight("1", func() io.ReadCloser { return deafBody{deafReader{released}} })(req)
			resp.StatusCode = 429
			resp.Header.Set("Retry-After", "2")
			return resp
		}, kit.Status(200))
		transport, start := &headway.Transport{Base: base}, time.Now()
		require.NoError(t, kit.Fetch(t.Context(), transport, kit.URL))
		kit.RequireHeld(t, 2*time.Second, time.Since(start))
		close(released)
		synctest.Wait()
		require.Zero(t, transport.State()[0].InFlight)
	})
}

// The Close of a deafBody blocks until release.
type deafBody struct{ deafReader }

func (b deafBody) Close() error {
	<-b.released
	return nil
}
