package registry

import (
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/gate"
	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/pacer"
)

// A world is a Registry, and what its hooks were called with.
type world struct {
	*Registry
	clock clock.Clock
	made  []string // hosts
	gone  []Eviction
}

// newWorld returns a Registry of that many partitions at most.
func newWorld(most int) *world {
	w := &world{clock: clock.New()}
	settings := &gate.Settings{Clock: w.clock}
	w.Registry = New(Options{
		Clock: &w.clock, Most: most,
		Make: func(k identity.Key) *gate.Partition { return gate.New(settings, k) },
		Made: func(p *gate.Partition, _ *http.Request) { w.made = append(w.made, p.Key().Host) },
		Gone: func(e Eviction) { w.gone = append(w.gone, e) },
	})
	return w
}

func host(i int) identity.Key {
	return identity.Key{Scheme: "https", Host: fmt.Sprintf("host%d.example.com", i)}
}

// find returns the partition of a host.
func (w *world) find(i int) *gate.Partition { return w.Find(host(i), nil) }

// has reports whether a host has a partition. It does not make one.
func (w *world) has(i int) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.partitions[host(i)] != nil
}

// hasTimer reports whether the timer of the next sweep is running.
func (w *world) hasTimer() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.isArmed
}

// enter sends a request in a host's partition.
func (w *world) enter(tb testing.TB, i int) *gate.Visit {
	tb.Helper()
	req := &http.Request{Method: http.MethodGet, URL: &url.URL{Path: "/"}}
	v := &gate.Visit{MaxWait: 0, Called: w.clock.Now(), Price: gate.Pricer{Request: req}}
	refusal, err := w.find(i).Enter(tb.Context(), v)
	require.NoError(tb, err)
	require.Nil(tb, refusal)
	return v
}

// nothing is what a response says that reports no limit.
var nothing = pacer.Answer{RetryAfter: pacer.Unknown}

// answer ends a request with a response that reports nothing.
func (w *world) answer(v *gate.Visit) {
	v.Answered(v.Price.Request.Context(), w.clock.Now(), &nothing, gate.Response{})
}

// use sends a request to a host. The response comes at once and reports nothing.
func (w *world) use(tb testing.TB, i int) *gate.Partition {
	tb.Helper()
	v := w.enter(tb, i)
	w.answer(v)
	return v.Partition()
}
