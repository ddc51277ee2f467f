package otelheadway_test

import (
	"errors"

	api "go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
)

// A failing provider cannot make instruments.
type failing struct{ noop.MeterProvider }

type failingMeter struct{ noop.Meter }

var errFailing = errors.New("no instruments today")

func (failing) Meter(string, ...api.MeterOption) api.Meter { return failingMeter{} }

func (failingMeter) Int64Counter(string, ...api.Int64CounterOption) (api.Int64Counter, error) {
	return nil, errFailing
}

func (failingMeter) RegisterCallback(api.Callback, ...api.Observable) (api.Registration, error) {
	return nil, errFailing
}

// An uncallable provider makes instruments, but cannot register callbacks.
type uncallable struct{ noop.MeterProvider }

type uncallableMeter struct{ noop.Meter }

func (uncallable) Meter(string, ...api.MeterOption) api.Meter { return uncallableMeter{} }

func (uncallableMeter) RegisterCallback(api.Callback, ...api.Observable) (api.Registration, error) {
	return nil, errFailing
}

// A lasting provider's registrations cannot be undone.
type lasting struct{ noop.MeterProvider }

type lastingMeter struct{ noop.Meter }

type lastingRegistration struct{ noop.Registration }

func (lasting) Meter(string, ...api.MeterOption) api.Meter { return lastingMeter{} }

func (lastingMeter) RegisterCallback(api.Callback, ...api.Observable) (api.Registration, error) {
	return lastingRegistration{}, nil
}

func (lastingRegistration) Unregister() error { return errFailing }
