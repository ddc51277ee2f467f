package headway

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit"
)

// A Transport keeps at most 4 MiB of throttled responses for waiting resends, and nothing where no wait can turn out to be
// too long.
func TestWaitingResendsKeepLittle(t *testing.T) {
	const waiting = 200
	for _, test := range []struct {
		name        string
		maxWait     time.Duration
		least, most int64
	}{
		{"may be returned", 0, 4<<20 - 64<<10, 4 << 20},
		{"never returned", -1, 0, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				text := strings.Repeat("x", 64<<10)
				transport := &Transport{MaxWait: test.maxWait, Partition: pathOf, Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
					time.Sleep(time.Second)
					resp := kit.Respond(req, 429, "Retry-After", "60")
					resp.Body = io.NopCloser(strings.NewReader(text))
					return resp, nil
				})}
				ctx, cancel := context.WithCancel(t.Context())
				var all sync.WaitGroup
				for i := range waiting {
					all.Go(func() {
						_, err := kit.Get(ctx, transport, fmt.Sprint(kit.URL, i))
						require.ErrorIs(t, err, context.Canceled)
					})
				}
				time.Sleep(30 * time.Second)
				require.LessOrEqual(t, transport.core.bodies.Load(), test.most)
				require.GreaterOrEqual(t, transport.core.bodies.Load(), test.least)
				cancel()
				all.Wait()
				require.Zero(t, transport.core.bodies.Load())
			})
		})
	}
}

func pathOf(req *http.Request) string { return req.URL.Path }
