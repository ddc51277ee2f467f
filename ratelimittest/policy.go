package ratelimittest

import (
	"cmp"
	"time"
)

// A Policy is the rule that a Limiter enforces for each client: Quota units per Window. The zero value refuses everything.
// Its fields must not be changed once the Limiter is in use.
type Policy struct {
	// Name is the policy's name, in dialects with names. "": "default".
	Name string
	// Quota is the number of quota units per Window. 0 or negative: every request is refused.
	Quota int64
	// Window is the time for which Quota holds. 0 or negative: a minute.
	Window time.Duration
	// Unit is the quota unit, in dialects with units. "": requests.
	Unit string
	// PartitionKey returns the partition key (pk) of a client, in dialects with partition keys. It is
	// called concurrently. nil: no partition key.
	PartitionKey func(client string) string
	// QuotaAt replaces Quota if it is not nil: a quota that changes while the server runs. It returns the quota at
	// the time now, where negative is 0. Used quota stays used: the count of a window may be above a lower quota.
	//
	// QuotaAt must depend on now alone. It is called concurrently, and for future times. Batch.Optimum and
	// Arrivals.Used do not foresee a change: after a refusal they try again after RetryAfter.
	QuotaAt func(now time.Time) int64
}

// Per returns a Policy of quota units per window, for a Limiter with no other settings.
func Per(quota int64, window time.Duration) Policy { return Policy{Quota: quota, Window: window} }

func (p *Policy) quota(now time.Time) int64 {
	quota := p.Quota
	if p.QuotaAt != nil {
		quota = p.QuotaAt(now)
	}
	return max(quota, 0)
}

func (p *Policy) window() time.Duration {
	if p.Window <= 0 {
		return time.Minute
	}
	return p.Window
}

func (p *Policy) limit(client string, quota, remaining int64, reset time.Duration) Limit {
	l := Limit{Policy: cmp.Or(p.Name, "default"), Unit: p.Unit, Quota: quota, Window: p.window(), Remaining: remaining, Reset: reset}
	if p.PartitionKey != nil {
		l.PartitionKey = p.PartitionKey(client)
	}
	return l
}
