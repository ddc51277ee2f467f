package headway

import (
	"net/http"
	"slices"
	"time"

	"github.com/headway-go/headway/internal/replay"
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
)

// Reported is what the caller has read about limits by itself: from a response (see [Transport.Limits]), or later (see
// [Report]). The zero value reports nothing.
//
// Its numbers are believed as far as a server's are, see [validate.Bounds]. What cannot be is ignored or clamped, and
// Trace.Ignored and the Logger have it with the field "Transport.Limits".
type Reported struct {
	// Limits are added to the limits of the header fields. Equal ones are merged. Give each limit
	// the same Policy in every response: that name is how it is found again. Limits in another
	// unit than requests are named after their unit if Policy is "".
	//
	// limits.Unknown, which is -1, stands for a number that is not known. So does any negative
	// one, and a Window or Reset of 0. A Remaining of 0 means that the quota is used up. Reset
	// counts from now; [validate.Until] makes one of a point in time. Dialect has no effect. Only
	// the first 64 limits count.
	Limits []limits.Reported

	// RetryAfter is how long the server asks to wait. It has an effect only if the request was
	// refused, as with the field Retry-After; the longer one of both counts. 0 and less mean that
	// there is none.
	RetryAfter time.Duration

	// Throttled means that the response refuses the request because of a limit, whatever its
	// status. It has the effect of a 429: the partition is held, and the request is sent again if
	// its body can be. After a status of 500 or more the request must also be idempotent. false
	// takes nothing back that status and fields say.
	Throttled bool

	// Costs are the units that the request has really used. They replace what was reserved for it
	// (see WithCost), until a response tells what remains. If the remaining quota in a unit was
	// told with this response or since, that number settles the cost, and Costs does not count.
	// Negative costs, units that no limit counts, and parse.ConcurrentRequests are ignored.
	Costs map[parse.Unit]int64
}

// reading returns r as package validate takes it. Names are as the pacer keeps them.
func (r *Reported) reading() *validate.Reading {
	own := &validate.Reading{RetryAfter: r.RetryAfter, Throttled: r.Throttled}
	own.Limits = slices.Clone(r.Limits[:min(len(r.Limits), validate.MaxLimits+1)]) // one more, so that it is reported
	for i := range own.Limits {
		l := &own.Limits[i]
		l.Policy, l.PartitionKey, l.Unit = pacer.ShortName(l.Policy), pacer.ShortName(l.PartitionKey), pacer.ShortName(l.Unit)
	}
	return own
}

// readOwn calls Transport.Limits. It returns the reading with what that has read, and the costs.
func (c *call) readOwn(resp *http.Response, reading *validate.Reading) (*validate.Reading, map[parse.Unit]int64) {
	r := c.transport.core.reader
	own, ok := c.callLimits(resp)
	if !ok {
		return r.Break(reading), nil
	}
	return r.Add(reading, resp, own.reading()), own.Costs
}

// callLimits calls Transport.Limits with a copy of the response. ok is false if it panics.
func (c *call) callLimits(resp *http.Response) (own Reported, ok bool) {
	shown := *resp
	if shown.Request == nil {
		shown.Request = c.req
	}
	body, look := replay.LookAt(c.req, resp)
	shown.Body = body
	defer func() {
		look.End()
		if !ok && recover() != nil {
			own = Reported{}
		}
	}()
	return c.transport.Limits(&shown), true
}
