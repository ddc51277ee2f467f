package debug

import (
	"time"

	"github.com/headway-go/headway"
)

// Version is the Version of a Report. It is raised if a member is removed or changes its meaning, but not if
// a member is added.
const Version = 1

// A Report is the Handler's JSON. Unknown values are absent in JSON, and nil or zero here. Times are UTC, in
// RFC 3339 format and to the millisecond. Durations are numbers of seconds. Text from servers is unchanged,
// except that U+FFFD replaces bytes that are not valid UTF-8. The document is streamed, with one line for
// each partition. A document that was cut off is not valid JSON.
type Report struct {
	Version    int         `json:"version"`
	Time       time.Time   `json:"time"` // when the report was made
	Transports []Transport `json:"transports"`
}

// A Transport is one of Handler.Transports.
type Transport struct {
	Name   string `json:"name"`
	Shadow bool   `json:"shadow"` // the Transport delays nothing: the report says what it would do

	// Partitions are all partitions of the Transport, or those that match the filter, ordered by name.
	Partitions []Partition `json:"partitions"`
}

// A Partition is a [headway.PartitionState], for JSON, with its State.
type Partition struct {
	Partition string `json:"partition"` // its name
	State     State  `json:"state"`

	Waiting  int  `json:"waiting"`          // requests in the queue, and those that wait for the Ceiling
	InFlight int  `json:"in_flight"`        // requests that were sent and have not ended
	Places   *int `json:"places,omitempty"` // the bound on InFlight; nil: none

	Sending float64 `json:"sending"`        // requests per second, averaged over about a minute
	Pace    float64 `json:"pace,omitzero"`  // requests per second that may go
	Trial   float64 `json:"trial,omitzero"` // requests per second, found by trial

	Thousand float64 `json:"thousand,omitzero"` // seconds that 1,000 more requests would take

	WaitingFor    headway.Cause `json:"waiting_for,omitempty"`    // what the first waiting request waits for; "" if none waits
	WaitingPolicy string        `json:"waiting_policy,omitempty"` // the server's name of the policy for which it waits

	WaitingSince  time.Time `json:"waiting_since,omitzero"`  // when the oldest request in the queue was made
	Next          time.Time `json:"next,omitzero"`           // when the first waiting request is planned to go
	Last          time.Time `json:"last,omitzero"`           // when the last waiting request may go
	HeldUntil     time.Time `json:"held_until,omitzero"`     // until then nothing is sent
	LastThrottled time.Time `json:"last_throttled,omitzero"` // when a response last refused a request because of a limit

	Members int `json:"members,omitzero"` // of the Transport's Fleet that share the quotas, including this one

	FleetFault string `json:"fleet_fault,omitempty"` // what is wrong with that Fleet; "": nothing

	Limits []Limit `json:"limits"`
}
