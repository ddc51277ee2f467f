// Package handfleet has a share.Fleet whose parts a test hands out. It is for tests only.
package handfleet

import (
	"fmt"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/share"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/limits"
)

// A Fleet hands out the parts that a test gives it. Its methods may be called concurrently.
type Fleet struct {
	Wants  chan struct{} // receives a value when a request waits
	Joined atomic.Int64  // how often a Transport joined

	*share.Member // the last member that joined
}

// New returns a Fleet without members.
func New() *Fleet { return &Fleet{Wants: make(chan struct{}, 1)} }

// Shared returns a Transport in a fleet, after its first request. It has no burst tolerance.
func Shared(tb testing.TB, base http.RoundTripper) (*headway.Transport, *Fleet) {
	tb.Helper()
	f := New()
	transport := &headway.Transport{Base: base, Fleet: f, Burst: -1, Jitter: -1}
	kit.Prime(tb, transport)
	return transport, f
}

// OfSixty reports a quota of 60 per minute with so much remaining.
func OfSixty(left int) func(*http.Request) *http.Response {
	return kit.Status(http.StatusOK, "RateLimit", fmt.Sprintf(`"minute";r=%d;t=60`, left), "RateLimit-Policy", `"minute";q=60;w=60`)
}

// Key implements [share.Fleet].
func (f *Fleet) Key() []byte { return kit.Secret() }

// Join implements [share.Fleet].
func (f *Fleet) Join(m *share.Member) chan<- struct{} {
	f.Joined.Add(1)
	f.Member = m
	return f.Wants
}

// Wanted reports whether a request has begun to wait since the last call.
func (f *Fleet) Wanted() bool {
	select {
	case <-f.Wants:
		return true
	default:
		return false
	}
}

// Uses returns the Transport's usage.
func (f *Fleet) Uses(tb testing.TB) []share.Report {
	tb.Helper()
	all, ok := f.Reports()
	require.True(tb, ok)
	return all
}

// Agreement returns a part of the only partition's only limit: so many units of each window. The
// partition has two members, and the part does not end during the test.
func (f *Fleet) Agreement(tb testing.TB, units int64) limits.Parts {
	tb.Helper()
	all := f.Uses(tb)
	require.Len(tb, all, 1)
	require.Len(tb, all[0].Limits, 1)
	l := &all[0].Limits[0]
	return limits.Parts{
		Lasts: 24 * time.Hour, Members: 2,
		Limits: []limits.Part{{ID: l.ID, Ends: l.Ends, Share: float64(units) / float64(l.Quota), Units: units, Next: units, Full: true, Remaining: -1}},
	}
}

// Tell hands out a part to each active partition.
func (f *Fleet) Tell(parts limits.Parts) {
	all, _ := f.Reports()
	for _, r := range all {
		r.Apportion(&parts)
	}
}
