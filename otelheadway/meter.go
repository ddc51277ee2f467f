package otelheadway

import (
	"errors"
	"maps"
	"math"
	"sync"

	"go.opentelemetry.io/otel"
	"go.opentelemetry.io/otel/metric"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/headway-go/headway"
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
	instruments  *instruments // nil before the first Transport
	registration metric.Registration
	groups       map[string]*group
	sources      map[*headway.Transport]*source
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
	if t == nil {
		return errors.New("otelheadway: no Transport to instrument")
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	switch {
	case m.closed:
		return errors.New("otelheadway: the Meter is closed")
	case m.sources[t] != nil:
		return errors.New("otelheadway: the Transport is instrumented already")
	}
	if m.instruments == nil {
		if err := m.start(); err != nil {
			return err
		}
	}
	name = clean(name)
	g := m.groups[name]
	if g == nil {
		g = &group{Meter: m, instruments: m.instruments, transport: name, byName: make(map[string]*series)}
		m.groups[name] = g
	}
	from := &source{group: g}
	m.sources[t] = from
	t.Trace = from.trace(t.Trace)
	return nil
}

// Remove has the Meter tell of t no more, so that t can be garbage: its gauges disappear,
// and what it counted stays. It does nothing if t was not given to Instrument.
func (m *Meter) Remove(t *headway.Transport) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.remove(t)
}

func (m *Meter) remove(t *headway.Transport) {
	if from := m.sources[t]; from != nil {
		from.removed.Store(true)
		delete(m.sources, t)
	}
}

// Close removes all Transports and lets go of the Provider. More calls do nothing. The error
// is the Provider's.
func (m *Meter) Close() error {
	m.mu.Lock()
	for t := range m.sources {
		m.remove(t)
	}
	registration := m.registration
	m.closed, m.registration = true, nil
	m.mu.Unlock() // as a collection may be going on, which Unregister waits for
	if registration == nil {
		return nil
	}
	return registration.Unregister()
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
	registration, err := meter.RegisterCallback(m.collect, all.gauges.all()...)
	if err != nil {
		return err
	}
	m.instruments, m.registration = all, registration
	m.groups = make(map[string]*group)
	m.sources = make(map[*headway.Transport]*source)
	return nil
}

// instrumented are the Transports to tell of.
func (m *Meter) instrumented() map[*headway.Transport]*source {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.sources)
}

func (m *Meter) name(partition string) string {
	if m.Name == nil {
		return clean(DefaultName(partition))
	}
	return clean(m.Name(partition))
}

func (m *Meter) maxPartitions() int { return bound(m.MaxPartitions, DefaultMaxPartitions) }

func (m *Meter) maxPolicies() int { return bound(m.MaxPolicies, DefaultMaxPolicies) }

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
