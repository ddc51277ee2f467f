package outage_test

import (
	"net/http"
	"net/url"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/cost"
	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/internal/schedule"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// A patient is a partition whose requests go one after the other. Each takes 10 ms.
type patient struct {
	*testing.T

	partition *schedule.Partition
	clock     clock.Clock
}

func newPatient(t *testing.T) *patient {
	t.Helper()
	s := &schedule.Settings{Clock: clock.New(), Memory: new(atomic.Int64)}
	return &patient{t, schedule.New(s, nil, identity.Key{Host: "a"}), s.Clock}
}

// send sends a request that gets the answer, and returns how long the request waited.
func (p *patient) send(a pacer.Answer, r schedule.Response) time.Duration {
	p.Helper()
	called := time.Now()
	v := &schedule.Visit{
		Called: p.clock.Now(), MaxWait: -1,
		Price: cost.Pricer{Request: &http.Request{Method: http.MethodGet, URL: &url.URL{Path: "/"}}},
	}
	refusal, err := p.partition.Enter(p.Context(), v)
	require.NoError(p, err)
	require.Nil(p, refusal)
	waited := time.Since(called)
	time.Sleep(10 * time.Millisecond)
	v.Answered(p.Context(), p.clock.Now(), &a, r)
	return waited
}

// served sends n requests that succeed, and returns the longest wait.
func (p *patient) served(n int) (most time.Duration) {
	p.Helper()
	for range n {
		most = max(most, p.send(pacer.Answer{RetryAfter: pacer.Unknown}, schedule.Response{}))
	}
	return most
}

// unavailable sends n requests that get plain 503s, and returns how long each waited.
func (p *patient) unavailable(n int) (waited []time.Duration) {
	p.Helper()
	for range n {
		waited = append(waited, p.send(pacer.Answer{RetryAfter: pacer.Unknown, Indirect: true}, schedule.Response{Failed: true, Plain503: true}))
	}
	return waited
}

// slows reports whether the client is slowed down: the next request waits, and succeeds.
func (p *patient) slows() bool { p.Helper(); return p.served(1) > 0 }

func testPlain503s(t *testing.T, name string, test func(p *patient)) {
	t.Helper()
	t.Run(name, func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { test(newPatient(t)) })
	})
}

func TestPlain503s(t *testing.T) {
	testPlain503s(t, "four in a row slow down", func(p *patient) {
		p.served(100)
		require.Zero(p, p.unavailable(3)[2])
		require.Zero(p, p.served(1), "no four in a row")
		require.Zero(p, p.unavailable(4)[3])
		require.GreaterOrEqual(p, p.served(1), 250*time.Millisecond)
	})
	testPlain503s(t, "a quarter of all slows down", func(p *patient) {
		for range 7 {
			require.Zero(p, p.served(2))
			require.Zero(p, p.unavailable(1)[0])
		}
		for range 3 {
			p.served(1)
			p.unavailable(1)
		}
		require.GreaterOrEqual(p, p.served(1), 250*time.Millisecond)
	})
	testPlain503s(t, "one in ten does not", func(p *patient) {
		for range 100 {
			require.Zero(p, p.served(9))
			require.Zero(p, p.unavailable(1)[0])
		}
	})
	testPlain503s(t, "five rounds are an outage", func(p *patient) {
		p.served(100)
		waited := p.unavailable(100)
		for i, hold := range []time.Duration{250 * time.Millisecond, 500 * time.Millisecond, time.Second, 2 * time.Second} {
			require.GreaterOrEqual(p, waited[4+i], hold)
			require.LessOrEqual(p, waited[4+i], hold*3/2+3*time.Second, "with the time over which clients come back")
		}
		for _, w := range waited[8:] {
			require.Zero(p, w)
		}
		require.Zero(p, p.served(100), "nor does anybody wait when it is over")
	})
	testPlain503s(t, "a pace that helped outlasts an outage", func(p *patient) {
		p.served(10)
		p.unavailable(4)
		for range 4 {
			p.served(50)
			p.unavailable(1)
		}
		p.served(1)
		begun := time.Now()
		p.served(10)
		pace := time.Since(begun)
		p.unavailable(100)
		begun = time.Now()
		p.served(10)
		require.InEpsilon(p, pace, time.Since(begun), 0.25, "the pace of before")
		p.unavailable(1)
		require.True(p, p.slows())
	})
	testPlain503s(t, "slowing down that does not help is abandoned, ever longer", func(p *patient) {
		var held []int // the 503s that slowed the client down
		n := 0
		for len(held) < 60 && n < 4000 {
			p.unavailable(1)
			if n++; p.slows() {
				held = append(held, n)
			}
		}
		require.Less(p, len(held), 60, "half of all are 503s, whatever is done")
		require.Zero(p, p.served(1))
	})
	testPlain503s(t, "a refusal because of a limit is not forgotten", func(p *patient) {
		p.served(10)
		p.unavailable(5)
		p.send(pacer.Answer{Refused: true, RetryAfter: time.Minute}, schedule.Response{})
		require.GreaterOrEqual(p, p.served(1), time.Minute)
	})
	testPlain503s(t, "Forget drops it", func(p *patient) {
		p.unavailable(5)
		p.partition.Forget()
		require.Zero(p, p.served(3))
	})
	testPlain503s(t, "other failures do not count", func(p *patient) {
		p.unavailable(2)
		p.send(pacer.Answer{RetryAfter: pacer.Unknown, Indirect: true}, schedule.Response{Failed: true})
		require.Zero(p, p.unavailable(1)[0])
		require.True(p, p.slows(), "after the third of them, as the first responses")
	})
}

// A known limit is paced as before during an outage, even after its window has ended.
func TestLimitsOutlastAnOutage(t *testing.T) {
	testPlain503s(t, "five minutes", func(p *patient) {
		told := func(remaining int64) pacer.Answer {
			return pacer.Answer{RetryAfter: pacer.Unknown, Limits: []limits.Reported{{Unit: limits.Requests, Quota: 60, Remaining: remaining, Window: time.Minute, Reset: time.Minute}}}
		}
		for i := range int64(20) {
			p.send(told(59-i), schedule.Response{})
		}
		begun := time.Now()
		p.unavailable(300)
		require.InDelta(p, 300, time.Since(begun).Seconds(), 60)
		require.NotEmpty(p, p.partition.State().Limits)
	})
}
