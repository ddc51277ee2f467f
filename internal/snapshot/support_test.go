package snapshot

import (
	"net/http"
	"net/url"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/gate"
	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

const maxReset = 31 * 24 * time.Hour

// newShelf returns an empty Shelf.
func newShelf() *Shelf {
	return NewShelf(kit.Secret(), &gate.Settings{Clock: clock.New()})
}

// partition makes the partition of a host, and calls Adopt as a Registry would.
func (s *Shelf) partition(tb testing.TB, host string) *gate.Partition {
	tb.Helper()
	req := kit.NewRequest(tb, "https://"+host+"/")
	p := gate.New(s.settings, identity.Default(req))
	s.Adopt(p, req)
	return p
}

// enter sends a request.
func (s *Shelf) enter(tb testing.TB, p *gate.Partition) *gate.Visit {
	tb.Helper()
	v := &gate.Visit{MaxWait: -1, Called: s.settings.Clock.Now(), Price: gate.Pricer{Request: &http.Request{Method: http.MethodGet, URL: &url.URL{Path: "/"}}}}
	refusal, err := p.Enter(tb.Context(), v)
	require.NoError(tb, err)
	require.Nil(tb, refusal)
	return v
}

// use sends a request whose response comes at once.
func (s *Shelf) use(tb testing.TB, p *gate.Partition, a pacer.Answer) {
	tb.Helper()
	s.enter(tb, p).Answered(tb.Context(), s.settings.Clock.Now(), &a, gate.Response{})
}

// seal returns a snapshot.
func (s *Shelf) seal(tb testing.TB) []byte {
	tb.Helper()
	data, err := s.Seal()
	require.NoError(tb, err)
	return data
}

// left is a response that reports so many of 60 units for the next minute.
func left(n int64) pacer.Answer {
	return pacer.Answer{RetryAfter: pacer.Unknown, Limits: []limits.Reported{{
		Policy: "minute", Unit: limits.Requests, Quota: 60, Remaining: n, Window: time.Minute, Reset: time.Minute,
	}}}
}

// refused is a refusal with that Retry-After.
func refused(d time.Duration) pacer.Answer { return pacer.Answer{Refused: true, RetryAfter: d} }
