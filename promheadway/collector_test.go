package promheadway_test

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"weak"

	"github.com/prometheus/client_golang/prometheus"
	dto "github.com/prometheus/client_model/go"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/promheadway"
	"github.com/headway-go/headway/ratelimittest"
)

func refusal(policy string) *headway.LimitError {
	return &headway.LimitError{Partition: testPartition, Policy: policy, Err: headway.ErrMaxWait}
}

// Hooks that were there go on being called, before the Collector counts.
func TestHooksOfTheUser(t *testing.T) {
	c := &promheadway.Collector{}
	registry := prometheus.NewRegistry()
	registry.MustRegister(c)
	var told []string
	tell := func(what string) {
		counted := gather(t, registry).value(t, "headway_requests_sent_total", "partition", testPartition)
		told = append(told, fmt.Sprintf("%s at %v", what, counted))
	}
	user := &headway.Trace{
		Reading:   func(context.Context, headway.ReadingInfo) { tell("reading") },
		Waiting:   func(context.Context, headway.WaitingInfo) { tell("waiting") },
		Sent:      func(context.Context, headway.SentInfo) { tell("sent") },
		Resent:    func(context.Context, headway.SentInfo) { tell("resent") },
		Throttled: func(context.Context, headway.ThrottledInfo) { tell("throttled") },
		Refused:   func(context.Context, *headway.LimitError) { tell("refused") },
		Abandoned: func(context.Context, headway.SentInfo) { tell("abandoned") },
		Ignored:   func(context.Context, headway.IgnoredInfo) { tell("ignored") },
		Evicted:   func(headway.EvictedInfo) { tell("evicted") },
	}
	before := *user
	transport := &headway.Transport{
		Base:  answering(http.StatusOK, "RateLimit", `"a";r=7;t=60`),
		Trace: user,
	}
	require.NoError(t, c.Instrument(transport, ""))
	require.NotSame(t, user, transport.Trace)
	require.NotNil(t, before.Reading)
	require.NoError(t, get(t.Context(), transport, testURL))
	require.Equal(t, []string{"sent at 0", "reading at 1"}, told)

	told = nil
	trace, ctx := transport.Trace, t.Context()
	trace.Waiting(ctx, headway.WaitingInfo{Partition: testPartition, Cause: headway.CauseHold})
	trace.Resent(ctx, headway.SentInfo{Partition: testPartition})
	trace.Throttled(ctx, headway.ThrottledInfo{Partition: testPartition, Status: 429})
	trace.Refused(ctx, refusal(""))
	trace.Abandoned(ctx, headway.SentInfo{Partition: testPartition})
	trace.Evicted(headway.EvictedInfo{Partition: testPartition, Full: true})
	require.Equal(t, []string{"waiting at 1", "resent at 1", "throttled at 1", "refused at 1", "abandoned at 1", "evicted at 1"}, told)
	f := gather(t, registry)
	for _, name := range []string{
		"headway_waits_total", "headway_requests_resent_total", "headway_requests_throttled_total",
		"headway_requests_refused_total", "headway_requests_abandoned_total", "headway_partitions_evicted_total",
	} {
		require.InDelta(t, 1, f.value(t, name), 0, name)
	}
	require.InDelta(t, 1, f.value(t, "headway_partitions_evicted_total", "reason", "full"), 0)
}

func TestInstrumentErrors(t *testing.T) {
	c := &promheadway.Collector{}
	require.Error(t, c.Instrument(nil, ""))
	transport := &headway.Transport{}
	require.NoError(t, c.Instrument(transport, "a"))
	trace := transport.Trace
	require.Error(t, c.Instrument(transport, "b"))
	require.Same(t, trace, transport.Trace)
	require.NoError(t, new(promheadway.Collector).Instrument(transport, ""), "another one may count as well")
}

// Transports without a name are summed, those with one told apart, and so are other Collectors.
func TestSeveralTransports(t *testing.T) {
	c := &promheadway.Collector{}
	registry := prometheus.NewPedanticRegistry()
	require.NoError(t, registry.Register(c))
	for i, name := range []string{"", "", "search", "search", "mail\n"} {
		transport := &headway.Transport{Base: answering(http.StatusOK)}
		require.NoError(t, c.Instrument(transport, name))
		for range i + 1 {
			require.NoError(t, get(t.Context(), transport, testURL))
		}
	}
	f := scrape(t, registry)
	for name, want := range map[string]float64{"": 3, "search": 7, "mail\ufffd": 5} {
		require.InDelta(t, want, f.value(t, "headway_requests_sent_total", "transport", name), 0, name)
	}
	require.InDelta(t, 2, f.value(t, "headway_partitions", "transport", "search"), 0)
	require.InDelta(t, 1, f.value(t, "headway_partitions", "transport", "mail\ufffd"), 0)
	require.Error(t, registry.Register(&promheadway.Collector{}), "of another one the metrics would be the same")
}

// Of users with quotas of their own it is the poorest whose numbers are told.
func TestSumOfCredentials(t *testing.T) {
	server := &ratelimittest.Transport{Handler: http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		w.Header().Set("RateLimit-Policy", `"day";q=`+req.Header.Get("Quota")+`;w=86400`)
		w.Header().Set("RateLimit", `"day";r=`+req.Header.Get("Remaining")+`;t=86400`)
	})}
	transport, registry := instrumented(t, &promheadway.Collector{}, server)
	for user, told := range [][2]string{{"60", "50"}, {"5000", "100"}, {"60", "30"}} {
		require.NoError(t, get(t.Context(), transport, testURL,
			"Authorization", fmt.Sprintf("Bearer %d", user), "Quota", told[0], "Remaining", told[1]))
	}
	f := gather(t, registry)
	require.InDelta(t, 3, f.value(t, "headway_partitions", "partition", testPartition), 0)
	require.InDelta(t, 5000, f.value(t, "headway_limit_quota", "policy", "day"), 0)
	require.InDelta(t, 100, f.value(t, "headway_limit_remaining", "policy", "day"), 0)
	slowest := 1.0
	for _, p := range transport.State() {
		slowest = min(slowest, p.Pace)
	}
	require.InDelta(t, slowest, f.value(t, "headway_pace_requests_per_second"), slowest/100)
}

// What is removed can be garbage, and is told of no more; what it counted stays.
func TestRemove(t *testing.T) {
	c := &promheadway.Collector{}
	c.Remove(&headway.Transport{})
	registry := prometheus.NewRegistry()
	registry.MustRegister(c)
	used := func() weak.Pointer[headway.Transport] {
		transport := &headway.Transport{Base: answering(http.StatusOK)}
		require.NoError(t, c.Instrument(transport, ""))
		require.NoError(t, get(t.Context(), transport, testURL))
		return weak.Make(transport)
	}()
	runtime.GC()
	require.NotNil(t, used.Value())
	require.InDelta(t, 1, gather(t, registry).value(t, "headway_partitions"), 0)

	c.Remove(used.Value())
	require.NoError(t, get(t.Context(), used.Value(), testURL))
	f := gather(t, registry)
	require.InDelta(t, -1, f.value(t, "headway_partitions"), 0)
	require.InDelta(t, 1, f.value(t, "headway_requests_sent_total"), 0)
	for range 10 {
		runtime.GC()
	}
	require.Nil(t, used.Value())

	require.True(t, registry.Unregister(c))
	require.Empty(t, gather(t, registry))
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
		transport, registry := instrumented(t, &promheadway.Collector{}, server)
		transport.MaxRetries = -1
		require.NoError(t, get(t.Context(), transport, testURL))
		state := transport.State()[0]
		require.Zero(t, state.HeldUntil)
		held := time.Duration(0)
		for _, limit := range state.Limits {
			held = max(held, time.Until(limit.HeldUntil))
		}
		require.GreaterOrEqual(t, held, 100*time.Second)
		require.InDelta(t, held.Seconds(), gather(t, registry).value(t, "headway_hold_seconds"), 1e-6)
	})
}

// Everything at once, for the race detector.
func TestConcurrency(t *testing.T) {
	c := &promheadway.Collector{MaxPartitions: 5}
	transport, registry := instrumented(t, c, answering(http.StatusOK))
	var all sync.WaitGroup
	const workers, each = 8, 50
	for worker := range workers {
		all.Go(func() {
			for i := range each {
				_ = get(t.Context(), transport, fmt.Sprintf("https://host%d.example.com/", (worker+i)%10))
			}
		})
		all.Go(func() {
			_, _ = registry.Gather()
			other := &headway.Transport{Base: transport.Base}
			_ = c.Instrument(other, fmt.Sprint(worker%2))
			_ = get(t.Context(), other, testURL)
			c.Remove(other)
		})
	}
	all.Wait()
	sent := 0.0
	for _, m := range gather(t, registry)["headway_requests_sent_total"].GetMetric() {
		sent += m.GetCounter().GetValue()
	}
	require.InDelta(t, workers*each+workers, sent, 0)
}

// The context of a request finds its way into exemplars, and both kinds of buckets are there.
func TestExemplars(t *testing.T) {
	type key struct{}
	c := &promheadway.Collector{Exemplar: func(ctx context.Context) prometheus.Labels {
		if id, ok := ctx.Value(key{}).(string); ok {
			return prometheus.Labels{"trace_id": id}
		}
		return nil
	}}
	transport, registry := instrumented(t, c, answering(http.StatusOK))
	require.NoError(t, get(t.Context(), transport, testURL))
	require.NoError(t, get(context.WithValue(t.Context(), key{}, "c0ffee"), transport, testURL))
	h := gather(t, registry).find(t, "headway_request_held_seconds").GetHistogram()
	require.EqualValues(t, 2, h.GetSampleCount())
	var exemplars []*dto.Exemplar
	for _, b := range h.GetBucket() {
		if b.GetExemplar() != nil {
			exemplars = append(exemplars, b.GetExemplar())
		}
	}
	require.Len(t, exemplars, 1)
	require.Equal(t, "c0ffee", exemplars[0].GetLabel()[0].GetValue())
	require.EqualValues(t, 2, h.GetZeroCount(), "of the native histogram")
}
