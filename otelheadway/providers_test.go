package otelheadway_test

import (
	"errors"

	api "go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
)

var errFailing = errors.New("not today")

// A failing provider cannot make counters, register callbacks, or end a registration.
type failing struct {
	noop.MeterProvider

	counters, callbacks, unregister error
}

type failingMeter struct {
	noop.Meter

	failing
}

type failingRegistration struct {
	noop.Registration

	err error
}

func (f failing) Meter(string, ...api.MeterOption) api.Meter { return failingMeter{failing: f} }

func (f failingMeter) Int64Counter(string, ...api.Int64CounterOption) (api.Int64Counter, error) {
	return noop.Int64Counter{}, f.counters
}

func (f failingMeter) RegisterCallback(api.Callback, ...api.Observable) (api.Registration, error) {
	return failingRegistration{err: f.unregister}, f.callbacks
}

func (f failingRegistration) Unregister() error { return f.err }
