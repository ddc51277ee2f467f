package ratelimittest

import "time"

// A Policy is the rule that a Limiter enforces for each client: Quota units per Window. Its fields must not
// be changed once the Limiter is in use.
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
	// QuotaAt replaces Quota if it is not nil: a quota that changes while the server runs, see
	// LowerQuota. It returns the quota at the time now, where negative is 0, and until when that quota
	// holds. If until is not after now, as the zero time is, the quota holds for good.
	//
	// No client ever sees until. Batch.Optimum, Granted and Used need it to find the next grant. They
	// look at no more than 1024 changes in a row without a grant.
	//
	// QuotaAt must depend on now alone. It is called concurrently, several times for one decision, and
	// for future times.
	QuotaAt func(now time.Time) (quota int64, until time.Time)
}

func (p *Policy) quota(now time.Time) int64 {
	q := p.Quota
	if p.QuotaAt != nil {
		q, _ = p.QuotaAt(now)
	}
	return max(q, 0)
}

// change implements forecaster. It skips changes that leave the quota as it is, but gives up after
// maxChanges.
func (p *Policy) change(now time.Time) time.Time {
	if p.QuotaAt == nil {
		return time.Time{}
	}
	_, at := p.QuotaAt(now)
	quota := p.quota(now)
	for range maxChanges {
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
