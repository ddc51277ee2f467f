package debug

import (
	"cmp"
	"time"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/limits"
)

// A Limit is a [headway.LimitState], for JSON.
type Limit struct {
	Policy       string      `json:"policy,omitempty"`        // the server's name of the policy
	PartitionKey string      `json:"partition_key,omitempty"` // the server's key of its partition of the quota
	Unit         limits.Unit `json:"unit"`                    // the unit of Quota, Remaining and Rate

	Quota     *int64  `json:"quota,omitempty"`
	Remaining *int64  `json:"remaining,omitempty"` // less what was sent since the server's report
	Window    float64 `json:"window,omitzero"`     // in seconds
	Rate      float64 `json:"rate,omitzero"`       // units per second that the limit allows this client now
	Share     float64 `json:"share"`               // this client's part of the quota, up to 1
	Agreed    bool    `json:"agreed,omitzero"`     // the share was agreed on by the Transport's Fleet
	Refills   bool    `json:"refills"`             // units come back continuously, not at the end of a window

	ReportedAt time.Time `json:"told,omitzero"`       // when the server last reported what remains
	LatestEnd  time.Time `json:"ends_by,omitzero"`    // the latest time at which the window can end
	HeldUntil  time.Time `json:"held_until,omitzero"` // until then no request that uses this limit is sent
}

func newLimit(s *headway.LimitState) Limit {
	return Limit{
		Policy: s.Policy, PartitionKey: s.PartitionKey, Unit: cmp.Or(s.Unit, limits.Requests),
		Quota: orNil(s.Quota), Remaining: orNil(s.Remaining), Window: max(0, s.Window.Seconds()),
		Rate: finite(s.Rate), Share: finite(s.Share), Agreed: s.Agreed, Refills: s.Refills,
		ReportedAt: moment(s.ReportedAt), LatestEnd: moment(s.LatestEnd), HeldUntil: moment(s.HeldUntil),
	}
}
