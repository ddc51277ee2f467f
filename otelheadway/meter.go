package otelheadway

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"sync"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/series"
)

// ScopeName is the name of the instrumentation scope of all metrics.
const ScopeName = "github.com/headway-go/headway/otelheadway"

// The defaults of a Meter's fields.
const (
	DefaultMaxPartitions = 100
	DefaultMaxPolicies   = 8
)

// A Meter exports metrics of one or more Transports to OpenTelemetry. The package's comment lists the
// metrics. The zero value is ready to use. Close a Meter that is not needed any more while its Provider is.
//
// A Meter is safe for concurrent use. It must not be copied, and its fields must not be changed, after first
// use.
type Meter struct {
	// Provider receives the metrics. nil means that of [otel.GetMeterProvider].
	Provider metric.MeterProvider

	// Name returns the attribute headway.partition for a partition's name. Partitions with the same attribute
	// are summed. A result of "" leaves the partition out. In the result, invalid UTF-8 and unprintable
	// characters are replaced, and everything after 300 bytes is cut. Name is called from any goroutine, for
	// each event and for each partition at each collection, so it should be fast. nil means DefaultName.
	Name func(partition string) string

	// MaxPartitions bounds the partitions with attributes of their own, for each name of a Transport. The
	// bound protects against input that chooses partitions. The first ones to appear keep their attributes as
	// long as the Meter lives. All others are summed with otel.metric.overflow=true. 0 means
	// DefaultMaxPartitions, 100. Negative means no bound but the SDK's.
	MaxPartitions int

	// MaxPolicies bounds, in each partition, the policies with attributes of their own, and likewise the
	// pairs of policy and unit. The bound protects against servers that make up names. All others are summed
	// with otel.metric.overflow=true. 0 means DefaultMaxPolicies, 8. Negative means no bound but the SDK's.
	MaxPolicies int

	mu           sync.Mutex
	closed       bool
	series       *series.Set[*recorder] // nil before the first Transport
	registration metric.Registration
}

// Instrument begins to export the metrics of t. Call it after all other fields of t are set, and before the
// first use of t. Instrument sets t.Trace to hooks that first call the previous hooks and then record the
// event, with the context of the request.
//
// name becomes the attribute headway.transport of all metrics of t; "" leaves it out. Transports with the
// same name are summed. The Meter keeps t alive until Remove or Close.
//
// Instrument returns an error, and changes nothing, if t is nil or was given to this Meter before, if the
// Meter is closed, or if the Provider cannot make the instruments.
func (m *Meter) Instrument(t *headway.Transport, name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed {
		return errors.New("otelheadway: the Meter is closed")
	}
	if m.series == nil {
		if err := m.start(); err != nil {
			return err
		}
	}
	if err := m.series.Instrument(t, name); err != nil {
		return fmt.Errorf("otelheadway: %w", err)
	}
	return nil
}

// Remove ends the export of t, so that t can be garbage-collected. The gauges of t disappear, and its counts
// stay. Remove does nothing if t was not given to Instrument.
func (m *Meter) Remove(t *headway.Transport) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.series != nil {
		m.series.Remove(t)
	}
}

// Close removes all Transports and unregisters from the Provider. It returns the Provider's error. Further
// calls do nothing.
func (m *Meter) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed || m.series == nil {
		m.closed = true
		return nil
	}
	m.closed = true
	m.series.Clear()
	return m.registration.Unregister() // may wait for a running collection, which does not need m.mu
}

// start makes the instruments and registers the callback for the gauges.
func (m *Meter) start() error {
	provider := m.Provider
	if provider == nil {
		provider = otel.GetMeterProvider()
	}
	meter := provider.Meter(ScopeName, metric.WithSchemaURL(semconv.SchemaURL))
	all, err := newInstruments(meter)
	if err != nil {
		return err
	}
	set := &series.Set[*recorder]{
		Name:          m.Name,
		MaxPartitions: cmp.Or(m.MaxPartitions, DefaultMaxPartitions),
		MaxPolicies:   cmp.Or(m.MaxPolicies, DefaultMaxPolicies),
		New:           all.newRecorder,
	}
	m.registration, err = meter.RegisterCallback(func(_ context.Context, to metric.Observer) error {
		for r, sum := range set.Sums() {
			all.gauges.observe(to, r, sum)
		}
		return nil
	}, all.gauges.all()...)
	if err != nil {
		return err
	}
	m.series = set
	return nil
}

// DefaultName is the default of [Meter.Name]. It returns the Transport's name of a partition without the hash
// of the credentials that [headway.DefaultPartition] adds. It removes the hash even if the program's
// Partition function has added to DefaultPartition's result.
//
//	https://api.example.com#c0ffee5a17ed0a75  →  https://api.example.com
//
// The hash differs between processes, so with it each run would make new time series.
func DefaultName(partition string) string { return series.DefaultName(partition) }
