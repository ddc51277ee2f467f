package validate

import (
	"strconv"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// policies is the list of policies of one field.
type policies struct {
	source *source     // for the field's name
	all    []parse.Row // at most MaxLimits
	used   uint64      // a set of bits; bit i: all[i] is joined with a limit
}

// truncate cuts p off at MaxLimits.
func (r *reader) truncate(p *policies) {
	if len(p.all) > MaxLimits {
		r.problem(p.source.names.Limit, Crowded)
		p.all = p.all[:MaxLimits]
	}
}

// use marks policy i as joined with a limit.
func (p *policies) use(i int) { p.used |= 1 << i }

func (p *policies) isUsed(i int) bool { return p.used&(1<<i) != 0 }

// joinNamed completes l from the policy with its name and partition key. If there is none, it uses a
// policy of that name if only one of the two has a key. A policy without a key is for every partition,
// and express-rate-limit sends no key in RateLimit.
func (r *reader) joinNamed(l *limits.Reported, p *policies) {
	m := p.find(l.Policy, l.PartitionKey, false)
	if m.n == 0 {
		m = p.find(l.Policy, l.PartitionKey, true)
	}
	r.complete(l, p, &m)
}

// joinQuota completes l from the unused policy with its quota, and reports whether there is one. If l has
// no quota, a single policy is used.
func (r *reader) joinQuota(l *limits.Reported, p *policies) bool {
	var m match
	for i := range p.all {
		isOnly := l.Quota == Unknown && len(p.all) == 1
		if !p.isUsed(i) && (p.all[i].Limit == l.Quota || isOnly) {
			p.use(i)
			m.add(&p.all[i])
		}
	}
	r.complete(l, p, &m)
	return m.n > 0
}

// addUnused adds the policies that were not joined with a limit.
func (r *reader) addUnused(p *policies) {
	earlier := r.earlier
	r.earlier = 0 // the limits of earlier families have other numbers, else p would be joined with them
	for i := range p.all {
		if p.isUsed(i) || p.all[i].Limit == 0 && len(p.all) > 1 { // 0 beside another quota is not metered
			continue
		}
		var m match
		if name := p.all[i].Name; name != "" {
			m = p.find(name, p.all[i].Key, false)
		} else {
			p.use(i)
			m.add(&p.all[i])
		}
		l := limits.Reported{Policy: m.policy.Name, Quota: Unknown, Remaining: Unknown, Window: Unknown, Reset: Unknown}
		r.complete(&l, p, &m)
		r.add(p.source, &l)
	}
	r.earlier = earlier
}

// find returns the policies with that name and partition key, normally one at most. With anyKey, an
// absent key on either side matches any key.
func (p *policies) find(name, key string, anyKey bool) (m match) {
	for i := range p.all {
		x := &p.all[i]
		isKey := x.Key == key || anyKey && (x.Key == "" || key == "")
		if x.Name == name && isKey {
			p.use(i)
			m.add(x)
		}
	}
	return m
}

// complete sets the unknown parts of l from the parts that all matching policies agree in.
func (r *reader) complete(l *limits.Reported, p *policies, m *match) {
	if m.n == 0 {
		return
	}
	if m.differ {
		r.problem(p.source.names.Limit, Ambiguous)
	}
	l.Unit = m.policy.Unit
	if l.Quota == Unknown {
		l.Quota = m.policy.Limit
	}
	if m.policy.Window != Unknown {
		l.Window = m.policy.Window
	}
	if l.PartitionKey == "" {
		l.PartitionKey = m.policy.Key
	}
	if l.Policy == "" {
		l.Policy = p.nameOf(m)
	}
}

// nameOf returns the name of a policy. If there are several policies without names, it is quota and window.
func (p *policies) nameOf(m *match) string {
	x := &m.policy
	if x.Name != "" || m.differ || len(p.all) == 1 {
		return x.Name
	}
	return ruleName(x)
}

// ruleName returns the quota and the window of a policy, as in 100;w=60.
func ruleName(x *parse.Row) string {
	name := strconv.FormatInt(x.Limit, 10)
	if x.Window != Unknown {
		name += ";w=" + strconv.FormatFloat(x.Window.Seconds(), 'f', -1, 64)
	}
	return name
}

// A match has the policies that were found for one limit: their number and the parts in which they agree.
type match struct {
	n      int
	policy parse.Row // Unknown or "" where they differ; zero if n is 0
	differ bool      // quota, window or unit differ
}

func (m *match) add(p *parse.Row) {
	m.n++
	if m.n == 1 {
		m.policy = *p
		return
	}
	if p.Name != m.policy.Name {
		m.policy.Name = ""
	}
	if p.Key != m.policy.Key {
		m.policy.Key = ""
	}
	if p.Limit != m.policy.Limit || p.Unit != m.policy.Unit {
		m.policy.Limit, m.differ = Unknown, true
	}
	if p.Window != m.policy.Window || p.Unit != m.policy.Unit {
		m.policy.Window, m.differ = Unknown, true
	}
}
