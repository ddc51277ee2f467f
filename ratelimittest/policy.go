package ratelimittest

import "time"

// A Policy is the rule that an algorithm enforces for each client: Quota units
// per Window. Its fields must not be changed once the Limiter is in use.
type Policy struct {
	// Name is the policy's name in the dialects that have one. "": "default".
	Name string
	// Quota is the number of quota units per Window. 0 or negative: none, so
	// that every request is refused.
	Quota int64
	// Window is the time for which Quota holds. 0 or negative: a minute.
	Window time.Duration
	// Unit is the quota unit in the dialects that tell it. "": requests.
	Unit string
	// PartitionKey, if not nil, tells the key of a client's partition of the quota,
	// for the dialects that have one. It must be safe for concurrent use.
	PartitionKey func(client string) string
	// QuotaAt, if not nil, takes the place of Quota: a quota that changes while the
	// server runs, such as LowerQuota. It returns the quota at the time now, negative
	// is 0, and until when it stays the same; not after now, such as zero: for good.
	// No client is told until when: it is for Batch.Optimum, Granted and Used, which
	// are right if it is, and look at no more than 1024 changes of the quota in a row
	// without a grant. QuotaAt must depend on now alone: it is called more than once for a
	// decision, also for times to come, and concurrently.
	QuotaAt func(now time.Time) (quota int64, until time.Time)
}

func (p *Policy) quota(now time.Time) int64 {
	q := p.Quota
	if p.QuotaAt != nil {
		q, _ = p.QuotaAt(now)
	}
	return max(q, 0)
}

// change is that of a forecaster. It passes over those that leave the quota as it is,
// but for very many.
func (p *Policy) change(now time.Time) time.Time {
	if p.QuotaAt == nil {
		return time.Time{}
	}
	_, at := p.QuotaAt(now)
	quota := p.quota(now)
	for range mostChanges {
		if !at.After(now) {
			return time.Time{}
		}
		if p.quota(at) != quota {
			return at
		}
		now = at
		_, at = p.QuotaAt(now)
	}
	return at
}

func (p *Policy) window() time.Duration {
	if p.Window <= 0 {
		return time.Minute
	}
	return p.Window
}

func (p *Policy) limit(client string, quota, remaining int64, reset time.Duration) Limit {
	l := Limit{Policy: p.Name, Unit: p.Unit, Quota: quota, Window: p.window(), Remaining: remaining, Reset: reset}
	if l.Policy == "" {
		l.Policy = "default"
	}
	if p.PartitionKey != nil {
		l.PartitionKey = p.PartitionKey(client)
	}
	return l
}
