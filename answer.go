package headway

import (
	"net/http"
	"time"

	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
)

// usualLimits is how many limits an answer holds without an allocation.
const usualLimits = 4

// answerOf puts a reading into the pacer's terms. The limits are appended to buf.
//
// A request's cost in other units than requests is not known, so that limits in
// them set no pace; but one that is exhausted says how long a refused client is
// to wait, where the server does not say so itself.
func answerOf(reading *validate.Reading, status int, buf []pacer.Limit) pacer.Answer {
	a := pacer.Answer{
		Limits:     buf,
		RetryAfter: reading.RetryAfter,
		Refused:    reading.Throttled,
		Overloaded: reading.Throttled && status == http.StatusServiceUnavailable,
	}
	var reset time.Duration = pacer.Unknown
	for i := range reading.Limits {
		l := &reading.Limits[i]
		if l.Unit == parse.Requests || l.Unit == parse.ConcurrentRequests {
			a.Limits = append(a.Limits, pacer.Limit{
				Policy: l.Policy, PartitionKey: l.PartitionKey,
				Concurrent: l.Unit == parse.ConcurrentRequests,
				Quota:      l.Quota, Remaining: l.Remaining,
				Window: l.Window, Reset: l.Reset,
			})
		}
		if l.Remaining == 0 {
			reset = max(reset, l.Reset)
		}
	}
	if a.Refused && a.RetryAfter == pacer.Unknown {
		a.RetryAfter = reset
	}
	return a
}
