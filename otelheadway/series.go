package otelheadway

import (
	"slices"
	"strings"
	"sync"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/metric"
)

// A group is the Transports of one name, which have their series in common.
type group struct {
	*Meter

	instruments *instruments
	transport   string

	mu     sync.RWMutex
	byName map[string]*series
	rest   *series // of all names for which there is no room; nil until needed
}

// A series is the attributes of the partitions of one name.
type series struct {
	attrs []attribute.KeyValue

	// Of what is told of each request, made but once.
	all  metric.MeasurementOption
	sent []metric.AddOption
	held []metric.RecordOption // before the first sending

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
		name = strings.Clone(name)
		s = g.newSeries(ofPartition(name))
		g.byName[name] = s
	case g.rest == nil:
		g.rest = g.newSeries(overflow(partitionKey))
		s = g.rest
	default:
		s = g.rest
	}
	return s
}

func (g *group) newSeries(attrs []attribute.KeyValue) *series {
	if g.transport != "" {
		attrs = append(attrs, transportKey.String(g.transport))
	}
	s := &series{
		attrs:    attrs,
		policies: words{most: g.maxPolicies()},
		limits:   words{most: g.maxPolicies()},
	}
	s.all = s.with()
	s.sent = []metric.AddOption{s.all}
	s.held = []metric.RecordOption{s.with(outcomeKey.String(outcomeSent))}
	return s
}

// with is the attributes of the series and more. Of two with the same key the last one counts.
func (s *series) with(more ...attribute.KeyValue) metric.MeasurementOption {
	return metric.WithAttributeSet(attribute.NewSet(append(slices.Clone(s.attrs), more...)...))
}

// policy are the attributes of a policy. One without a name is no other's.
func (s *series) policy(name string) []attribute.KeyValue {
	name = clean(name)
	s.mu.Lock()
	defer s.mu.Unlock()
	if name != "" && !s.policies.admit(name) {
		return overflow(policyKey)
	}
	return ofPolicy(name)
}

// limit names a limit, if there is room for it.
func (s *series) limit(policy, unit string) limitName {
	policy, unit = clean(policy), clean(unit)
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.limits.admit(policy + "\n" + unit) { // a clean name has no such character
		return limitName{rest: true}
	}
	return limitName{policy: policy, unit: unit}
}

// A limitName is of one limit or, if it is the rest, of all for which there is no room.
type limitName struct {
	policy, unit string
	rest         bool
}

func (l limitName) attributes() []attribute.KeyValue {
	if l.rest {
		return append(overflow(policyKey), unitKey.String(other))
	}
	return append(ofPolicy(l.policy), unitKey.String(l.unit))
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
