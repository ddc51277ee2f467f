package observing

import (
	"log/slog"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

// waits is a slog.Handler that collects the waits of which a Transport tells.
func waits(all *[]time.Duration) slog.Handler {
	return kit.HandlerFunc(func(r slog.Record) {
		r.Attrs(func(a slog.Attr) bool {
			if a.Key == "wait" {
				*all = append(*all, a.Value.Duration())
			}
			return true
		})
	})
}

// A shadow tells by how much the client's own rate is above the limit, however long
// it goes on like that: twice the limit and more is a delay of a window at most.
func TestShadowMeasures(t *testing.T) {
	for _, row := range []struct {
		name     string
		interval time.Duration
		window   time.Duration // 60 requests
		least    time.Duration
		most     time.Duration
	}{
		{"a third of the limit", 3 * time.Second, time.Minute, 0, 0},
		{"three times the limit", time.Second / 3, time.Minute, 45 * time.Second, 70 * time.Second},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told []time.Duration
				transport := &headway.Transport{Shadow: true, Logger: slog.New(waits(&told)), Base: kit.BaseFunc(func(req *http.Request) (*http.Response, error) {
					return kit.Respond(req, http.StatusOK, "RateLimit", `"a";r=60;t=60`, "RateLimit-Policy", `"a";q=60;w=60`), nil
				})}
				for range int(10 * row.window / row.interval) {
					kit.Prime(t, transport)
					time.Sleep(row.interval)
				}
				if row.least == 0 {
					require.Empty(t, told)
					return
				}
				last := told[len(told)-1]
				require.GreaterOrEqual(t, last, row.least)
				require.LessOrEqual(t, last, row.most)
			})
		})
	}
}
