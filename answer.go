package headway

import (
	"github.com/headway-go/headway/pacer"
	"github.com/headway-go/headway/validate"
)

// usualLimits is how many limits an answer holds without an allocation.
const usualLimits = 2

// pacedLimits appends the limits of a reading to buf, in the pacer's terms.
func pacedLimits(buf []pacer.Limit, reading *validate.Reading) []pacer.Limit {
	for i := range reading.Limits {
		l := &reading.Limits[i]
		buf = append(buf, pacer.Limit{
			Policy: l.Policy, PartitionKey: l.PartitionKey, Unit: string(l.Unit),
			Quota: l.Quota, Remaining: l.Remaining,
			Window: l.Window, Reset: l.Reset,
		})
	}
	return buf
}
