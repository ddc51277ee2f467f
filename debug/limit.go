package debug

import (
	"cmp"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/parse"
)

// A Limit is a headway.LimitState.
type Limit struct {
	Policy       string     `json:"policy,omitempty"`        // the server's name for it
	PartitionKey string     `json:"partition_key,omitempty"` // the server's key for its partition of the quota
	Unit         parse.Unit `json:"unit"`                    // what Quota, Remaining and Rate count

	Quota     *int64  `json:"quota,omitempty"`
	Remaining *int64  `json:"remaining,omitempty"` // less what was sent since it was told
	Window    float64 `json:"window,omitzero"`     // in seconds
	Rate      float64 `json:"rate,omitzero"`       // units per second that it allows this client now
	Share     float64 `json:"share"`               // part of the quota that this client takes for its own, up to 1
	Agreed    bool    `json:"agreed,omitzero"`     // the share is what the Transport's Fleet has agreed on
	Refills   bool    `json:"refills"`             // units come back bit by bit

	Told      time.Time `json:"told,omitzero"`       // when the server last told what remains
	EndsBy    time.Time `json:"ends_by,omitzero"`    // the latest that the window can end
	HeldUntil time.Time `json:"held_until,omitzero"` // before it nothing that uses this limit is sent
}

func newLimit(s *headway.LimitState) Limit {
	return Limit{
		Policy: s.Policy, PartitionKey: s.PartitionKey, Unit: cmp.Or(s.Unit, parse.Requests),
		Quota: known(s.Quota), Remaining: known(s.Remaining), Window: max(0, s.Window.Seconds()),
		Rate: finite(s.Rate), Share: finite(s.Share), Agreed: s.Agreed, Refills: s.Refills,
		Told: moment(s.Told), EndsBy: moment(s.EndsBy), HeldUntil: moment(s.HeldUntil),
	}
}
