package fleet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"time"

	"github.com/headway-go/headway/fleet/internal/store"
	"github.com/headway-go/headway/internal/identity"
	"github.com/headway-go/headway/internal/share"
	"github.com/headway-go/headway/limits"
)

const (
	mostPartitions = 1024             // of one Transport; partitions beyond this are not shared
	idleFor        = 5 * time.Minute  // without use, until a partition is forgotten
	usableFor      = 10 * time.Second // how long an agreement is used after the store has lost it
	minExpiry      = time.Minute
	maxExpiry      = time.Hour
	slowAfter      = 3   // renewals in a row; the first one to a server also connects
	manyMembers    = 250 // for each 250 members the next division comes later by hurryAfter, as a division takes longer
)

// A transport is one headway.Transport of this process: a member of each of its partitions.
type transport struct {
	*share.Member
	fleet      *Fleet
	id         string
	partitions map[string]*partition
	trip       time.Duration // of the last renewal that was answered; 0: none was
	slow       int           // how many of the last renewals took longer than the time between two
}

func newTransport(m *share.Member, f *Fleet) *transport {
	return &transport{Member: m, fleet: f, id: newID(), partitions: make(map[string]*partition)}
}

// A partition is what this process knows of a partition between renewals.
type partition struct {
	names     identity.NameKey
	clock     clock
	demands   map[string]*demand // by the limit's ID
	agreement agreement          // the last one that was accepted
	agreed    time.Time          // when that was; zero: never
	until     time.Time          // when its parts expire
	seen      time.Time          // when it was last active
}

// renew sends the store the Transport's use, and the Transport its parts. A hurried renewal is only for
// partitions with waiting requests. renew ends when closing does.
// isUsed is false if the Transport is gone, and err is the store's.
func (m *transport) renew(closing context.Context, s store.Store, hurried bool) (isUsed bool, err error) {
	now := time.Now()
	all, ok := m.Reports()
	if !ok {
		return false, nil
	}
	if len(all) > mostPartitions {
		// Sorted, so that all processes share the same ones, each time.
		slices.SortFunc(all, func(a, b share.Report) int { return cmp.Compare(a.Name, b.Name) })
		all = all[:mostPartitions]
	}
	if hurried {
		all = slices.DeleteFunc(all, func(u share.Report) bool { return !slices.ContainsFunc(u.Limits, waits) })
	}
	fresh := m.fresh(all)
	for _, batch := range [][]share.Report{all, fresh} {
		if len(batch) == 0 {
			continue
		}
		if err = m.exchange(closing, s, batch, now); errors.Is(closing.Err(), context.Canceled) {
			return true, nil // an error of the closing Fleet is not one of the store
		}
		m.Reached(m.explain(s, err))
		if err != nil {
			break
		}
	}
	if err == nil && len(all) > 0 && !hurried {
		m.Beside(m.faults(closing, s, now))
	}
	return true, err
}

// explain adds to an error of the store what an operator can do about it.
func (m *transport) explain(s store.Store, err error) error {
	if err == nil {
		return nil
	}
	if err = s.Explain(err); m.trip > 0 && errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no answer in %v, the last one took %v: %w", renewFor, m.trip.Round(time.Millisecond), err)
	}
	return err
}

// faults returns what is wrong although the store answers; nil if nothing is.
func (m *transport) faults(ctx context.Context, s store.Store, now time.Time) error {
	ctx, cancel := context.WithTimeout(ctx, renewFor)
	defer cancel()
	switch {
	case m.fleet.census.Others(ctx, s, now):
		return ErrOtherKey
	case m.slow >= slowAfter:
		return fmt.Errorf("the store is slow: a round trip took %v, so parts come late", m.trip.Round(time.Millisecond))
	}
	return nil
}

func waits(l limits.Use) bool { return l.Waiting > 0 }

// fresh returns the partitions for which no use could be reported yet, as the store's time was unknown. They
// are renewed again at once. Otherwise another member would divide their quotas without this one.
func (m *transport) fresh(all []share.Report) []share.Report {
	var fresh []share.Report
	for _, u := range all {
		if p := m.partitions[u.Name]; p == nil || !p.clock.known() {
			fresh = append(fresh, u)
		}
	}
	return fresh
}

// exchange renews the given partitions, whose use was read at a time.
func (m *transport) exchange(closing context.Context, s store.Store, all []share.Report, read time.Time) error {
	ctx, cancel := context.WithTimeout(closing, renewFor)
	defer cancel()
	batch := m.renewals(all, read)
	sent := time.Now()
	replies, err := s.Renew(ctx, m.id, batch)
	received := time.Now()
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return err
	}
	m.trip = received.Sub(sent)
	if m.slow++; m.trip <= renewEvery {
		m.slow = 0
	}
	own := m.agree(ctx, s, replies, all)
	wants, now := false, time.Now()
	for i := range replies {
		r, name := &replies[i], all[i].Name
		if r.Err != nil {
			continue // for example, the key has a value of another type
		}
		p := m.partitions[name]
		p.clock.set(r.Now, sent, received)
		if p.accept(cmp.Or(own[name], r.Agreement), r.Now, received) {
			all[i].Apportion(p.parts(&all[i].Usage, now))
		}
		wants = wants || p.mayGrow(&all[i].Usage, now)
	}
	if wants {
		m.fleet.want()
	}
	return nil
}

// mayGrow reports whether requests wait and the next agreement may be a larger part than this one.
func (p *partition) mayGrow(u *limits.Usage, now time.Time) bool {
	return slices.ContainsFunc(u.Limits, func(l limits.Use) bool {
		told := p.told(p.id(&l), now)
		return waits(l) && (told == nil || !told.Full)
	})
}

// told returns the part of a limit that the Transport uses now; nil if it has none.
func (p *partition) told(id string, now time.Time) *part {
	if !now.Before(p.until) {
		return nil
	}
	return p.agreement.limit(id)
}

// renewals returns the reports on these partitions.
func (m *transport) renewals(all []share.Report, now time.Time) []store.Renewal {
	batch := make([]store.Renewal, len(all))
	for i := range all {
		p := m.partitions[all[i].Name]
		if p == nil {
			p = &partition{names: m.fleet.names, demands: make(map[string]*demand)}
			m.partitions[all[i].Name] = p
		}
		p.seen = now
		r, longest := p.record(&all[i].Usage, now)
		batch[i] = newRenewal(all[i].Name, &r, longest)
	}
	for name, p := range m.partitions {
		if now.Sub(p.seen) > idleFor {
			delete(m.partitions, name)
		}
	}
	return batch
}

// newRenewal returns the renewal of a partition. longest is its longest window.
func newRenewal(name string, r *record, longest time.Duration) store.Renewal {
	return store.Renewal{Name: name, Record: encode(*r), Keep: max(2*min(longest, maxExpiry/2), minExpiry)}
}

// record returns the report on a partition, and the longest window in it.
func (p *partition) record(all *limits.Usage, now time.Time) (r record, longest time.Duration) {
	r = record{Version: store.Version, Again: !p.agreed.IsZero(), Held: p.clock.after(now, all.Held)}
	if !p.clock.known() {
		return r, 0 // without the store's time, windows cannot be compared between members
	}
	for i := range all.Limits[:min(len(all.Limits), mostLimits)] {
		l := &all.Limits[i]
		id := p.id(l)
		d := p.demands[id]
		if d == nil {
			d = &demand{}
			p.demands[id] = d
		}
		u := d.usage(l, now, &p.clock)
		u.ID = id
		u.addPart(p.told(id, now))
		r.Limits = append(r.Limits, u)
		longest = max(longest, l.Window)
	}
	maps.DeleteFunc(p.demands, func(id string, _ *demand) bool { return r.limit(id) == nil }) // servers choose the names, so their number must be bounded
	return r, longest
}

// id returns the name of a limit in the store. It is a hash, as servers may put names of users into their policies.
func (p *partition) id(l *limits.Use) string {
	return string(p.names.Of("limit", l.ID.Policy, l.ID.PartitionKey, string(l.ID.Unit), strconv.FormatInt(l.ID.Quota, 10)))
}

// addPart adds the part that the member uses now; nil: none.
func (u *usage) addPart(told *part) {
	if told == nil {
		return
	}
	u.Units, u.Next, u.Share = told.Units, told.Next, told.Share
	if u.Ends > 0 && max(u.Ends-told.Ends, told.Ends-u.Ends) >= u.Window/2 { // the part is of another window
		u.Units = told.Next
	}
}

// agree divides the quotas of the partitions whose turn it is. It returns this member's agreements. An
// agreement that the store has not accepted is left out, as others could be given the same units.
func (m *transport) agree(ctx context.Context, s store.Store, replies []store.Renewed, all []share.Report) (own map[string]string) {
	var outcomes []store.Outcome
	for i := range replies {
		r := &replies[i]
		if r.Err != nil || r.All == nil {
			continue
		}
		t := parseContents(r.All, r.Now)
		l, agreements, gone := agree(t)
		o := store.Outcome{Name: all[i].Name, Claim: r.All.Claim, Next: nextTurn(len(t.members)), Ledger: encode(l), Agreements: make(map[string]string, len(agreements)), Gone: gone}
		for id, a := range agreements {
			o.Agreements[id] = encode(a)
		}
		outcomes = append(outcomes, o)
	}
	if len(outcomes) == 0 {
		return nil
	}
	own = make(map[string]string, len(outcomes))
	for i, err := range s.Agree(ctx, outcomes) {
		if err == nil { // otherwise the next member with the turn divides
			own[outcomes[i].Name] = outcomes[i].Agreements[m.id]
		}
	}
	return own
}

// nextTurn returns the time until the next division, by the number of members.
func nextTurn(members int) time.Duration {
	return min(hurryAfter*time.Duration(1+members/manyMembers), renewEvery)
}

// parseContents parses a store's contents, and leaves out what is invalid.
func parseContents(c *store.Contents, now int64) *table {
	t := &table{now: now, born: c.Born, written: c.Written, members: make(map[string]member, len(c.Records))}
	t.ledger, _ = parseLedger(c.Ledger)
	for _, id := range slices.Sorted(maps.Keys(c.Records)) { // sorted, so that the members beyond the bound are the same ones each time
		r := c.Records[id]
		parsed, err := parseRecord(r.Record)
		if err != nil || len(t.members) >= store.MostMembers {
			continue
		}
		last, _ := parseAgreement(c.Agreements[id])
		t.members[id] = member{at: r.At, record: parsed, last: last}
	}
	return t
}

// accept takes over an agreement, and reports whether the Transport has parts now. If the store has lost the agreement, or has
// something invalid, the last one stays in use for usableFor. In that time the members report to the store again. An agreement
// older than a lease is not used, as its units may belong to others by now. storeNow is the time in the store.
func (p *partition) accept(data string, storeNow int64, now time.Time) bool {
	a, err := parseAgreement(data)
	switch {
	case err == nil && storeNow-a.Made <= leaseFor.Milliseconds():
		p.agreement, p.agreed = a, now
	case now.After(p.until), now.Sub(p.agreed) > usableFor: // others may have been given these units
		return false
	}
	p.until = now.Add(leaseFor)
	return true
}

// parts returns the Transport's parts of the limits that it uses.
func (p *partition) parts(u *limits.Usage, now time.Time) *limits.Parts {
	a := &p.agreement
	all := &limits.Parts{Members: a.Members, Lasts: p.until.Sub(now), Held: p.clock.until(a.Held, now)}
	for i := range u.Limits {
		if l := p.told(p.id(&u.Limits[i]), now); l != nil {
			all.Limits = append(all.Limits, limits.Part{
				ID: u.Limits[i].ID, Share: l.Share, Units: l.Units, Next: l.Next, Window: time.Duration(l.Window) * time.Millisecond, Ends: p.clock.until(l.Ends, now),
				Full: l.Full, Refills: l.Refills, Held: p.clock.until(l.Held, now),
				Remaining: l.Remaining, Age: -p.clock.until(l.Reported, now),
			})
		}
	}
	return all
}

// leave reports to the store that this member has left.
func (m *transport) leave(ctx context.Context, s store.Store) error {
	now := time.Now()
	all, _ := m.Reports()
	all = slices.DeleteFunc(all, func(u share.Report) bool { return m.partitions[u.Name] == nil })
	if len(all) == 0 {
		return nil
	}
	batch := make([]store.Renewal, len(all))
	for i := range all {
		r, longest := m.partitions[all[i].Name].record(&all[i].Usage, now)
		r.Left = true
		batch[i] = newRenewal(all[i].Name, &r, longest)
	}
	_, err := s.Renew(ctx, m.id, batch)
	return err
}
