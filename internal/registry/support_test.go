package registry

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/gate"
	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/pacer"
)

// A world is a Registry, and what its hooks were called with.
type world struct {
	*Registry
	clock    clock.Clock
	settings *gate.Settings
	made     []string // hosts

	mu   sync.Mutex
	left []Eviction
}

// newWorld returns a Registry of that many partitions at most.
func newWorld(most int) *world {
	w := &world{clock: clock.New()}
	w.settings = &gate.Settings{Clock: w.clock}
	w.Registry = New(Options{
		Clock: &w.clock, Most: most,
		Make: func(k identity.Key) *gate.Partition { return gate.New(w.settings, k) },
		Made: func(p *gate.Partition, _ *http.Request) { w.made = append(w.made, p.Key().Host) },
		Gone: func(e Eviction) { w.leaves(e) },
	})
	return w
}

func (w *world) leaves(e Eviction) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.left = append(w.left, e)
}

// gone returns the partitions that were forgotten so far.
func (w *world) gone() []Eviction {
	w.mu.Lock()
	defer w.mu.Unlock()
	return slices.Clone(w.left)
}

func host(i int) identity.Key {
	return identity.Key{Scheme: "https", Host: fmt.Sprintf("host%d.example.com", i)}
}

// find returns the partition of a host.
func (w *world) find(i int) *gate.Partition { return w.Find(host(i), nil) }

// has reports whether a host has a partition. It does not make one.
func (w *world) has(i int) bool {
	w.Registry.mu.Lock()
	defer w.Registry.mu.Unlock()
	return w.partitions[host(i)] != nil
}

// hasTimer reports whether the timer of the next sweep is running.
func (w *world) hasTimer() bool {
	w.Registry.mu.Lock()
	defer w.Registry.mu.Unlock()
	return w.isArmed
}

// enter sends a request in a host's partition.
func (w *world) enter(tb testing.TB, i int) *gate.Visit {
	tb.Helper()
	return w.enterIn(tb, w.find(i))
}

func (w *world) enterIn(tb testing.TB, p *gate.Partition) *gate.Visit {
	tb.Helper()
	v := &gate.Visit{MaxWait: -1, Called: w.clock.Now(), Price: gate.Pricer{Request: &http.Request{Method: http.MethodGet, URL: &url.URL{Path: "/"}}}}
	ctx, cancel := context.WithTimeout(tb.Context(), time.Millisecond)
	defer cancel()
	refusal, err := p.Enter(ctx, v)
	require.NoError(tb, err)
	require.True(tb, refusal == nil || w.settings.Shadow, refusal)
	return v
}

// answer ends a request with a response.
func (w *world) answer(v *gate.Visit, a pacer.Answer) {
	v.Answered(context.Background(), w.clock.Now(), &a, gate.Response{})
}

// use sends a request to a host. The response comes at once and reports nothing.
func (w *world) use(tb testing.TB, i int) *gate.Partition {
	tb.Helper()
	v := w.enter(tb, i)
	w.answer(v, pacer.Answer{RetryAfter: pacer.Unknown})
	return v.Partition()
}

// hold sends a request to a host that refuses it with that Retry-After.
func (w *world) hold(tb testing.TB, i int, d time.Duration) *gate.Partition {
	tb.Helper()
	v := w.enter(tb, i)
	w.answer(v, pacer.Answer{Refused: true, RetryAfter: d})
	return v.Partition()
}

// isHeld reports whether a hold is in force in a partition.
func (w *world) isHeld(p *gate.Partition) bool { return p.State().HeldUntil > w.clock.Now() }
