package headway

import (
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
)

func TestReadingInThePacersTerms(t *testing.T) {
	requests := validate.Limit{Policy: "a", PartitionKey: "k", Unit: parse.Requests, Quota: 10, Remaining: 5, Window: time.Minute, Reset: time.Second}
	flight := validate.Limit{Policy: "c", Unit: parse.ConcurrentRequests, Quota: 4, Remaining: 2, Window: validate.Unknown, Reset: validate.Unknown}
	tokens := validate.Limit{Policy: "t", Unit: "tokens", Quota: 100, Remaining: 0, Window: time.Minute, Reset: 30 * time.Second}
	points := validate.Limit{Policy: "p", Unit: "points", Quota: 100, Remaining: 0, Window: time.Minute, Reset: 10 * time.Second}
	tokensLeft := tokens
	tokensLeft.Remaining = 1
	pacerRequests := pacer.Limit{Policy: "a", PartitionKey: "k", Quota: 10, Remaining: 5, Window: time.Minute, Reset: time.Second}
	pacerFlight := pacer.Limit{Policy: "c", Concurrent: true, Quota: 4, Remaining: 2, Window: pacer.Unknown, Reset: pacer.Unknown}
	for _, test := range []struct {
		name    string
		reading validate.Reading
		limits  []pacer.Limit
		wait    time.Duration
	}{
		{"nothing", validate.Reading{RetryAfter: validate.Unknown}, nil, pacer.Unknown},
		{
			"limits",
			validate.Reading{RetryAfter: validate.Unknown, Limits: []validate.Limit{requests, flight}},
			[]pacer.Limit{pacerRequests, pacerFlight},
			pacer.Unknown,
		},
		{"told to wait", validate.Reading{RetryAfter: time.Second, Throttled: true}, nil, time.Second},
		{
			"other unit",
			validate.Reading{RetryAfter: validate.Unknown, Limits: []validate.Limit{tokens, requests}},
			[]pacer.Limit{pacerRequests},
			pacer.Unknown,
		},
		{
			"other unit refuses",
			validate.Reading{RetryAfter: validate.Unknown, Throttled: true, Limits: []validate.Limit{tokens, points}},
			nil,
			30 * time.Second,
		},
		{
			"other unit with some left",
			validate.Reading{RetryAfter: validate.Unknown, Throttled: true, Limits: []validate.Limit{tokensLeft}},
			nil,
			pacer.Unknown,
		},
		{
			"other unit and Retry-After",
			validate.Reading{RetryAfter: time.Second, Throttled: true, Limits: []validate.Limit{tokens}},
			nil,
			time.Second,
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			require.Equal(t, test.limits, pacedLimits(nil, &test.reading))
			require.Equal(t, test.wait, toldWait(&test.reading))
		})
	}
}

// A 503 says that too many were in flight at once, and cuts the places. A 429 says
// nothing of places: while no pace is known, one request goes after its hold.
func TestRefusalsOpenPlaces(t *testing.T) {
	const atOnce = 10
	for _, test := range []struct {
		name        string
		status      int
		least, most int // places after the hold
	}{
		{"too many at once", http.StatusServiceUnavailable, 2, atOnce - 1},
		{"too fast", http.StatusTooManyRequests, 1, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var arrived atomic.Int64
				transport := &Transport{MaxRetries: -1, Base: baseFunc(func(req *http.Request) (*http.Response, error) {
					if arrived.Add(1) == 1+atOnce { // the last of the first ten, while the others are in flight
						return respond(req, test.status, "Retry-After", "5"), nil
					}
					time.Sleep(100 * time.Millisecond)
					return respond(req, http.StatusOK), nil
				})}
				sendAtOnce := func() (wait func()) {
					var clients sync.WaitGroup
					for range atOnce {
						clients.Go(func() { prime(t, transport) })
						synctest.Wait() // they arrive in the order in which they are let go
					}
					return clients.Wait
				}
				prime(t, transport)
				sendAtOnce()()

				time.Sleep(10 * time.Second)
				wait := sendAtOnce()
				inFlight := transport.State()[0].InFlight
				wait()
				require.GreaterOrEqual(t, inFlight, test.least)
				require.LessOrEqual(t, inFlight, test.most)
			})
		})
	}
}
