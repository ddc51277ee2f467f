package pacer

import (
	"encoding/json"
	"errors"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer/internal/arrival"
	"github.com/headway-go/headway/pacer/internal/refusal"
	"github.com/headway-go/headway/pacer/internal/route"
)

// ErrSnapshot is returned by Restore if data are no snapshot of this version, or have impossible values.
var ErrSnapshot = errors.New("pacer: not a snapshot of this version")

const snapshotVersion = 7 // changes whenever another version could misread a snapshot

// A snapshot is what outlives the process, as JSON. Each room saves its exported fields. Times are those of the partition's
// own clock, which goes on after Restore.
type snapshot struct {
	Version  int
	At       float64
	Units    []limits.Unit
	IsRouted bool // some route is exempt from a limit
	Line     arrival.Line
	Hold     refusal.Hold
	Trial    refusal.Trial
	Limits   []known
}

// Snapshot returns the partition's state for Restore, as JSON, and changes nothing. Requests in flight count as sent,
// because another process does not get their responses. Left out are tickets, the backoff, places, parts of a fleet,
// the own rate, round trips, and which limits apply to a route.
func (p *Partition) Snapshot(now Instant) []byte {
	s := snapshot{
		Version: snapshotVersion, At: max(p.at(now), p.latest), Units: p.units, IsRouted: p.anywhere.Fresh,
		Line: p.line, Hold: p.hold.Hold, Trial: p.trial,
	}
	p.eachRoute(func(r *route.Route) { s.IsRouted = s.IsRouted || r.Exempt != 0 })
	for _, l := range p.each(p.live) {
		s.Limits = append(s.Limits, *l)
	}
	data, _ := json.Marshal(&s) // no number in it is infinite
	return data
}

// Restore returns a partition with the state in data. The time since that snapshot was taken is passed. Windows that have
// ended since then begin again as usual. No request is in flight. The partition keeps cfg as in New, and nothing of data.
//
// Whatever data contain, no restored hold or window ends later than most from now, and no quota allows less than a unit
// per hour. The error is ErrSnapshot if data are no snapshot, or have impossible values. A negative passed counts as 0.
func Restore(cfg *Config, data []byte, now Instant, passed, most time.Duration) (Partition, error) {
	var s snapshot
	if json.Unmarshal(data, &s) != nil || !s.isPossible() {
		return Partition{}, ErrSnapshot
	}
	p := New(cfg)
	p.skew = s.At + max(passed, 0).Seconds() - float64(now)/1e9
	p.latest = p.at(now)
	latest := p.latest + max(most, 1).Seconds()
	p.units, p.line, p.trial, p.hold.Hold = s.Units, s.Line, s.Trial, s.Hold
	p.hold.Bound(latest)
	p.line.At, p.line.Owed = min(p.line.At, max(p.latest, p.hold.Until)+60, latest), min(p.line.Owed, 16)
	for i := range s.Limits {
		l := &s.Limits[i]
		l.Hold.Bound(latest)
		l.Restored(latest, max(p.latest, p.hold.Until, l.Hold.Until))
		l.seq = 1 // its next report is not the first one
		p.live |= placeOf(i)
	}
	p.limits, p.seq = s.Limits, 1
	p.anywhere = route.Route{
		Fresh:       s.IsRouted, // responses show again which limit applies to which route
		HasReported: true,       // a new limit of a client that has sent before gets no first burst
	}
	return p, nil
}

func (s *snapshot) isPossible() bool {
	at := s.At + 1e-6 // rounded
	isPossible := s.Version == snapshotVersion && len(s.Units) <= MaxOthers && len(s.Limits) <= maxLimits
	isPossible = isPossible && s.Hold.At <= at && s.Trial.IsPossible(at)
	for i := range s.Limits {
		l := &s.Limits[i]
		isPossible = isPossible && l.IsPossible(at) && l.Hold.At <= at &&
			int(l.Unit) <= len(s.Units) && (l.Unit > 0) == (l.Cost != nil) && (l.Cost == nil || l.Cost.IsPossible())
	}
	return isPossible
}
