// Package otelhttp is a recipe: traces and metrics of OpenTelemetry
// (go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp) and headway. Which goes
// on top decides what a span is. Both together are best:
//
//	paced := &headway.Transport{Base: otelhttp.Attempts(nil)}
//	client := &http.Client{Transport: otelhttp.Calls(paced, otelsdk.WithMeterProvider(noop.NewMeterProvider()))}
//
// Then a call has a span, and each request that was sent for it a span below that; what the
// latter leave of the time of the former is waiting. Without the noop provider each request
// would be in the metrics of both.
package otelhttp

import (
	"net/http"

	"go.opentelemetry.io/contrib/instrumentation/net/http/otelhttp"
)

// Calls returns a RoundTripper on top of transport, which is a *headway.Transport or
// something on top of one, with one span for each call. What headway does for it is in the
// span: the wait for its turn, holds, resends. So is what headway refuses itself, as an
// error. All requests that are sent for it carry the same trace headers, so that a server's
// spans for a refusal and for what followed are siblings.
//
// By itself it is for who wants to know how long users wait.
func Calls(transport http.RoundTripper, options ...otelhttp.Option) http.RoundTripper {
	return otelhttp.NewTransport(transport, options...)
}

// Attempts returns a RoundTripper for headway.Transport.Base, with one span for each request
// that is sent, a refused one and its resends too. No waiting is in it, and nothing tells of
// calls that headway refuses. Each request has trace headers of its own. base sends them;
// nil is http.DefaultTransport.
//
// By itself it is for who wants to know how the server does, and it is what OpenTelemetry
// asks for: a span for each attempt.
func Attempts(base http.RoundTripper, options ...otelhttp.Option) http.RoundTripper {
	return otelhttp.NewTransport(base, options...)
}
