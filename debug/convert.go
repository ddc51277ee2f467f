package debug

import (
	"math"
	"time"

	"github.com/headway-go/headway"
)

func newPartition(now time.Time, s *headway.PartitionState) Partition {
	p := Partition{
		Partition: s.Partition, State: stateOf(now, s),
		Waiting: s.Waiting, InFlight: s.InFlight, Places: orNil(s.Places),
		Sending: finite(s.Sending), Pace: finite(s.Pace), Trial: finite(s.Trial),
		WaitingFor: waitingFor(s), WaitingPolicy: s.Policy, WaitingSince: moment(s.WaitingSince), Next: moment(s.Next), Last: moment(s.Last), Thousand: s.Thousand.Seconds(),
		HeldUntil: moment(s.HeldUntil), LastThrottled: moment(s.LastThrottled), Members: max(0, s.Members), FleetFault: s.FleetFault,
		Limits: make([]Limit, 0, len(s.Limits)),
	}
	for i := range s.Limits {
		p.Limits = append(p.Limits, newLimit(&s.Limits[i]))
	}
	return p
}

// orNil returns nil if n is negative, which means unknown.
func orNil[N int | int64](n N) *N {
	if n < 0 {
		return nil
	}
	return &n
}

// finite returns 0, which means unknown, for infinity and NaN, which JSON cannot represent.
func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

// moment returns t in UTC and to the millisecond. Finer digits would differ in each report, as they come from
// reading two clocks.
func moment(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC().Round(time.Millisecond)
}
