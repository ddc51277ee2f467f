package otelheadway

import (
	"net/url"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/headway-go/headway/internal/series"
)

// The attributes that only headway has. The others are those of the semantic conventions.
const (
	transportKey = attribute.Key("headway.transport")
	partitionKey = attribute.Key("headway.partition")
	policyKey    = attribute.Key("headway.policy")
	unitKey      = attribute.Key("headway.unit")
	outcomeKey   = attribute.Key("headway.outcome")
	causeKey     = attribute.Key("headway.cause")
	reasonKey    = attribute.Key("headway.reason")
	verdictKey   = attribute.Key("headway.verdict")
	overflowKey  = attribute.Key("otel.metric.overflow")
)

// ofPartition returns the attributes of a partition. If its name begins with an origin, they include those of
// the server.
func ofPartition(name string) []attribute.KeyValue {
	if name == series.Other {
		return overflow(partitionKey)
	}
	attrs := []attribute.KeyValue{partitionKey.String(name)}
	origin, err := url.Parse(name)
	if err != nil || origin.Hostname() == "" {
		return attrs
	}
	port := 0
	switch origin.Scheme {
	case "http":
		port = 80
	case "https":
		port = 443
	default:
		return attrs
	}
	if explicit, err := strconv.Atoi(origin.Port()); err == nil {
		port = explicit
	}
	return append(attrs, semconv.ServerAddress(origin.Hostname()), semconv.ServerPort(port))
}

// ofPolicy returns the attributes of a policy. A policy without a name has none.
func ofPolicy(name string) []attribute.KeyValue {
	switch name {
	case "":
		return nil
	case series.Other:
		return overflow(policyKey)
	}
	return []attribute.KeyValue{policyKey.String(name)}
}

// overflow returns the common attributes of all partitions, or policies, beyond the bound. They include a
// name: an SDK that sees the convention's attribute alone thinks that its own bound is exceeded, and gives
// new attribute sets to nothing any more.
func overflow(key attribute.Key) []attribute.KeyValue {
	return []attribute.KeyValue{key.String(series.Other), overflowKey.Bool(true)}
}
