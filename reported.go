package headway

import (
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/validate"
)

// Reported is what the caller has read about limits from a response by itself, see [Transport.Limits]. The zero value
// reports nothing.
//
// Its numbers are believed as far as a server's are, see [validate.Bounds]. What cannot be is ignored or clamped, and
// Trace.Ignored and the Logger have it with the field "Transport.Limits".
type Reported struct {
	// Limits are added to the limits of the header fields. Equal ones are merged. Give each limit
	// the same Policy in every response: that name is how it is found again. Limits in another
	// unit than requests are named after their unit if Policy is "".
	//
	// limits.Unknown, which is -1, stands for a number that is not known. So does any negative
	// one, and a Window or Reset of 0. A Remaining of 0 means that the quota is used up,
	// if Reset says until when, or if the response refuses or is an error; else it is not known.
	// Reset counts from now; [validate.Until] makes one of a point in time. Dialect has no effect. Only
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
}

// reading returns r as package validate takes it.
func (r *Reported) reading() *validate.Reading {
	return &validate.Reading{Limits: r.Limits, RetryAfter: r.RetryAfter, Throttled: r.Throttled}
}
