package series

import (
	"strings"
	"sync"
)

// A group is the Transports of one name, which have their series in common.
type group[R Recorder] struct {
	set       *Set[R]
	transport string

	mu     sync.RWMutex
	room   int                   // for series with names of their own; negative: no bound
	byName map[string]*series[R] // among them that of the rest, as Other
}

// find returns the series of a partition, nil if it is left out.
func (g *group[R]) find(partition string) *series[R] {
	name := g.set.name(partition)
	if name == "" {
		return nil
	}
	g.mu.RLock()
	s := g.byName[g.key(name)]
	g.mu.RUnlock()
	if s == nil {
		s = g.add(name)
	}
	return s
}

// key is what the series of that name is found by: Other if it has none of its own, and no
// room for one.
func (g *group[R]) key(name string) string {
	if g.byName[name] == nil && g.room == 0 {
		return Other
	}
	return name
}

func (g *group[R]) add(name string) *series[R] {
	g.mu.Lock()
	defer g.mu.Unlock()
	key := g.key(name)
	s := g.byName[key]
	if s == nil {
		key = strings.Clone(key)
		most := g.set.MaxPolicies
		s = &series[R]{recorder: g.set.New(g.transport, key), policies: words{room: most}, limits: words{room: most}}
		g.byName[key] = s
		if key != Other {
			g.room--
		}
	}
	return s
}

// A series is what is recorded of the partitions of one name.
type series[R Recorder] struct {
	recorder R

	mu       sync.Mutex
	policies words
	limits   words
}

// policy names a policy. One without a name is no other's.
func (s *series[R]) policy(name string) string {
	name = clean(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	if name == "" || name != Other && s.policies.admit(name) {
		return name
	}
	return Other
}

// A Limit names a limit. Both of its names are Other in that of the rest.
type Limit struct{ Policy, Unit string }

// limit names a limit.
func (s *series[R]) limit(policy, unit string) Limit {
	policy, unit = clean(policy), clean(unit)
	s.mu.Lock()
	defer s.mu.Unlock()
	if policy != Other && s.limits.admit(policy+"\n"+unit) { // a clean name has no such character
		return Limit{policy, unit}
	}
	return Limit{Other, Other}
}

// Words are those that were seen first.
type words struct {
	room int // for more; negative: no bound
	seen map[string]struct{}
}

// admit reports whether the word is one of them, or becomes so.
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
	w.seen[strings.Clone(word)] = struct{}{} // else the whole field stays
	w.room--
	return true
}
