package validate

import (
	"strconv"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// A policies is the list of policies of one field.
type policies struct {
	source *source        // whose -Limit field it is
	all    []parse.Policy // at most MaxLimits
	used   uint64         // bit i: all[i] is part of a limit
}

// crop cuts p off at MaxLimits.
func (r *reader) crop(p *policies) {
	if len(p.all) > MaxLimits {
		r.problem(p.source.names().Limit, Crowded)
		p.all = p.all[:MaxLimits]
	}
}

// use marks policy i as part of a limit.
func (p *policies) use(i int) { p.used |= 1 << i }

func (p *policies) isUsed(i int) bool { return p.used&(1<<i) != 0 }

// joinNamed completes l from the policy of p with its name and partition key.
// If there is none, a policy of that name will do where only one of the two
// tells a key: a policy without one is that of every partition, and
// express-rate-limit leaves it out of RateLimit.
func (r *reader) joinNamed(l *limits.Told, p *policies) {
	m := p.named(l.Policy, l.PartitionKey, false)
	if m.n == 0 {
		m = p.named(l.Policy, l.PartitionKey, true)
	}
	r.complete(l, p, &m)
}

// joinQuota completes l from the unused policy of p with its quota, or from the
// only one if l tells no quota, and reports whether there was any.
func (r *reader) joinQuota(l *limits.Told, p *policies) bool {
	var m match
	for i := range p.all {
		isOnly := l.Quota == Unknown && len(p.all) == 1
		if !p.isUsed(i) && (p.all[i].Quota == l.Quota || isOnly) {
			p.use(i)
			m.add(&p.all[i])
		}
	}
	r.complete(l, p, &m)
	return m.n > 0
}

// alone adds the policies of p that no numbers belong to.
func (r *reader) alone(p *policies) {
	told := r.told
	r.told = 0 // what earlier families told has other numbers, or p would be used
	for i := range p.all {
		if p.isUsed(i) {
			continue
		}
		var m match
		if name := p.all[i].Name; name != "" {
			m = p.named(name, p.all[i].PartitionKey, false)
		} else {
			p.use(i)
			m.add(&p.all[i])
		}
		l := r.next()
		*l = limits.Told{Policy: m.policy.Name, Quota: Unknown, Remaining: Unknown, Window: Unknown, Reset: Unknown}
		r.complete(l, p, &m)
		r.add(p.source, l)
	}
	r.told = told
}

// named finds the policies of a name and partition key, of which at most one is
// to be expected. loose lets a key that one side does not tell be any.
func (p *policies) named(name, key string, loose bool) (m match) {
	for i := range p.all {
		x := &p.all[i]
		isKey := x.PartitionKey == key || loose && (x.PartitionKey == "" || key == "")
		if x.Name == name && isKey {
			p.use(i)
			m.add(x)
		}
	}
	return m
}

// complete adds to l what the policies found for it agree in.
func (r *reader) complete(l *limits.Told, p *policies, m *match) {
	if m.n == 0 {
		return
	}
	if m.differ {
		r.problem(p.source.names().Limit, Ambiguous)
	}
	l.Unit = m.policy.Unit
	if l.Quota == Unknown {
		l.Quota = m.policy.Quota
	}
	if m.policy.Window != Unknown {
		l.Window = seconds(m.policy.Window)
	}
	if l.PartitionKey == "" {
		l.PartitionKey = m.policy.PartitionKey
	}
	if l.Policy == "" {
		l.Policy = p.nameOf(m)
	}
}

// nameOf returns the name of a policy. Where several have none, quota and
// window tell them apart.
func (p *policies) nameOf(m *match) string {
	x := &m.policy
	if x.Name != "" || m.differ || len(p.all) == 1 {
		return x.Name
	}
	name := strconv.FormatInt(x.Quota, 10)
	if x.Window != Unknown {
		name += ";w=" + strconv.FormatInt(x.Window, 10)
	}
	return name
}

// A match is the policies found for one limit: how many, and what they agree in.
type match struct {
	n      int
	policy parse.Policy // Unknown or "" in what they differ; zero if n is 0
	differ bool         // in quota, window or unit
}

func (m *match) add(p *parse.Policy) {
	m.n++
	if m.n == 1 {
		m.policy = *p
		return
	}
	if p.Name != m.policy.Name {
		m.policy.Name = ""
	}
	if p.PartitionKey != m.policy.PartitionKey {
		m.policy.PartitionKey = ""
	}
	if p.Quota != m.policy.Quota || p.Unit != m.policy.Unit {
		m.policy.Quota, m.differ = Unknown, true
	}
	if p.Window != m.policy.Window || p.Unit != m.policy.Unit {
		m.policy.Window, m.differ = Unknown, true
	}
}
