// Package otelhttp is a recipe for using headway with OpenTelemetry's traces and metrics
// (go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp). The order of the two in the chain of
// transports decides what a span covers. It is best to have both above and below headway:
//
//	paced := &headway.Transport{Base: otelhttp.Attempts(nil)}
//	client := &http.Client{Transport: otelhttp.Calls(paced, otelsdk.WithMeterProvider(noop.NewMeterProvider()))}
//
// Then each call has a span, with a child span for each request that was sent for it. The time outside the
// child spans is waiting. Without the noop provider, each request would be counted twice in the metrics.
package otelhttp

import (
	"net/http"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
)

// Calls returns a RoundTripper on top of transport, with one span for each call. transport is a
// *headway.Transport, or a layer on top of one. The span covers what headway does for the call: the wait in
// the queue, holds, resends. A refusal by headway itself is an error in the span. All requests that are sent
// for a call have the same trace headers, so the server's spans for a refusal and for the resend are
// siblings.
//
// Calls alone shows how long users wait.
func Calls(transport http.RoundTripper, options ...otelhttp.Option) http.RoundTripper {
	return otelhttp.NewTransport(transport, options...)
}

// Attempts returns a RoundTripper for headway.Transport.Base, with one span for each request that is sent,
// including refused ones and resends. The spans do not include waits, and calls that headway refuses have no
// span. Each request has trace headers of its own. base sends the requests; nil is http.DefaultTransport.
//
// Attempts alone shows how the server responds. It follows OpenTelemetry's convention of a span for each
// attempt.
func Attempts(base http.RoundTripper, options ...otelhttp.Option) http.RoundTripper {
	return otelhttp.NewTransport(base, options...)
}
