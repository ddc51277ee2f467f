package headway

import (
	"time"

	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
)

// usualLimits is how many limits an answer holds without an allocation.
const usualLimits = 2

// pacedLimits appends the limits of a reading that set a pace to buf, in the
// pacer's terms. A request's cost in other units than requests is not known.
func pacedLimits(buf []pacer.Limit, reading *validate.Reading) []pacer.Limit {
	for i := range reading.Limits {
		l := &reading.Limits[i]
		if l.Unit == parse.Requests || l.Unit == parse.ConcurrentRequests {
			buf = append(buf, pacer.Limit{
				Policy: l.Policy, PartitionKey: l.PartitionKey,
				Concurrent: l.Unit == parse.ConcurrentRequests,
				Quota:      l.Quota, Remaining: l.Remaining,
				Window: l.Window, Reset: l.Reset,
			})
		}
	}
	return buf
}

// toldWait is how long a reading asks to wait. A limit in any unit that is
// exhausted says how long a refused client is to, where the server does not say
// so itself.
func toldWait(reading *validate.Reading) time.Duration {
	if !reading.Throttled || reading.RetryAfter != validate.Unknown {
		return reading.RetryAfter
	}
	var reset time.Duration = pacer.Unknown
	for i := range reading.Limits {
		if l := &reading.Limits[i]; l.Remaining == 0 {
			reset = max(reset, l.Reset)
		}
	}
	return reset
}
