package debug

import (
	"time"

	"github.com/headway-go/headway"
)

// Version is the Version of a Report. It changes if a member goes or gets another meaning;
// members may be added without that.
const Version = 1

// A Report is what the Handler answers as JSON. What is not known is absent there, and
// nil or zero here. Times are UTC, in RFC 3339 and to the millisecond; durations are numbers, in
// seconds. Text that servers have chosen is as they sent it, but for bytes that
// are no UTF-8: these are U+FFFD. The document is streamed, with a line for each partition:
// one that was cut off is not valid.
type Report struct {
	Version    int         `json:"version"`
	Time       time.Time   `json:"time"` // when it was asked for
	Transports []Transport `json:"transports"`
}

// A Transport is what is known of one of Handler.Transports.
type Transport struct {
	Name   string `json:"name"`
	Shadow bool   `json:"shadow"` // it delays nothing: what is told is what would be

	// Partitions are all that it keeps, or that the filter lets through, ordered by name.
	Partitions []Partition `json:"partitions"`
}

// A Partition is a headway.PartitionState, with what comes of it.
type Partition struct {
	Partition string `json:"partition"` // its name
	State     State  `json:"state"`

	Waiting  int  `json:"waiting"`          // requests in the queue, or that wait for the Ceiling
	InFlight int  `json:"in_flight"`        // requests that are sent and not over
	Places   *int `json:"places,omitempty"` // how many may be in flight; nil: not bounded

	Sending float64 `json:"sending"`        // requests per second, averaged over about a minute
	Pace    float64 `json:"pace,omitzero"`  // requests per second that may go
	Trial   float64 `json:"trial,omitzero"` // requests per second that were found by trial

	WaitingFor    headway.Cause `json:"waiting_for,omitempty"`    // why the first that waits does; "" if none waits
	WaitingPolicy string        `json:"waiting_policy,omitempty"` // the server's name for the policy that it waits for

	WaitingSince  time.Time `json:"waiting_since,omitzero"`  // when the request was made that has waited longest in the queue
	Next          time.Time `json:"next,omitzero"`           // when the first that waits is to go
	HeldUntil     time.Time `json:"held_until,omitzero"`     // before it nothing is sent
	LastThrottled time.Time `json:"last_throttled,omitzero"` // when a request was last refused because of a limit

	Members int `json:"members,omitzero"` // of the Transport's Fleet, that share the quotas, this one included

	Limits []Limit `json:"limits"`
}
