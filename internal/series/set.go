// Package series assigns the events of Transports to the series of a metrics exporter, by the
// names of Transports, partitions and policies. The number of series is bounded, as servers and
// input choose these names. The exporter decides what a series records.
package series

import (
	"errors"
	"maps"
	"sync"

	"github.com/headway-go/headway"
)

// A Set holds the series of some Transports. Its fields are set before its first use. It is safe
// for concurrent use.
type Set[R Recorder] struct {
	// Name returns the series' name of a partition; "" leaves the partition out. nil means DefaultName.
	Name func(partition string) string

	// MaxPartitions bounds the partitions' names for each name of a Transport. Negative: no bound.
	MaxPartitions int

	// MaxPolicies bounds the policies, and the limits, in each series. Negative: no bound.
	MaxPolicies int

	// New makes the Recorder for the partitions of one name. The name Other stands for all names beyond the bound.
	New func(transport, partition string) R

	mu      sync.Mutex
	groups  map[string]*group[R]
	sources map[*headway.Transport]*source[R]
}

// Instrument begins to record the events of t. Its Trace hooks are called first. Instrument
// returns an error, and changes nothing, if t is nil or was added before.
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

// group returns the group of that name. The caller has locked s.mu.
func (s *Set[R]) group(name string) *group[R] {
	g := s.groups[name]
	if g == nil {
		g = &group[R]{set: s, transport: name, room: s.MaxPartitions, series: make(map[string]*series[R])}
		if s.groups == nil {
			s.groups = make(map[string]*group[R])
		}
		s.groups[name] = g
	}
	return g
}

// Remove stops recording t, and frees it for garbage collection.
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

// instrumented returns the Transports that are recorded.
func (s *Set[R]) instrumented() map[*headway.Transport]*source[R] {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.sources)
}

// name returns the series' name of a partition.
func (s *Set[R]) name(partition string) string {
	if s.Name == nil {
		return clean(DefaultName(partition))
	}
	return clean(s.Name(partition))
}
