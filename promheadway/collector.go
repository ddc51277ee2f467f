package promheadway

import (
	"context"
	"errors"
	"maps"
	"math"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headway-go/headway"
)

// The values that a zero field of Collector stands for.
const (
	DefaultMaxPartitions = 100
	DefaultMaxPolicies   = 8
)

// A Collector is a [prometheus.Collector] of what one or more Transports do: see the
// package's comment for the metrics. The zero value is ready to use. It is registered as
// any other, once, and unregistered to end:
//
//	metrics := &promheadway.Collector{}
//	err := registry.Register(metrics)
//
// It is safe for concurrent use; its fields must not be changed, nor may it be copied,
// after first use.
type Collector struct {
	// Name makes the label partition of a partition's name. Partitions with the same label
	// are summed; those with "" are left out. What is not printable UTF-8 in an answer is
	// replaced, and what is longer than 300 bytes is cut. It is called for each event and, when
	// metrics are collected, for each partition, from any goroutine, and should
	// be fast. nil means DefaultName.
	Name func(partition string) string

	// MaxPartitions is how many values the label partition has for Transports of one name,
	// because it may be the program's input that chooses them. The first ones that are
	// seen have series of their own, as long as the Collector lives, and all others are summed
	// under "(other)". 0 means DefaultMaxPartitions, 100; negative means no bound.
	MaxPartitions int

	// MaxPolicies is how many policies, and how many pairs of policy and unit, have series of
	// their own in each partition, because servers choose them. The others go under
	// "(other)". 0 means DefaultMaxPolicies, 8; negative means no bound.
	MaxPolicies int

	// Exemplar makes the exemplar of a time held from the context of its request, such as
	// {"trace_id": "…"}; none if it is nil or its answer is. It is called on the goroutine
	// of the request. As with [prometheus.ExemplarObserver], labels that are invalid or have
	// more than 128 characters in all make it panic.
	Exemplar func(context.Context) prometheus.Labels

	once    sync.Once
	metrics *metrics

	mu      sync.Mutex
	groups  map[string]*group
	sources map[*headway.Transport]*source
}

// Instrument has the Collector tell of t from now on. All other fields of t must have been
// set, and t must not have been used: Instrument sets t.Trace to hooks that call those
// which were there before, first, and then count.
//
// name is the label transport of its metrics; it may be "". Transports with the same name are
// summed. The Collector keeps t alive until it is given to Remove.
//
// It returns an error, and changes nothing, if t is nil or was given to this Collector before.
func (c *Collector) Instrument(t *headway.Transport, name string) error {
	if t == nil {
		return errors.New("promheadway: no Transport to instrument")
	}
	c.once.Do(c.start)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sources[t] != nil {
		return errors.New("promheadway: the Transport is instrumented already")
	}
	name = clean(name)
	g := c.groups[name]
	if g == nil {
		g = &group{Collector: c, transport: name, byName: make(map[string]*series)}
		c.groups[name] = g
	}
	from := &source{group: g}
	c.sources[t] = from
	t.Trace = from.trace(t.Trace)
	return nil
}

// Remove has the Collector tell of t no more, so that t can be garbage: its gauges
// disappear, and what it counted stays. It does nothing if t was not given to Instrument.
func (c *Collector) Remove(t *headway.Transport) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if from := c.sources[t]; from != nil {
		from.removed.Store(true)
		delete(c.sources, t)
	}
}

func (c *Collector) start() {
	c.metrics = newMetrics()
	c.groups = make(map[string]*group)
	c.sources = make(map[*headway.Transport]*source)
}

// Describe implements [prometheus.Collector].
func (c *Collector) Describe(descs chan<- *prometheus.Desc) {
	c.once.Do(c.start)
	c.metrics.describe(descs)
}

// Collect implements [prometheus.Collector]. It calls State of each Transport.
func (c *Collector) Collect(to chan<- prometheus.Metric) {
	c.once.Do(c.start)
	for s, sum := range c.sums() { // first, as it may find partitions that no event has told of
		c.metrics.gauges.collect(to, s, sum)
	}
	c.metrics.collect(to)
}

// instrumented are the Transports to tell of.
func (c *Collector) instrumented() map[*headway.Transport]*source {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.sources)
}

func (c *Collector) name(partition string) string {
	if c.Name == nil {
		return clean(DefaultName(partition))
	}
	return clean(c.Name(partition))
}

func (c *Collector) maxPartitions() int { return bound(c.MaxPartitions, DefaultMaxPartitions) }

func (c *Collector) maxPolicies() int { return bound(c.MaxPolicies, DefaultMaxPolicies) }

// bound is what the value of a field says, where 0 stands for usual.
func bound(value, usual int) int {
	switch {
	case value < 0:
		return math.MaxInt
	case value == 0:
		return usual
	default:
		return value
	}
}
