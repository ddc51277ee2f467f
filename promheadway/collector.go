package promheadway

import (
	"cmp"
	"context"
	"fmt"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/series"
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

	// Exemplar makes the exemplar of a wait from the context of its request, such as
	// {"trace_id": "…"}; none if it is nil or its answer is. It is called on the goroutine
	// of the request. As with [prometheus.ExemplarObserver], labels that are invalid or have
	// more than 128 characters in all make it panic.
	Exemplar func(context.Context) prometheus.Labels

	once    sync.Once
	metrics *metrics
	series  *series.Set[*recorder]
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
	c.once.Do(c.start)
	if err := c.series.Instrument(t, name); err != nil {
		return fmt.Errorf("promheadway: %w", err)
	}
	return nil
}

// Remove has the Collector tell of t no more, so that t can be garbage: its gauges
// disappear, and what it counted stays. It does nothing if t was not given to Instrument.
func (c *Collector) Remove(t *headway.Transport) {
	c.once.Do(c.start)
	c.series.Remove(t)
}

func (c *Collector) start() {
	c.metrics = newMetrics()
	c.series = &series.Set[*recorder]{
		Name:          c.Name,
		MaxPartitions: cmp.Or(c.MaxPartitions, DefaultMaxPartitions),
		MaxPolicies:   cmp.Or(c.MaxPolicies, DefaultMaxPolicies),
		New:           c.newRecorder,
	}
}

// Describe implements [prometheus.Collector].
func (c *Collector) Describe(descs chan<- *prometheus.Desc) {
	c.once.Do(c.start)
	c.metrics.describe(descs)
}

// Collect implements [prometheus.Collector]. It calls State of each Transport.
func (c *Collector) Collect(to chan<- prometheus.Metric) {
	c.once.Do(c.start)
	for r, sum := range c.series.Sums() { // first, as it may find partitions that no event has told of
		c.metrics.gauges.collect(to, r, sum)
	}
	c.metrics.collect(to)
}

// DefaultName names a partition where [Collector.Name] is nil: as the Transport does, but
// without the hash of the credentials that [headway.DefaultPartition] has put behind the
// origin, also if a function of the program has added to its result.
//
//	https://api.example.com#c0ffee5a17ed0a75  →  https://api.example.com
//
// The hash has no meaning in another process, so each run would make time series anew.
func DefaultName(partition string) string { return series.DefaultName(partition) }
