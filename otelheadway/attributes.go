package otelheadway

import (
	"net/url"
	"strconv"

	"go.opentelemetry.io/otel/attribute"
	semconv "go.opentelemetry.io/otel/semconv/v1.43.0"

	"github.com/headway-go/headway/internal/series"
)

// The attributes that are headway's own. The others are of the semantic conventions.
const (
	transportKey = attribute.Key("headway.transport")
	partitionKey = attribute.Key("headway.partition")
	policyKey    = attribute.Key("headway.policy")
	unitKey      = attribute.Key("headway.unit")
	outcomeKey   = attribute.Key("headway.outcome")
	causeKey     = attribute.Key("headway.cause")
	reasonKey    = attribute.Key("headway.reason")
	overflowKey  = attribute.Key("otel.metric.overflow")
)

// ofPartition are the attributes of a partition, with those of its server if its name
// begins with an origin.
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
	if told, err := strconv.Atoi(origin.Port()); err == nil {
		port = told
	}
	return append(attrs, semconv.ServerAddress(origin.Hostname()), semconv.ServerPort(port))
}

// ofPolicy are the attributes of a policy with that name, which may have none.
func ofPolicy(name string) []attribute.KeyValue {
	switch name {
	case "":
		return nil
	case series.Other:
		return overflow(policyKey)
	}
	return []attribute.KeyValue{policyKey.String(name)}
}

// overflow are the attributes of all partitions, or policies of one, beyond those that have
// names of their own. Besides the one of the convention there is a name, because an SDK that
// finds it alone takes it for its own: then it gives no more attributes to anything new.
func overflow(key attribute.Key) []attribute.KeyValue {
	return []attribute.KeyValue{key.String(series.Other), overflowKey.Bool(true)}
}
