package pacer

import (
	"errors"
	"math/bits"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/pacer/internal/codec"
	"github.com/headway-go/headway/pacer/internal/route"
)

// ErrSnapshot is returned by Restore if data are no snapshot, or one of another version.
var ErrSnapshot = errors.New("pacer: not a snapshot of this version")

// snapshotVersion changes whenever another version could misread a snapshot.
const snapshotVersion = 6

// Snapshot returns the partition's state for Restore, in this package's own format, and changes nothing. Requests in
// flight count as sent, because another process does not get their responses. Left out are tickets, the margin of
// times, parts of a fleet, the own rate, round trips, and which limits apply to a route.
func (p *Partition) Snapshot(now Instant) []byte {
	at := p.at(now)
	c, copied := codec.Codec{Taken: at, Now: at, Latest: p.at(Never)}, *p
	copied.serialize(&c)
	return c.Data
}

// Restore returns a partition with the state in data. The time since that snapshot was taken is passed, 0 or more.
// Times before the origin of now become the origin. Windows that have ended since then begin again as usual. No request
// is in flight. The partition keeps cfg as in New, and nothing of data.
//
// Impossible values are replaced by the nearest possible ones. Whatever data contain, no restored time is later than
// most from now, and no quota allows less than a unit per hour. The error is ErrSnapshot if data are no snapshot.
func Restore(cfg *Config, data []byte, now Instant, passed, most time.Duration) (Partition, error) {
	p := New(cfg)
	at := p.time(now)
	c := codec.Codec{Data: data, Reading: true, Taken: at - max(passed, 0).Seconds(), Now: at, Latest: at + max(most, 1).Seconds()}
	if p.serialize(&c); c.Corrupt || len(c.Data) > 0 {
		return Partition{}, ErrSnapshot
	}
	return p, nil
}

// serialize writes or reads the partition. For writing, p is a copy.
func (p *Partition) serialize(c *codec.Codec) {
	version := snapshotVersion
	codec.Count(c, &version, 0, 1<<30)
	c.Corrupt = version != snapshotVersion || c.Corrupt
	var units [MaxOthers]limits.Unit
	copy(units[:], p.Units())
	for _, unit := range units {
		name := string(unit)
		c.Text(&name)
		p.unit(limits.Unit(ShortName(name)))
	}
	isRouted := false
	p.eachRoute(func(r *route.Route) { isRouted = isRouted || r.Exempt != 0 })
	if c.Flag(&isRouted); isRouted && c.Reading { // responses show again which limit applies to which route
		p.routes, p.anywhere.Fresh = &routes{}, true
	}
	p.anywhere.HasReported = p.anywhere.HasReported || c.Reading // a new limit of a client that has sent before gets no first burst
	if p.trial = codec.Optional(c, p.trial); p.trial != nil {
		p.trial.Serialize(c)
	}
	p.places.Serialize(c)
	if p.hold = codec.Optional(c, p.hold); p.hold != nil {
		p.hold.Serialize(c)
	}
	held := get(p.hold).Until
	p.line.Serialize(c, max(c.Now, held)+60, 16)
	codec.Count(c, &p.live, 0, placeOf(maxLimits)-1)
	all := make([]known, bits.Len32(uint32(p.live)))
	copy(all, p.limits)
	p.limits = all
	for _, l := range p.each(p.live) {
		l.serialize(c, uint8(len(p.Units())), held)
	}
}

func (l *known) serialize(c *codec.Codec, units uint8, held float64) {
	var id identity
	if !c.Reading {
		id = l.id.Value()
	}
	unit := l.unit
	c.Text(&id.policy)
	c.Text(&id.key)
	codec.Count(c, &unit, 0, units)
	if c.Reading {
		*l = newKnown(c.Now, 0, identity{ShortName(id.policy), ShortName(id.key)}, unit)
	}
	c.Flag(&l.matched)
	c.Time(&l.at, c.Now)
	c.Time(&l.held, c.Latest)
	c.Time(&l.firm, c.Latest)
	codec.Count(c, &l.looks, 0, mostLooks)
	if l.cost != nil {
		l.cost.Serialize(c)
	}
	l.Serialize(c, max(held, l.held))
}
