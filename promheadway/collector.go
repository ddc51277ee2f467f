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

// The defaults of a Collector's fields.
const (
	DefaultMaxPartitions = 100
	DefaultMaxPolicies   = 8
)

// A Collector is a [prometheus.Collector] for one or more Transports. The package's comment lists the
// metrics. The zero value is ready to use. Register it once, and unregister it to end:
//
//	metrics := &promheadway.Collector{}
//	err := registry.Register(metrics)
//
// A Collector is safe for concurrent use. It must not be copied, and its fields must not be changed, after
// first use.
type Collector struct {
	// Name returns the label partition for a partition's name. Partitions with the same label are summed. A
	// result of "" leaves the partition out. In the result, invalid UTF-8 and unprintable characters are
	// replaced, and everything after 300 bytes is cut. Name is called from any goroutine, for each event and
	// for each partition at each collection, so it should be fast. nil means DefaultName.
	Name func(partition string) string

	// MaxPartitions bounds the values of the label partition, for each name of a Transport. The bound
	// protects against input that chooses partitions. The first ones to appear keep their series as long as
	// the Collector lives. All others are summed under "(other)". 0 means DefaultMaxPartitions, 100. Negative
	// means no bound.
	MaxPartitions int

	// MaxPolicies bounds, in each partition, the policies with series of their own, and likewise the pairs of
	// policy and unit. The bound protects against servers that make up names. All others are summed under
	// "(other)". 0 means DefaultMaxPolicies, 8. Negative means no bound.
	MaxPolicies int

	// Exemplar returns the exemplar of a wait from the context of its request, such as {"trace_id": "…"}.
	// There is none if Exemplar is nil or returns nil. It is called on the goroutine of the request. As for
	// [prometheus.ExemplarObserver], labels that are invalid or have more than 128 characters in all cause a
	// panic.
	Exemplar func(context.Context) prometheus.Labels

	once    sync.Once
	metrics *metrics
	series  *series.Set[*recorder]
}

// Instrument begins to export the metrics of t. Call it after all other fields of t are set, and before the
// first use of t. Instrument sets t.Trace to hooks that first call the previous hooks and then count the
// event.
//
// name becomes the label transport of all metrics of t; it may be "". Transports with the same name are
// summed. The Collector keeps t alive until Remove.
//
// Instrument returns an error, and changes nothing, if t is nil or was given to this Collector before.
func (c *Collector) Instrument(t *headway.Transport, name string) error {
	c.once.Do(c.start)
	if err := c.series.Instrument(t, name); err != nil {
		return fmt.Errorf("promheadway: %w", err)
	}
	return nil
}

// Remove ends the export of t, so that t can be garbage-collected. The gauges of t disappear, and its counts
// stay. Remove does nothing if t was not given to Instrument.
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
	for r, sum := range c.series.Sums() { // first, as it may find partitions that had no event yet
		c.metrics.gauges.collect(to, r, sum)
	}
	c.metrics.collect(to)
}

// DefaultName is the default of [Collector.Name]. It returns the Transport's name of a partition without the
// hash of the credentials that [headway.DefaultPartition] adds. It removes the hash even if the program's
// Partition function has added to DefaultPartition's result.
//
//	https://api.example.com#c0ffee5a17ed0a75  →  https://api.example.com
//
// The hash differs between processes, so with it each run would make new time series.
func DefaultName(partition string) string { return series.DefaultName(partition) }
