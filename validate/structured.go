package validate

import (
	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// structured reads RateLimit: the items of drafts 08 and later (draft-ietf-httpapi-ratelimit-headers-10
// §4), or the one item of draft 07. Their resets are always delays, however large.
func (r *reader) structured(items []parse.ServiceLimit, shared *policies) {
	from := source{dialect: limits.DialectRateLimit}
	for i := range items {
		item, l := &items[i], r.next()
		l.Policy, l.PartitionKey, l.Unit = item.Name, item.PartitionKey, parse.Requests
		l.Quota, l.Remaining = item.Quota, item.Remaining
		l.Window, l.Reset = Unknown, seconds(item.Reset)
		if item.Quota == Unknown {
			r.joinNamed(l, shared)
		} else {
			r.joinQuota(l, shared)
		}
		if item.Name == "" {
			from.dialect = limits.DialectDraft07
		}
		r.add(&from, l)
	}
	r.earlier = len(r.Limits)
}
