package promheadway

import (
	"strings"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// A group is the Transports of one name, which have their series in common.
type group struct {
	*Collector
	transport string

	mu     sync.RWMutex
	byName map[string]*series
	rest   *series // of all names for which there is no room; nil until needed
}

// A series is what is counted of the partitions of one label. What is rare and has more
// labels is looked up when needed.
type series struct {
	transport, partition string

	sent, resent, abandoned prometheus.Counter

	held prometheus.Observer // before the first sending

	mu       sync.Mutex
	policies words
	limits   words
}

// series returns that of a partition, nil if it is left out.
func (g *group) series(partition string) *series {
	name := g.name(partition)
	if name == "" {
		return nil
	}
	if s := g.find(name); s != nil {
		return s
	}
	return g.add(name)
}

func (g *group) find(name string) *series {
	g.mu.RLock()
	defer g.mu.RUnlock()
	if s := g.byName[name]; s != nil {
		return s
	}
	return g.rest
}

func (g *group) add(name string) *series {
	g.mu.Lock()
	defer g.mu.Unlock()
	s := g.byName[name]
	switch {
	case s != nil:
	case len(g.byName) < g.maxPartitions():
		s = g.newSeries(strings.Clone(name))
		g.byName[s.partition] = s
	case g.rest == nil:
		if g.rest = g.byName[other]; g.rest == nil { // else a partition is called so
			g.rest = g.newSeries(other)
		}
		s = g.rest
	default:
		s = g.rest
	}
	return s
}

func (g *group) newSeries(partition string) *series {
	m := g.metrics
	m.throttled.WithLabelValues(g.transport, partition, "429") // 0 from the start, or a rate does not see the first one
	return &series{
		transport: g.transport, partition: partition,
		sent:      m.sent.WithLabelValues(g.transport, partition),
		resent:    m.resent.WithLabelValues(g.transport, partition),
		abandoned: m.abandoned.WithLabelValues(g.transport, partition),

		held:     m.held.WithLabelValues(g.transport, partition, outcomeSent),
		policies: words{most: g.maxPolicies()},
		limits:   words{most: g.maxPolicies()},
	}
}

// policy is the label of a policy. One without a name is no other's.
func (s *series) policy(name string) string {
	name = clean(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	if name != "" && !s.policies.admit(name) {
		return other
	}
	return name
}

// limit is the labels of a limit.
func (s *series) limit(policy, unit string) limitLabels {
	policy, unit = clean(policy), clean(unit)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.limits.admit(policy + "\n" + unit) { // a clean name has no such character
		return limitLabels{other, other}
	}
	return limitLabels{policy, unit}
}

// Words are those that were seen first.
type words struct {
	most int
	seen map[string]struct{}
}

// admit reports whether the word is one of them, or becomes so.
func (w *words) admit(word string) bool {
	if _, ok := w.seen[word]; ok {
		return true
	}
	if len(w.seen) >= w.most {
		return false
	}
	if w.seen == nil {
		w.seen = make(map[string]struct{})
	}
	w.seen[strings.Clone(word)] = struct{}{}
	return true
}
