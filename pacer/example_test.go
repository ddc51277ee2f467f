package pacer_test

import (
	"fmt"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer"
)

// remaining is the response of a server with 60 requests per hour that has so many left.
func remaining(left int64) *pacer.Answer {
	return &pacer.Answer{
		RetryAfter: pacer.Unknown,
		Limits:     []limits.Reported{{Policy: "hour", Quota: 60, Remaining: left, Window: time.Hour, Reset: time.Hour}},
	}
}

// The partition gets each request and each response, and plans the next request.
func ExamplePartition() {
	partition := pacer.New(&even)
	cost := &pacer.Cost{Requests: 1}
	now := pacer.Instant(0).Add(time.Hour)
	for left := int64(59); left > 56; left-- {
		plan := partition.Plan(now, 0, cost)
		fmt.Printf("wait %v for %q\n", max(plan.At.Sub(now), 0).Round(time.Minute), plan.Policy)

		now = max(now, plan.At) // time is a number, so nothing waits
		var ticket pacer.Ticket
		partition.Send(now, cost, &ticket)
		partition.Answered(now, &ticket, remaining(left))
		partition.Release()
	}
	// Output:
	// wait 0s for ""
	// wait 0s for ""
	// wait 1m0s for "hour"
}

// A refusal holds the partition for as long as the server requires. Up to a second of random time is added, so
// that clients come back one after the other.
func ExamplePartition_Answered() {
	partition := pacer.New(&even)
	cost := &pacer.Cost{Requests: 1}
	now := pacer.Instant(0).Add(time.Hour)
	var ticket pacer.Ticket
	partition.Send(now, cost, &ticket)
	partition.Answered(now, &ticket, &pacer.Answer{Refused: true, RetryAfter: time.Minute})
	partition.Release()

	plan := partition.Plan(now, 0, cost)
	fmt.Println("held for", partition.State(now).HeldUntil.Sub(now), "start in", plan.At.Sub(now))
	fmt.Println("because of the hold:", plan.Cause == pacer.CauseHold)
	// Output:
	// held for 1m0s start in 1m0.5s
	// because of the hold: true
}

// Wrong: a Send without its Release. The request counts as in flight for ever. Once the server has reported a
// limit on concurrency, no other request can go.
func ExamplePartition_incorrect() {
	partition := pacer.New(&even)
	cost := &pacer.Cost{Requests: 1}
	now := pacer.Instant(0).Add(time.Hour)
	var ticket pacer.Ticket
	partition.Send(now, cost, &ticket)
	partition.Answered(now, &ticket, &pacer.Answer{
		RetryAfter: pacer.Unknown,
		Limits: []limits.Reported{{
			Policy: "at once", Unit: limits.ConcurrentRequests,
			Quota: 1, Remaining: 0, Window: pacer.Unknown, Reset: pacer.Unknown,
		}},
	})
	fmt.Println("never:", partition.Plan(now, 0, cost).At == pacer.Never)
	partition.Release()
	fmt.Println("never:", partition.Plan(now, 0, cost).At == pacer.Never)
	// Output:
	// never: true
	// never: false
}
