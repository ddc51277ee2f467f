package scale

import (
	"context"
	"net/http"
	"time"

	"github.com/headway-go/headway/internal/test/sim"
	"github.com/headway-go/headway/ratelimittest"
)

const latency = 50 * time.Millisecond

// A service is a Base with a limit for each user, whose window opens with the user's first request. It reports the limit in
// draft-10 fields. It allocates little, and the same for each request.
type service struct {
	limiter ratelimittest.Limiter
	latency time.Duration
	begun   time.Time
}

func newService(quota int64, window, latency time.Duration) *service {
	return &service{limiter: &ratelimittest.FixedWindow{Policy: ratelimittest.Per(quota, window)}, latency: latency, begun: time.Now()}
}

func (s *service) now() time.Duration { return time.Since(s.begun) }

// An errand is a request from its call to its end.
type errand struct {
	called, sent    time.Duration // since the service began
	served, refused int32
}

// A sender sends its errands one after the other.
type sender struct {
	*service
	user    string
	req     *http.Request
	begin   time.Duration // the pause before the first errand
	pause   time.Duration // the pause after each errand
	errands []errand
	current *errand // being sent
}

type senderKey struct{}

func (s *service) newSender(ctx context.Context, user string, errands []errand) (*sender, error) {
	one := &sender{service: s, user: user, errands: errands}
	ctx = context.WithValue(ctx, senderKey{}, one)
	var err error
	one.req, err = http.NewRequestWithContext(ctx, http.MethodGet, "https://api.example.com/things", http.NoBody)
	if err == nil {
		one.req.Header.Set("Authorization", "Bearer "+user)
	}
	return one, err
}

// send sends all errands through transport, and returns the first error.
func (s *sender) send(transport http.RoundTripper) error {
	time.Sleep(s.begin)
	for i := range s.errands {
		s.current = &s.errands[i]
		s.current.called = s.now()
		resp, err := transport.RoundTrip(s.req)
		if err != nil {
			return err
		}
		if err := resp.Body.Close(); err != nil {
			return err
		}
		time.Sleep(s.pause)
	}
	return nil
}

func (s *service) RoundTrip(req *http.Request) (*http.Response, error) {
	from := req.Context().Value(senderKey{}).(*sender)
	now := time.Now()
	d := s.limiter.Take(now, from.user, 1)
	header := make(http.Header, 4)
	ratelimittest.Draft10(header, now, d)
	resp := &http.Response{StatusCode: http.StatusOK, Header: header, Body: http.NoBody, Request: req}
	if from.current.served+from.current.refused == 0 {
		from.current.sent = s.now()
	}
	if d.Allowed {
		from.current.served++
	} else {
		from.current.refused++
		resp.StatusCode = http.StatusTooManyRequests
		sim.RetryAfterSeconds(header, now, d)
	}
	time.Sleep(s.latency)
	return resp, nil
}
