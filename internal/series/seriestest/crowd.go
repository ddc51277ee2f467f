package seriestest

import (
	"fmt"
	"net/http"
	"sync"
	"testing"

	"github.com/headway-go/headway"
)

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
