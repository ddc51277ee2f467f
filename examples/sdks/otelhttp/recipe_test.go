package otelhttp_test

import (
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/examples/sdks/internal/sdktest"
	"github.com/headway-go/headway/ratelimittest"
)

const apiURL = "https://api.example/items"

// The server refuses once. Only headway sends the request again, with its body, in any order of the layers.
// The order decides on the spans, and on the trace headers that the server sees.
func TestSingleRetryOwner(t *testing.T) {
	for _, row := range []struct {
		name            string
		layers          func(*telemetry, *headway.Transport, http.RoundTripper) http.RoundTripper
		calls, attempts int // spans
		measured        uint64
	}{
		{"calls", callsOnly, 1, 0, 1},
		{"attempts", attemptsOnly, 0, 2, 2},
		{"both", both, 1, 2, 2},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				refusal := sdktest.JSON(http.StatusTooManyRequests, `{"message":"slow down"}`, "Retry-After", "30")
				server := &sdktest.Journal{Next: sdktest.First(1, refusal, sdktest.JSON(http.StatusOK, "{}"))}
				seen, calls := newTelemetry(), new(sdktest.Counter)
				network := &ratelimittest.Transport{Handler: server, Latency: 50 * time.Millisecond}
				calls.Base = row.layers(seen, &headway.Transport{}, network)
				sdktest.RequireResent(t, calls, server, func() error { return post(t.Context(), &http.Client{Transport: calls}, apiURL) })
				require.Equal(t, "an item", server.Bodies[0])
				parents := []string{server.Headers[0].Get("Traceparent"), server.Headers[1].Get("Traceparent")}

				users, attempts := seen.named("call POST"), seen.named("attempt POST")
				require.Len(t, users, row.calls)
				require.Len(t, attempts, row.attempts)
				require.Equal(t, row.measured, seen.measured(t))
				checkCall(t, users, parents, len(attempts) > 0)
				checkAttempts(t, attempts, parents)
				if len(users) > 0 {
					for _, attempt := range attempts {
						require.Equal(t, users[0].SpanContext.SpanID(), attempt.Parent.SpanID())
					}
				}
			})
		})
	}
}

// checkCall checks that the span of a call includes the wait. Without spans of attempts, all requests must
// name this span as their parent.
func checkCall(t *testing.T, spans tracetest.SpanStubs, sent []string, attempts bool) {
	t.Helper()
	for _, span := range spans {
		require.GreaterOrEqual(t, span.EndTime.Sub(span.StartTime), 30*time.Second)
		require.Equal(t, codes.Unset, span.Status.Code)
		if !attempts {
			require.Equal(t, []string{traceparent(span), traceparent(span)}, sent)
		}
	}
}

// checkAttempts checks that the spans of attempts do not include the wait, and that the first one, which was
// refused, failed.
func checkAttempts(t *testing.T, spans tracetest.SpanStubs, sent []string) {
	t.Helper()
	for i, span := range spans {
		require.Equal(t, 50*time.Millisecond, span.EndTime.Sub(span.StartTime))
		require.Equal(t, i == 0, span.Status.Code == codes.Error)
		require.Equal(t, traceparent(span), sent[i])
	}
}
