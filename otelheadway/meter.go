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

// The values that a zero field of Meter stands for.
const (
	DefaultMaxPartitions = 100
	DefaultMaxPolicies   = 8
)

// A Meter tells OpenTelemetry what one or more Transports do: see the package's comment
// for the metrics. The zero value is ready to use. It is to be closed if its Provider is
// used for longer.
//
// It is safe for concurrent use; its fields must not be changed, nor may it be copied,
// after first use.
type Meter struct {
	// Provider has the metrics. nil means that of [otel.GetMeterProvider].
	Provider metric.MeterProvider

	// Name makes the attribute headway.partition of a partition's name. Partitions with the same
	// one are summed; those with "" are left out. What is not printable UTF-8 in an answer is
	// replaced, and what is longer than 300 bytes is cut. It is called for each event and, when
	// metrics are collected, for each partition, from any goroutine, and should
	// be fast. nil means DefaultName.
	Name func(partition string) string

	// MaxPartitions is how many partitions have attributes of their own for Transports of one
	// name, because it may be the program's input that chooses them. These are the first ones
	// that are seen, as long as the Meter lives, and all others are summed with
	// otel.metric.overflow=true instead. 0 means DefaultMaxPartitions, 100; negative means no
	// bound, but for that of the SDK.
	MaxPartitions int

	// MaxPolicies is how many policies, and how many pairs of policy and unit, have attributes
	// of their own in each partition, because servers choose them. The others are summed
	// with otel.metric.overflow=true instead. 0 means DefaultMaxPolicies, 8; negative means no
	// bound, but for that of the SDK.
	MaxPolicies int

	mu           sync.Mutex
	closed       bool
	series       *series.Set[*recorder] // nil before the first Transport
	registration metric.Registration
}

// Instrument has the Meter tell of t from now on. All other fields of t must have been
// set, and t must not have been used: Instrument sets t.Trace to hooks that call those
// which were there before, first, and then count, with the context of the request.
//
// name is the attribute headway.transport of its metrics; they have none if it is "".
// Transports with the same name are summed. The Meter keeps t alive until it is given to
// Remove, or the Meter is closed.
//
// It returns an error, and changes nothing, if t is nil or was given to this Meter before,
// if the Meter is closed, and if the Provider does not make the instruments.
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

// Remove has the Meter tell of t no more, so that t can be garbage: its gauges disappear,
// and what it counted stays. It does nothing if t was not given to Instrument.
func (m *Meter) Remove(t *headway.Transport) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.series != nil {
		m.series.Remove(t)
	}
}

// Close removes all Transports and lets go of the Provider. More calls do nothing. The error
// is the Provider's.
func (m *Meter) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.closed || m.series == nil {
		m.closed = true
		return nil
	}
	m.closed = true
	m.series.Clear()
	return m.registration.Unregister() // it may wait for a collection, which does not take m.mu
}

// start makes the instruments and has the Provider call for the gauges.
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

// DefaultName names a partition where [Meter.Name] is nil: as the Transport does, but
// without the hash of the credentials that [headway.DefaultPartition] has put behind the
// origin, also if a function of the program has added to its result.
//
//	https://api.example.com#c0ffee5a17ed0a75  →  https://api.example.com
//
// The hash has no meaning in another process, so each run would make time series anew.
func DefaultName(partition string) string { return series.DefaultName(partition) }
