package otelheadway_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"
	api "go.opentelemetry.io/otel/metric"
	"go.opentelemetry.io/otel/metric/noop"
	"go.opentelemetry.io/otel/sdk/metric"
	"go.opentelemetry.io/otel/trace"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/otelheadway"
	"github.com/headway-go/headway/ratelimittest"
)

func refusal(policy string) *headway.LimitError {
	return &headway.LimitError{Partition: testPartition, Policy: policy, Err: headway.ErrMaxWait}
}

// Hooks that were there go on being called, before the Meter counts.
func TestHooksOfTheUser(t *testing.T) {
	reader := metric.NewManualReader()
	m := &otelheadway.Meter{Provider: metric.NewMeterProvider(metric.WithReader(reader))}
	var told []string
	tell := func(what string) {
		told = append(told, fmt.Sprintf("%s at %v", what, collect(t, reader).value("headway.client.sent_requests")))
	}
	transport := &headway.Transport{
		Base: answering(http.StatusOK, "RateLimit", `"a";r=7;t=60`),
		Trace: &headway.Trace{
			Reading:   func(context.Context, headway.ReadingInfo) { tell("reading") },
			Waiting:   func(context.Context, headway.WaitingInfo) { tell("waiting") },
			Sent:      func(context.Context, headway.SentInfo) { tell("sent") },
			Resent:    func(context.Context, headway.SentInfo) { tell("resent") },
			Throttled: func(context.Context, headway.ThrottledInfo) { tell("throttled") },
			Refused:   func(context.Context, *headway.LimitError) { tell("refused") },
			Abandoned: func(context.Context, headway.SentInfo) { tell("abandoned") },
			Ignored:   func(context.Context, headway.IgnoredInfo) { tell("ignored") },
			Evicted:   func(headway.EvictedInfo) { tell("evicted") },
		},
	}
	user := transport.Trace
	require.NoError(t, m.Instrument(transport, ""))
	require.NotSame(t, user, transport.Trace, "it may be shared with other Transports")
	require.NoError(t, get(t.Context(), transport, testURL))
	require.Equal(t, []string{"sent at -1", "reading at 1"}, told)

	told = nil
	hooks, ctx := transport.Trace, t.Context()
	hooks.Waiting(ctx, headway.WaitingInfo{Partition: testPartition, Cause: headway.CauseHold})
	hooks.Resent(ctx, headway.SentInfo{Partition: testPartition})
	hooks.Throttled(ctx, headway.ThrottledInfo{Partition: testPartition, Status: 429})
	hooks.Refused(ctx, refusal(""))
	hooks.Abandoned(ctx, headway.SentInfo{Partition: testPartition})
	hooks.Evicted(headway.EvictedInfo{Partition: testPartition, Full: true})
	require.Equal(t, []string{"waiting at 1", "resent at 1", "throttled at 1", "refused at 1", "abandoned at 1", "evicted at 1"}, told)
	all := collect(t, reader)
	for _, name := range []string{"waits", "resent_requests", "throttled_requests", "refused_requests", "abandoned_requests", "evicted_partitions"} {
		require.InDelta(t, 1, all.value("headway.client."+name), 0, name)
	}
	require.InDelta(t, 1, all.value("headway.client.evicted_partitions", attribute.String("headway.reason", "full")), 0)
}

// A failing provider makes no instruments.
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

// uncallable makes instruments, but has no callbacks.
type uncallable struct{ noop.MeterProvider }

type uncallableMeter struct{ noop.Meter }

func (uncallable) Meter(string, ...api.MeterOption) api.Meter { return uncallableMeter{} }

func (uncallableMeter) RegisterCallback(api.Callback, ...api.Observable) (api.Registration, error) {
	return nil, errFailing
}

// lasting makes registrations that cannot be undone.
type lasting struct{ noop.MeterProvider }

type lastingMeter struct{ noop.Meter }

type lastingRegistration struct{ noop.Registration }

func (lasting) Meter(string, ...api.MeterOption) api.Meter { return lastingMeter{} }

func (lastingMeter) RegisterCallback(api.Callback, ...api.Observable) (api.Registration, error) {
	return lastingRegistration{}, nil
}

func (lastingRegistration) Unregister() error { return errFailing }

func TestInstrumentErrors(t *testing.T) {
	for _, provider := range []api.MeterProvider{failing{}, uncallable{}} {
		m := &otelheadway.Meter{Provider: provider}
		transport := &headway.Transport{}
		require.ErrorIs(t, m.Instrument(transport, ""), errFailing)
		require.Nil(t, transport.Trace)
		require.NoError(t, m.Close())
	}

	m := &otelheadway.Meter{Provider: noop.NewMeterProvider()}
	require.Error(t, m.Instrument(nil, ""))
	transport := &headway.Transport{}
	require.NoError(t, m.Instrument(transport, "a"))
	hooks := transport.Trace
	require.Error(t, m.Instrument(transport, "b"))
	require.Same(t, hooks, transport.Trace)
	require.NoError(t, new(otelheadway.Meter).Instrument(transport, ""), "another one, of the global provider, may count as well")
}

func TestClose(t *testing.T) {
	m := &otelheadway.Meter{}
	transport, reader := measured(t, m, answering(http.StatusOK))
	require.NoError(t, get(t.Context(), transport, testURL))
	require.InDelta(t, 1, collect(t, reader).value("headway.client.partitions"), 0)
	require.NoError(t, m.Close())
	require.NoError(t, m.Close())
	require.Error(t, m.Instrument(&headway.Transport{}, ""))
	require.NoError(t, get(t.Context(), transport, testURL))
	all := collect(t, reader)
	require.InDelta(t, -1, all.value("headway.client.partitions"), 0)
	require.InDelta(t, 1, all.value("headway.client.sent_requests"), 0, "what was counted stays")
}

func TestCloseError(t *testing.T) {
	m := &otelheadway.Meter{Provider: lasting{}}
	require.NoError(t, m.Instrument(&headway.Transport{}, ""))
	require.ErrorIs(t, m.Close(), errFailing)
	require.NoError(t, m.Close(), "it is the first that tells")
}

// Transports without a name are summed, those with one told apart.
func TestSeveralTransports(t *testing.T) {
	reader := metric.NewManualReader()
	m := &otelheadway.Meter{Provider: metric.NewMeterProvider(metric.WithReader(reader))}
	for i, name := range []string{"", "", "search", "search", "mail\n"} {
		transport := &headway.Transport{Base: answering(http.StatusOK)}
		require.NoError(t, m.Instrument(transport, name))
		for range i + 1 {
			require.NoError(t, get(t.Context(), transport, testURL))
		}
	}
	all := collect(t, reader)
	require.InDelta(t, 7, all.value("headway.client.sent_requests", attribute.String("headway.transport", "search")), 0)
	require.InDelta(t, 2, all.value("headway.client.partitions", attribute.String("headway.transport", "search")), 0)
	require.InDelta(t, 5, all.value("headway.client.sent_requests", attribute.String("headway.transport", "mail\ufffd")), 0)
	require.InDelta(t, 15, all.value("headway.client.sent_requests"), 0)
	for _, p := range all.points["headway.client.sent_requests"] {
		if p.value == 3 {
			require.False(t, p.attrs.HasValue("headway.transport"))
		}
	}
	require.Len(t, all.points["headway.client.sent_requests"], 3)
}

// Of users with quotas of their own it is the poorest whose numbers are told.
func TestSumOfCredentials(t *testing.T) {
	server := &ratelimittest.Transport{Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("RateLimit-Policy", `"day";q=`+req.Header.Get("Quota")+`;w=86400`)
		w.Header().Set("RateLimit", `"day";r=`+req.Header.Get("Remaining")+`;t=86400`)
	})}
	transport, reader := measured(t, &otelheadway.Meter{}, server)
	for user, told := range [][2]string{{"60", "50"}, {"5000", "100"}, {"60", "30"}} {
		require.NoError(t, get(t.Context(), transport, testURL,
			"Authorization", fmt.Sprintf("Bearer %d", user), "Quota", told[0], "Remaining", told[1]))
	}
	all := collect(t, reader)
	require.InDelta(t, 3, all.value("headway.client.partitions"), 0)
	require.InDelta(t, 5000, all.value("headway.client.limit.quota"), 0)
	require.InDelta(t, 100, all.value("headway.client.limit.remaining"), 0)
	slowest := 1.0
	for _, p := range transport.State() {
		slowest = min(slowest, p.Pace)
	}
	require.InDelta(t, slowest, all.value("headway.client.pace"), slowest/100)
}

// What is removed can be garbage, and is told of no more; what it counted stays.
func TestRemove(t *testing.T) {
	reader := metric.NewManualReader()
	m := &otelheadway.Meter{Provider: metric.NewMeterProvider(metric.WithReader(reader))}
	m.Remove(&headway.Transport{})
	used := func() weak.Pointer[headway.Transport] {
		transport := &headway.Transport{Base: answering(http.StatusOK)}
		require.NoError(t, m.Instrument(transport, ""))
		require.NoError(t, get(t.Context(), transport, testURL))
		return weak.Make(transport)
	}()
	runtime.GC()
	require.NotNil(t, used.Value())
	require.InDelta(t, 1, collect(t, reader).value("headway.client.partitions"), 0)

	m.Remove(used.Value())
	require.NoError(t, get(t.Context(), used.Value(), testURL))
	all := collect(t, reader)
	require.InDelta(t, -1, all.value("headway.client.partitions"), 0)
	require.InDelta(t, 1, all.value("headway.client.sent_requests"), 0)
	for range 10 {
		runtime.GC()
	}
	require.Nil(t, used.Value())
}

// What is recorded leads to the span of the request.
func TestExemplars(t *testing.T) {
	transport, reader := measured(t, &otelheadway.Meter{}, answering(http.StatusOK))
	require.NoError(t, get(t.Context(), transport, testURL))
	id := trace.TraceID{1, 2, 3}
	span := trace.NewSpanContext(trace.SpanContextConfig{TraceID: id, SpanID: trace.SpanID{4}, TraceFlags: trace.FlagsSampled})
	require.NoError(t, get(trace.ContextWithSpanContext(t.Context(), span), transport, testURL))
	held := collect(t, reader).points["headway.client.request.held_time"]
	require.Len(t, held, 1)
	require.InDelta(t, 2, held[0].value, 0)
	require.Len(t, held[0].exemplars, 1)
	require.Equal(t, id[:], held[0].exemplars[0].TraceID)
}

// A hold of one limit, which leaves the rest of its partition alone, is told as well.
func TestHoldOfALimit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := &ratelimittest.Transport{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("RateLimit-Policy", `"daily";q=100;w=86400, "tokens";q=100;w=3600;qu="tokens"`)
			w.Header().Set("RateLimit", `"daily";r=99;t=80000, "tokens";r=99;t=3000`)
			w.Header().Set("Retry-After", "100")
			w.Header().Set("Content-Type", "application/problem+json")
			w.WriteHeader(http.StatusTooManyRequests)
			_, _ = io.WriteString(w, `{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","violated-policies":["tokens"]}`)
		})}
		transport, reader := measured(t, &otelheadway.Meter{}, server)
		transport.MaxRetries = -1
		require.NoError(t, get(t.Context(), transport, testURL))
		state := transport.State()[0]
		require.Zero(t, state.HeldUntil)
		held := time.Duration(0)
		for _, limit := range state.Limits {
			held = max(held, time.Until(limit.HeldUntil))
		}
		require.GreaterOrEqual(t, held, 100*time.Second)
		require.InDelta(t, held.Seconds(), collect(t, reader).value("headway.client.hold_time"), 1e-6)
	})
}

// Everything at once, for the race detector.
func TestConcurrency(t *testing.T) {
	m := &otelheadway.Meter{MaxPartitions: 5}
	transport, reader := measured(t, m, answering(http.StatusOK))
	var all sync.WaitGroup
	const workers, each = 8, 50
	for worker := range workers {
		all.Go(func() {
			for i := range each {
				_ = get(t.Context(), transport, fmt.Sprintf("https://host%d.example.com/", (worker+i)%10))
			}
		})
		all.Go(func() {
			_ = collect(t, reader)
			other := &headway.Transport{Base: transport.Base}
			_ = m.Instrument(other, fmt.Sprint(worker%2))
			_ = get(t.Context(), other, testURL)
			m.Remove(other)
		})
	}
	all.Wait()
	require.InDelta(t, workers*each+workers, collect(t, reader).value("headway.client.sent_requests"), 0)

	for range workers { // a collection is no reason to wait for ever
		all.Go(func() { _ = collect(t, reader) })
		all.Go(func() { _ = m.Close() })
	}
	all.Wait()
}
