package fleet

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"time"

	"github.com/headway-go/headway/internal/share"
	"github.com/headway-go/headway/limits"
)

const (
	mostPartitions = 1024             // of one Transport that are shared; the rest goes by what the server tells
	idleFor        = 5 * time.Minute  // after which what is known of a partition is forgotten
	staysFor       = 10 * time.Second // how long what was told stays while nothing is told anew
	leastKept      = time.Minute
	mostKept       = time.Hour
	manyMembers    = 250 // from then on agreeing takes so long that it is done more seldom
)

// A transport is one headway.Transport of this process: a member of each of its partitions.
type transport struct {
	share.Member
	id         string
	want       func() // has it renewed soon
	partitions map[string]*partition
}

func newTransport(m share.Member, want func()) *transport {
	return &transport{Member: m, id: newID(), want: want, partitions: make(map[string]*partition)}
}

// A partition is what this process knows of one between renewals.
type partition struct {
	clock   clock
	demands map[string]*demand // by the limit
	parts   *share.PartitionPart
	agreed  time.Time // when these were agreed on; zero: never
	seen    time.Time // when it was last in use
}

// renew tells the store what the Transport uses, and the Transport what it is told; hurried,
// only of partitions in which requests wait. It ends when closing does. It returns false if the
// Transport is no more.
func (m *transport) renew(closing context.Context, s store, hurried bool) bool {
	all, ok := m.Usage()
	if !ok {
		return false
	}
	if len(all) > mostPartitions {
		// The same ones each time, and in all processes.
		slices.SortFunc(all, func(a, b share.PartitionUsage) int { return cmp.Compare(a.Name, b.Name) })
		all = all[:mostPartitions]
	}
	if hurried {
		all = slices.DeleteFunc(all, func(u share.PartitionUsage) bool { return u.Waiting == 0 })
	}
	fresh := m.fresh(all)
	ctx, cancel := context.WithTimeout(closing, renewEvery)
	defer cancel()
	for _, batch := range [][]share.PartitionUsage{all, fresh} {
		if len(batch) == 0 {
			continue
		}
		err := m.exchange(ctx, s, batch)
		if closing.Err() != nil {
			break // that says nothing of the store
		}
		m.Reached(err)
		if err != nil {
			break
		}
	}
	return true
}

// fresh are the partitions of which nothing could be told yet, as the time of the store was not
// known: they are renewed at once again, or another member would divide their quotas
// without this one.
func (m *transport) fresh(all []share.PartitionUsage) []share.PartitionUsage {
	var fresh []share.PartitionUsage
	for _, u := range all {
		if p := m.partitions[u.Name]; p == nil || !p.clock.known() {
			fresh = append(fresh, u)
		}
	}
	return fresh
}

// exchange renews some partitions.
func (m *transport) exchange(ctx context.Context, s store, all []share.PartitionUsage) error {
	sent := time.Now()
	replies, err := s.renew(ctx, m.id, m.renewals(all, sent))
	received := time.Now()
	if err = cmp.Or(err, ctx.Err()); err != nil {
		return err
	}
	own := m.agree(ctx, s, replies, all)
	var parts []share.PartitionPart
	wants := false
	for i := range replies {
		r, name := &replies[i], all[i].Name
		if r.err != nil {
			continue // as of a store that has something else there
		}
		p := m.partitions[name]
		p.clock.set(r.now, sent, received)
		part := p.told(name, cmp.Or(own[name], r.told), r.now, received)
		if part != nil {
			parts = append(parts, *part)
		}
		wants = wants || canHaveMore(&all[i], part)
	}
	m.Apportion(parts)
	if wants {
		m.want()
	}
	return nil
}

// canHaveMore reports whether requests wait and the member may soon be told more than that part.
func canHaveMore(u *share.PartitionUsage, part *share.PartitionPart) bool {
	return slices.ContainsFunc(u.Limits, func(l share.LimitUsage) bool {
		return l.Waiting > 0 && (part == nil || !slices.ContainsFunc(part.Limits, func(p share.LimitPart) bool { return p.ID == l.ID && p.Full }))
	})
}

// renewals are what is told of partitions.
func (m *transport) renewals(all []share.PartitionUsage, now time.Time) []renewal {
	batch := make([]renewal, len(all))
	for i := range all {
		p := m.partitions[all[i].Name]
		if p == nil {
			p = &partition{demands: make(map[string]*demand)}
			m.partitions[all[i].Name] = p
		}
		p.seen = now
		r, longest := p.record(&all[i], now)
		batch[i] = newRenewal(all[i].Name, &r, longest)
	}
	for name, p := range m.partitions {
		if now.Sub(p.seen) > idleFor {
			delete(m.partitions, name)
		}
	}
	return batch
}

// newRenewal is the renewal of a partition whose longest window is known.
func newRenewal(name string, r *record, longest time.Duration) renewal {
	return renewal{name, encode(*r), max(2*min(longest, mostKept/2), leastKept)}
}

// record is what is told of a partition, and the longest window in it.
func (p *partition) record(all *share.PartitionUsage, now time.Time) (r record, longest time.Duration) {
	r = record{Version: version, Again: !p.agreed.IsZero(), Held: p.clock.there(all.HeldUntil), Late: int64(max(all.Late, 0))}
	if !p.clock.known() {
		return r, 0 // its windows could not be told from others'
	}
	for i := range all.Limits[:min(len(all.Limits), mostLimits)] {
		l := &all.Limits[i]
		d := p.demands[l.ID]
		if d == nil {
			d = &demand{}
			p.demands[l.ID] = d
		}
		r.Limits = append(r.Limits, d.usage(l, now, &p.clock))
		longest = max(longest, l.Window)
	}
	maps.DeleteFunc(p.demands, func(id string, _ *demand) bool { return r.limit(id) == nil }) // servers choose the names
	return r, longest
}

// agree divides the quotas of the partitions whose turn it is, and returns what this member is told
// of them: only what the store has, or others could be given the same.
func (m *transport) agree(ctx context.Context, s store, replies []renewed, all []share.PartitionUsage) (own map[string]string) {
	var outcomes []outcome
	for i := range replies {
		r := &replies[i]
		if r.err != nil || r.all == nil {
			continue
		}
		t := r.all.table(r.now)
		l, told, gone := agree(t)
		o := outcome{name: all[i].Name, claim: r.all.claim, next: nextTurn(len(t.members)), ledger: encode(l), told: make(map[string]string, len(told)), gone: gone}
		for id, a := range told {
			o.told[id] = encode(a)
		}
		outcomes = append(outcomes, o)
	}
	if len(outcomes) == 0 {
		return nil
	}
	own = make(map[string]string, len(outcomes))
	for i, err := range s.agree(ctx, outcomes) {
		if err == nil { // else the next one who has the turn does it instead
			own[outcomes[i].name] = outcomes[i].told[m.id]
		}
	}
	return own
}

// nextTurn is when so many members agree anew.
func nextTurn(members int) time.Duration {
	return min(hurryAfter*time.Duration(1+members/manyMembers), renewEvery)
}

// table is what a store has, without what is not ours.
func (c *contents) table(now int64) *table {
	t := &table{now: now, born: c.born, written: c.written, members: make(map[string]member, len(c.records))}
	t.ledger, _ = parseLedger(c.ledger)
	for _, id := range slices.Sorted(maps.Keys(c.records)) { // so that too many are the same ones each time
		r := c.records[id]
		told, err := parseRecord(r.record)
		if err != nil || len(t.members) >= mostMembers {
			continue
		}
		last, _ := parseAgreement(c.told[id])
		t.members[id] = member{at: r.at, record: told, told: last}
	}
	return t
}

// told is what a Transport is told of a partition; nil if nothing is known. If the store knows
// nothing, because it has lost it, or what it has is not ours, what was told last stays for a while:
// members that come in their turn tell something better. What was agreed on before a lease expired
// may be others' as well. there is the time of the store.
func (p *partition) told(name, data string, there int64, now time.Time) *share.PartitionPart {
	a, err := parseAgreement(data)
	switch {
	case err == nil && there-a.Made <= leaseFor.Milliseconds():
		p.parts, p.agreed = p.part(name, &a), now
	case p.parts == nil, now.After(p.parts.Until), now.Sub(p.agreed) > staysFor: // it may be others' by now
		p.parts = nil
		return nil
	}
	p.parts.Until = now.Add(leaseFor)
	return p.parts
}

func (p *partition) part(name string, a *agreement) *share.PartitionPart {
	all := &share.PartitionPart{
		Name: name, Members: a.Members, HeldUntil: p.clock.here(a.Held), Late: time.Duration(a.Late),
		Limits: make([]share.LimitPart, 0, len(a.Limits)),
	}
	for i := range a.Limits {
		l := &a.Limits[i]
		all.Limits = append(all.Limits, share.LimitPart{
			ID: l.ID, Ends: p.clock.here(l.Ends), Told: p.clock.here(l.Told), HeldUntil: p.clock.here(l.Held),
			Allotted: limits.Allotted{
				Share: l.Share, Units: l.Units, Next: l.Next, Full: l.Full, Refills: l.Refills, Remaining: l.Remaining,
			},
		})
	}
	return all
}

// leave tells the store that this member is no more.
func (m *transport) leave(ctx context.Context, s store) error {
	all, _ := m.Usage()
	all = slices.DeleteFunc(all, func(u share.PartitionUsage) bool { return m.partitions[u.Name] == nil })
	if len(all) == 0 {
		return nil
	}
	now := time.Now()
	batch := make([]renewal, len(all))
	for i := range all {
		r, longest := m.partitions[all[i].Name].record(&all[i], now)
		r.Left = true
		batch[i] = newRenewal(all[i].Name, &r, longest)
	}
	_, err := s.renew(ctx, m.id, batch)
	return err
}
