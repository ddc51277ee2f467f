package series

import (
	"context"
	"time"

	"github.com/headway-go/headway"
)

// A Recorder records the events in the partitions of one name, with the context of the
// request. All strings are clean, and their number is bounded.
//
// Each time that a request is sent, or abandoned, the Recorder gets the request's wait since the
// time before. So these waits add up to the request's whole wait.
type Recorder interface {
	comparable

	Sent(ctx context.Context, waited time.Duration)
	Resent(ctx context.Context, waited time.Duration)
	Abandoned(ctx context.Context, waited time.Duration)

	// Ended is called when a wait is over, with what the request has waited for last.
	Ended(ctx context.Context, policy string, cause headway.Cause)

	Throttled(ctx context.Context, policy, verdict string, status int)
	Refused(ctx context.Context, policy, reason string)
	Ignored(ctx context.Context, reason string)
	Evicted(reason string)
}

// The outcomes of waits.
const (
	OutcomeSent      = "sent"
	OutcomeResent    = "resent"
	OutcomeAbandoned = "abandoned"
)

// WaitBounds are the bounds of a histogram's buckets, in seconds. The first bucket, up to 0.001,
// stands for no wait. Steps are small for waits that a person notices, and large from there to
// an hour, the longest usual window.
func WaitBounds() []float64 {
	return []float64{0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 1800, 3600}
}
