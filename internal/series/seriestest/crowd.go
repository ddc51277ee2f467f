package seriestest

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/ratelimittest"
)

// Hostile sends 500 requests, in virtual time, to a server that makes up policies, units and
// names. It calls look after each request.
func Hostile(t *testing.T, exporter Exporter, look func()) {
	t.Helper()
	tricks := []string{"(other)", strings.Repeat("long", 200), "", `"} 1`, "{}", `\`, "a%0Ab", "# TYPE", "otel.metric.overflow"}
	server := &ratelimittest.Transport{}
	transport := Instrumented(t, exporter, server)
	for i := range 500 {
		name := tricks[i%len(tricks)] + strings.Repeat("?", i/len(tricks)%7)
		server.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Add("RateLimit-Policy", fmt.Sprintf(`%q;q=100;w=1;qu="unit%d", "%d";q=9;w=1`, name, i, i))
			w.Header().Add("RateLimit", fmt.Sprintf(`%q;r=100;t=1, "%d";r=8;t=1`, name, i))
		})
		require.NoError(t, Get(t.Context(), transport, fmt.Sprintf("%s/%d", Partition, i)))
		look()
	}
}

// Crowd uses the exporter from many goroutines, for the race detector. Several goroutines call
// look. Crowd returns how many requests were sent.
func Crowd(t *testing.T, exporter Exporter, look func()) (sent int) {
	t.Helper()
	transport := Instrumented(t, exporter, Answering(http.StatusOK))
	var all sync.WaitGroup
	const workers, each = 8, 50
	for worker := range workers {
		all.Go(func() {
			for i := range each {
				_ = Get(t.Context(), transport, fmt.Sprintf("https://host%d.example.com/", (worker+i)%10))
			}
		})
		all.Go(func() {
			look()
			other := &headway.Transport{Base: transport.Base}
			_ = exporter.Instrument(other, fmt.Sprint(worker%2))
			_ = Get(t.Context(), other, URL)
			exporter.Remove(other)
		})
	}
	all.Wait()
	return workers*each + workers
}
