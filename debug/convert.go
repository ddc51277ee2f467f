package debug

import (
	"math"
	"time"

	"github.com/headway-go/headway"
)

func newPartition(now time.Time, s *headway.PartitionState) Partition {
	p := Partition{
		Partition: s.Partition, State: stateOf(now, s),
		Waiting: s.Waiting, InFlight: s.InFlight, Places: known(s.Places),
		Sending: finite(s.Sending), Pace: finite(s.Pace), Trial: finite(s.Trial),
		WaitingFor: waitingFor(s), WaitingPolicy: s.Policy, WaitingSince: moment(s.WaitingSince), Next: moment(s.Next),
		HeldUntil: moment(s.HeldUntil), LastThrottled: moment(s.LastThrottled), Members: max(0, s.Members),
		Limits: make([]Limit, 0, len(s.Limits)),
	}
	for i := range s.Limits {
		p.Limits = append(p.Limits, newLimit(&s.Limits[i]))
	}
	return p
}

// known returns nil for a number that is not known.
func known[N int | int64](n N) *N {
	if n < 0 {
		return nil
	}
	return &n
}

// finite returns 0, which stands for what is not known, for what JSON has no number for.
func finite(x float64) float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return 0
	}
	return x
}

// moment returns t without what is of no use to others: its zone, its monotonic reading,
// and digits that differ each time, because they come of reading two clocks.
func moment(t time.Time) time.Time {
	if t.IsZero() {
		return t
	}
	return t.UTC().Round(time.Millisecond)
}
