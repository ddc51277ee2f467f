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

	// Requests is how many requests the Forecast is about.
	Requests int

	// Cause and Policy are what the last request would wait for, and the server's name for its policy; "": for nothing, or
	// without a name.
	Cause  Cause
	Policy string

	// Share is the part of that limit's quota that is this client's, in [0, 1]. 0 means that no limit decides.
	Share float64

	// Certainty says how much is known.
	Certainty Certainty
}

// A Certainty says how far a Forecast can be relied on.
type Certainty string

// The certainties.
const (
	CertaintyUnknown   Certainty = "unknown"   // no response has reported a limit: the requests go at once, or as found by trial
	CertaintyEstimated Certainty = "estimated" // the window or the part of other clients is a guess
	CertaintyKnown     Certainty = "known"     // the server reports the limit, and all of it or an agreed part is this client's
)

// String returns a line such as: 4000 requests: first now, last in 17m3s (limit "core", share 0.8, estimated).
func (f Forecast) String() string {
	last := "never"
	if !f.Last.IsZero() {
		last = after(f.Last.Sub(f.At))
	}
	text := fmt.Sprintf("%d requests: last %s (", f.Requests, last)
	if !f.First.IsZero() && f.First.Before(f.Last) {
		text = fmt.Sprintf("%d requests: first %s, last %s (", f.Requests, after(f.First.Sub(f.At)), last)
	}
	if f.Share > 0 {
		text += fmt.Sprintf("limit %q, share %.2g, ", f.Policy, f.Share)
	}
	return text + string(f.Certainty) + ")"
}

// after says when something is after a time.
func after(d time.Duration) string {
	if d < time.Second {
		return "now"
	}
	return "in " + d.Round(time.Second).String()
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
	n = max(n, 1)
	var k identity.Key
	if !t.paces(req, &k) {
		now := t.core.settings.Clock.Time(t.core.settings.Clock.Now())
		return Forecast{At: now, First: now, Last: now, Requests: n}
	}
	o := optionsOf(req.Context())
	v := gate.Visit{Priority: o.priority, Price: gate.Pricer{Request: req, Context: o.costs, Func: t.Cost}}
	known, now := t.core.partitions.Look(k, req).Forecast(&v, min(int64(n), math.MaxInt64/2)) // with those that wait it is no more than an int64
	c := &t.core.settings.Clock
	f := Forecast{
		At: c.Time(now), Requests: n, Cause: known.Last.Cause, Policy: known.Last.Policy, Share: known.Share,
		Certainty: CertaintyEstimated,
	}
	f.First, _ = publish(c, &gate.Wait{Plan: known.First, Now: now})
	f.Last, _ = publish(c, &gate.Wait{Plan: known.Last, Now: now})
	switch {
	case known.IsReported:
		f.Certainty = CertaintyKnown
	case known.Share == 0:
		f.Certainty = CertaintyUnknown
	}
	return f
}
