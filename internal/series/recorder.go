package series

import (
	"context"
	"time"

	"github.com/headway-go/headway"
)

// A Recorder records what happens in the partitions of one name, with the context of the
// request. All strings are clean, and of each there is a bounded number.
//
// Each sending, and each abandonment, is told with what the request has waited since the one
// before, so that these times can be added up.
type Recorder interface {
	comparable

	Sent(ctx context.Context, waited time.Duration)
	Resent(ctx context.Context, waited time.Duration)
	Abandoned(ctx context.Context, waited time.Duration)

	Waiting(ctx context.Context, policy string, cause headway.Cause)
	Throttled(ctx context.Context, policy string, status int)
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

// WaitBounds are the bounds of a histogram's buckets in seconds: 0.001 for no wait at all, fine
// steps where a person waits, coarse ones from there to the hour in which most quotas
// come back.
func WaitBounds() []float64 {
	return []float64{0.001, 0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900, 1800, 3600}
}
