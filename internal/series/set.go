// Package series finds for all that Transports do the series that an exporter of metrics counts
// it in: by the names of Transports, partitions and policies, in bounded numbers, because servers
// and input choose these. What a series consists of is the exporter's affair.
package series

import (
	"errors"
	"maps"
	"sync"

	"github.com/headway-go/headway"
)

// A Set is the series of some Transports. Its fields are set before it is used. It is safe
// for concurrent use.
type Set[R Recorder] struct {
	// Name names the series of a partition; "" leaves it out. nil means DefaultName.
	Name func(partition string) string

	// MaxPartitions is how many names have series of their own, of Transports of one name;
	// negative: no bound.
	MaxPartitions int

	// MaxPolicies is how many policies, and how many limits, have names of their own in
	// each series; negative: no bound.
	MaxPolicies int

	// New begins a series: that of the partitions of one name or, if this is Other, of the rest.
	New func(transport, partition string) R

	mu      sync.Mutex
	groups  map[string]*group[R]
	sources map[*headway.Transport]*source[R]
}

// Instrument has what t does recorded from now on, after its own hooks are called. It
// returns an error, and changes nothing, if t is nil or there already.
func (s *Set[R]) Instrument(t *headway.Transport, name string) error {
	if t == nil {
		return errors.New("no Transport to instrument")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.sources[t] != nil {
		return errors.New("the Transport is instrumented already")
	}
	from := &source[R]{group: s.group(clean(name))}
	if s.sources == nil {
		s.sources = make(map[*headway.Transport]*source[R])
	}
	s.sources[t] = from
	t.Trace = headway.JoinTraces(t.Trace, from.trace())
	return nil
}

// group returns the group of that name. The caller holds s.mu.
func (s *Set[R]) group(name string) *group[R] {
	g := s.groups[name]
	if g == nil {
		g = &group[R]{set: s, transport: name, room: s.MaxPartitions, byName: make(map[string]*series[R])}
		if s.groups == nil {
			s.groups = make(map[string]*group[R])
		}
		s.groups[name] = g
	}
	return g
}

// Remove has nothing more recorded of t, and lets go of it.
func (s *Set[R]) Remove(t *headway.Transport) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if from := s.sources[t]; from != nil {
		from.removed.Store(true)
		delete(s.sources, t)
	}
}

// Clear removes all Transports.
func (s *Set[R]) Clear() {
	for t := range s.instrumented() {
		s.Remove(t)
	}
}

// instrumented are the Transports that are recorded.
func (s *Set[R]) instrumented() map[*headway.Transport]*source[R] {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.sources)
}

// name is that of the series of a partition.
func (s *Set[R]) name(partition string) string {
	if s.Name == nil {
		return clean(DefaultName(partition))
	}
	return clean(s.Name(partition))
}
