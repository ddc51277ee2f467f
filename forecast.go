package headway

import (
	"fmt"
	"math"
	"net/http"
	"time"

	"github.com/headway-go/headway/internal/gate"
	"github.com/headway-go/headway/internal/identity"
)

// A Forecast says when requests could go. Its times are estimates: other clients may come or go, and responses may show other
// limits.
type Forecast struct {
	// At is when the Forecast was made. First and Last are when the first and the last request could be sent, not before At.
	// They are zero if nobody knows: they wait for the end of a request in flight, or the Ceiling lets none go.
	At, First, Last time.Time

	Requests  int       // how many the Forecast is about
	Cause     Cause     // what the last request would wait for; "": for nothing
	Policy    string    // the server's name for the limit that decides; "": none
	Share     float64   // the part of that limit's quota that is this client's, in [0, 1]; 0: no limit decides
	Certainty Certainty // how much is known
}

// A Certainty says how far a Forecast can be relied on.
type Certainty string

// The certainties.
const (
	CertaintyUnknown   Certainty = "unknown"   // no response has reported a limit: the requests go at once, or as found by trial
	CertaintyEstimated Certainty = "estimated" // the window, the cost or the part of other clients is a guess
	CertaintyKnown     Certainty = "known"     // the server reports the limit, and all of it or an agreed part is this client's
)

// String returns a line such as: 4000 requests: first now, last in 17m3s (limit "core", share 0.8, estimated).
func (f Forecast) String() string {
	limit := ""
	if f.Share > 0 {
		limit = fmt.Sprintf("limit %q, share %.2g, ", f.Policy, f.Share)
	}
	return fmt.Sprintf("%d requests: first %s, last %s (%s%s)", f.Requests, f.in(f.First), f.in(f.Last), limit, f.Certainty)
}

// in says when something is.
func (f Forecast) in(at time.Time) string {
	switch d := at.Sub(f.At).Round(time.Second); {
	case at.IsZero():
		return "never"
	case d > 0:
		return "in " + d.String()
	}
	return "now"
}

// Forecast says when the first and the last of n requests like req could be sent, if all were made now: the windows, the
// shares of others, holds, the requests that wait already, costs and the Ceiling count. It sends nothing, and uses nothing of
// a quota. req needs a method, a URL, the header from which the partition follows, and the context with its cost and priority;
// it is not changed, and no partition is forgotten for it. n below 1 counts as 1. The zero Certainty means that the Transport
// does not pace such requests.
//
// Use it before a job: refuse a job that does not fit before its deadline, instead of its last tenth. It is safe for concurrent
// use.
func (t *Transport) Forecast(req *http.Request, n int) Forecast {
	t.once.Do(t.start)
	c, f, k := &t.core.settings.Clock, Forecast{Requests: max(n, 1)}, identity.Key{}
	if !t.paces(req, &k) {
		f.At = c.Time(c.Now())
		f.First, f.Last = f.At, f.At
		return f
	}
	o := optionsOf(req.Context())
	v := gate.Visit{Priority: o.priority, Price: gate.Pricer{Request: req, Context: o.costs, Func: t.Cost}}
	known, now := t.core.partitions.Look(k, req).Forecast(&v, min(int64(f.Requests), math.MaxInt64/2)) // with those that wait it is no more than an int64
	f.At, f.Cause, f.Policy, f.Share, f.Certainty = c.Time(now), known.Last.Cause, known.Last.Policy, known.Share, CertaintyEstimated
	f.First, _ = publish(c, &gate.Wait{Plan: known.First})
	f.Last, _ = publish(c, &gate.Wait{Plan: known.Last})
	switch {
	case known.IsReported:
		f.Certainty = CertaintyKnown
	case known.Share == 0:
		f.Certainty = CertaintyUnknown
	}
	return f
}
