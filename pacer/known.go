package pacer

import (
	"strings"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer/internal/cost"
	"github.com/headway-go/headway/pacer/internal/limit"
	"github.com/headway-go/headway/pacer/internal/refusal"
	"github.com/headway-go/headway/pacer/internal/route"
)

// A LimitSet is a set of limits of one partition, and meaningless in others. It becomes invalid when a response reports
// a new limit, and with Forget.
type LimitSet = route.Set

// Everything stands for what delays all requests alike: a hold on everything, a place in flight, or a rate from a
// trial.
const Everything LimitSet = 1 << 31

const (
	maxLimits   = 24    // of a partition, as servers choose names, see Partition.replaced. More: memory. Fewer: forgets limits
	forgetAfter = 86400 // seconds for which a limit is stored. Longer: memory. Shorter: quotas of a day are forgotten
)

// A known is a limit with what the partition knows of it besides its numbers.
type known struct {
	limit.Limit

	Name       identity
	born       uint64         // requests sent before the limit became known
	seq        uint64         // the newest request whose response reported the limit
	Hold       refusal.Hold   // of requests that use this limit. At: when r was last reported or a request sent
	Cost       *cost.Estimate // of requests; nil: the unit is requests
	missed     float64        // requests that were not charged, but whose responses showed that they used the limit
	Unit       uint8          // index of the quota unit, see Partition.unit
	earlyRetry bool           // one attempt may go at the end of the hold, before the reset
}

// An identity is the server's name of a limit.
type identity struct{ Policy, Key string }

// newKnown returns a limit that becomes known after born requests.
func newKnown(now float64, born uint64, id identity, unit uint8) known {
	id = identity{strings.Clone(id.Policy), strings.Clone(id.Key)} // without the server's whole header field
	l := known{Limit: limit.New(now), Name: id, born: born, Unit: unit, Hold: refusal.Hold{At: now}}
	if unit > 0 {
		l.Cost = &cost.Estimate{}
	}
	return l
}

// is reports whether in, in that unit, is a report of this limit. Limits without a name are distinguished by their
// quotas, because routes may have different ones.
func (l *known) is(in *limits.Reported, unit uint8) bool {
	id := &l.Name
	return l.Unit == unit && id.Policy == in.Policy && id.Key == in.PartitionKey &&
		(id.Policy != "" || in.Quota < 0 || !l.HasQuota || l.Quota == float64(in.Quota))
}

func (l *known) charge(c *Cost) float64 {
	if l.Cost == nil {
		return float64(c.of(0))
	}
	return l.Cost.Charge(c.of(l.Unit))
}

func (l *known) usualCost() float64 {
	if l.Cost == nil {
		return 1
	}
	return max(1, l.Cost.Usual())
}

// over reports whether every report of the limit has expired. A window without a known end is over after a day at most.
func (l *known) over(now float64) bool {
	return now > l.Ends.Hi && now >= l.Hold.Until && now > l.Seen+min(l.Window, forgetAfter)
}

// isUnanswered reports whether a request is in flight whose response may report the remaining quota.
func (l *known) isUnanswered() bool {
	if l.Cost == nil {
		return l.Units > l.Mark
	}
	return l.Cost.Sent != l.Cost.Reported
}

func placeOf(i int) LimitSet { return route.Of(i) }
