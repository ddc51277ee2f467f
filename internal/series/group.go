package series

import (
	"strings"
	"sync"
)

// A group is the Transports of one name, which share their series.
type group[R Recorder] struct {
	set       *Set[R]
	transport string

	mu     sync.RWMutex
	room   int                   // for more names; negative: no bound
	series map[string]*series[R] // including Other
}

// find returns the series of a partition; nil if the partition is left out.
func (g *group[R]) find(partition string) *series[R] {
	name := g.set.name(partition)
	if name == "" {
		return nil
	}
	g.mu.RLock()
	s := g.series[g.key(name)]
	g.mu.RUnlock()
	if s == nil {
		s = g.add(name)
	}
	return s
}

// key returns name if it has a series or there is room for one; else Other.
func (g *group[R]) key(name string) string {
	if g.series[name] == nil && g.room == 0 {
		return Other
	}
	return name
}

func (g *group[R]) add(name string) *series[R] {
	g.mu.Lock()
	defer g.mu.Unlock()
	key := g.key(name)
	s := g.series[key]
	if s == nil {
		key = strings.Clone(key)
		most := g.set.MaxPolicies
		s = &series[R]{recorder: g.set.New(g.transport, key), policies: words{room: most}, limits: words{room: most}}
		g.series[key] = s
		if key != Other {
			g.room--
		}
	}
	return s
}

// A series records the partitions of one name.
type series[R Recorder] struct {
	recorder R

	mu       sync.Mutex
	policies words
	limits   words
}

// policy returns the label of a policy. A policy without a name keeps the empty label.
func (s *series[R]) policy(name string) string {
	name = clean(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	if name == "" || name != Other && s.policies.admit(name) {
		return name
	}
	return Other
}

// A Limit labels a limit. Both labels are Other for limits beyond the bound.
type Limit struct{ Policy, Unit string }

// limit returns the label of a limit.
func (s *series[R]) limit(policy, unit string) Limit {
	policy, unit = clean(policy), clean(unit)
	s.mu.Lock()
	defer s.mu.Unlock()
	if policy != Other && s.limits.admit(policy+"\n"+unit) { // clean names have no line break
		return Limit{policy, unit}
	}
	return Limit{Other, Other}
}

// words is a set of words that is closed once it is full.
type words struct {
	room int // for more words; negative: no bound
	seen map[string]struct{}
}

// admit reports whether the word is in the set. It adds the word if there is room.
func (w *words) admit(word string) bool {
	if _, ok := w.seen[word]; ok {
		return true
	}
	if w.room == 0 {
		return false
	}
	if w.seen == nil {
		w.seen = make(map[string]struct{})
	}
	w.seen[strings.Clone(word)] = struct{}{} // a copy, as the word may be part of a long field
	w.room--
	return true
}
