package headway

import (
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/headway-go/headway/internal/test/kit"
)

// What tests of this package's inside take from the kit of the suites, by shorter names.
type baseFunc = kit.BaseFunc

const testURL = kit.URL

var (
	respond     = kit.Respond
	status      = kit.Status
	usedUp      = kit.UsedUp
	get         = kit.Get
	prime       = kit.Prime
	requireHeld = kit.RequireHeld
	newRequest  = kit.NewRequest
)

// answers is a Base that gives these responses in turn, the last one for ever,
// and remembers when it was asked.
type answers struct {
	responses []func(*http.Request) *http.Response

	mu    sync.Mutex
	times []time.Time
}

func inTurn(responses ...func(*http.Request) *http.Response) *answers {
	return &answers{responses: responses}
}

func (a *answers) RoundTrip(req *http.Request) (*http.Response, error) {
	if req.Body != nil {
		if _, err := io.Copy(io.Discard, req.Body); err != nil {
			return nil, err
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	next := a.responses[min(len(a.times), len(a.responses)-1)]
	a.times = append(a.times, time.Now())
	return next(req), nil
}

// sent returns how many requests arrived.
func (a *answers) sent() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return len(a.times)
}

// a trackedBody tells whether it was closed.
type trackedBody struct {
	io.Reader
	closed int
}

func newTrackedBody(text string) *trackedBody {
	return &trackedBody{Reader: kit.NewTrackedBody(text).Reader}
}

func (b *trackedBody) Close() error {
	b.closed++
	return nil
}
