package otelheadway_test

import (
	"fmt"
	"net/http"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/series/seriestest"
	"github.com/headway-go/headway/otelheadway"
	"github.com/headway-go/headway/validate"
)

var overflow = attribute.Bool("otel.metric.overflow", true)

// By default a hundred partitions have attributes of their own, and eight policies of each. All others are summed.
func TestBounds(t *testing.T) {
	for _, row := range []struct {
		name                 string
		meter                *otelheadway.Meter
		partitions, policies int // with the sum of the rest
	}{
		{"by default", &otelheadway.Meter{}, 101, 9},
		{"no bounds", &otelheadway.Meter{MaxPartitions: -1, MaxPolicies: -1}, 150, 20},
	} {
		t.Run(row.name, func(t *testing.T) {
			reader := read(row.meter)
			trace := seriestest.Instrumented(t, row.meter, seriestest.Answering(http.StatusOK)).Trace
			for i := range 20 {
				trace.Throttled(t.Context(), headway.ThrottledInfo{Partition: "host0", Policies: []string{fmt.Sprint(i)}, Status: 429})
			}
			for i := range 150 {
				trace.Sent(t.Context(), headway.SentInfo{Partition: fmt.Sprint("host", i)})
			}
			all := collect(t, reader)
			require.Len(t, all.points["headway.client.sent_requests"], row.partitions)
			require.Len(t, all.points["headway.client.throttled_requests"], row.policies)
			require.InDelta(t, 150, all.value("headway.client.sent_requests"), 0, "none is lost")
			for _, p := range all.find("headway.client.sent_requests", overflow) {
				require.Equal(t, attribute.NewSet(attribute.String("headway.partition", "(other)"), overflow), p.attrs)
			}
		})
	}
}

// The sum under "(other)" does not trigger the SDK's own bound, so other instruments may still get new
// attribute sets.
func TestOverflowDoesNotTriggerTheSDKs(t *testing.T) {
	m := &otelheadway.Meter{MaxPartitions: 1, MaxPolicies: 1}
	reader := read(m)
	transport := seriestest.Instrumented(t, m, seriestest.Answering(http.StatusOK, "RateLimit", `"a";r=7;t=60, "b";r=7;t=60`))
	for i := range 3 {
		require.NoError(t, seriestest.Get(t.Context(), transport, fmt.Sprintf("https://host%d.example.com/", i)))
	}
	first := attribute.String("headway.partition", "https://host0.example.com")
	for status := range 5 {
		transport.Trace.Throttled(t.Context(), headway.ThrottledInfo{Partition: "https://host7.example.com", Status: 400 + status})
		transport.Trace.Throttled(t.Context(), headway.ThrottledInfo{Partition: "https://host0.example.com", Status: 400 + status})
	}
	all := collect(t, reader)
	require.Len(t, all.find("headway.client.throttled_requests", first), 5)
	require.Len(t, all.find("headway.client.throttled_requests", overflow), 5)
	require.Len(t, all.points["headway.client.queued_requests"], 2)
	require.InDelta(t, 1, all.value("headway.client.sent_requests", first), 0)
	require.InDelta(t, 2, all.value("headway.client.sent_requests", overflow), 0)
	other := []attribute.KeyValue{first, attribute.String("headway.policy", "(other)"), attribute.String("headway.unit", "(other)"), overflow}
	require.Len(t, all.find("headway.client.limit.remaining", other...), 1)
}

// A policy without a name has no attribute. Policies beyond the bound share one.
func TestPolicies(t *testing.T) {
	m := &otelheadway.Meter{MaxPolicies: 1}
	reader := read(m)
	trace := seriestest.Instrumented(t, m, seriestest.Answering(http.StatusOK)).Trace
	for _, policy := range []string{"", "a\n", "b", "(other)", "a\n"} {
		err := &headway.LimitError{Partition: "a partition", Policy: policy, Cause: headway.CausePace, Waited: time.Second, Err: headway.ErrMaxWait}
		trace.Refused(t.Context(), err)
		trace.Throttled(t.Context(), headway.ThrottledInfo{Partition: "a partition", Policies: []string{policy, "c"}, Status: 429, Verdict: validate.VerdictOnly})
	}
	all := collect(t, reader)
	for name, others := range map[string][]attribute.KeyValue{
		"refused_requests":   {attribute.String("error.type", "max_wait")},
		"waits":              {attribute.String("headway.cause", "pace")},
		"throttled_requests": {attribute.String("headway.verdict", "only_this"), attribute.Int("http.response.status_code", 429)},
	} {
		counted := make(map[attribute.Set]float64)
		for _, p := range all.points["headway.client."+name] {
			counted[p.attrs] = p.value
		}
		with := func(more ...attribute.KeyValue) attribute.Set {
			return attribute.NewSet(append(slices.Concat(more, others), attribute.String("headway.partition", "a partition"))...)
		}
		require.Equal(t, map[attribute.Set]float64{
			with(): 1,
			with(attribute.String("headway.policy", "a\ufffd")):           2,
			with(attribute.String("headway.policy", "(other)"), overflow): 2,
		}, counted, name)
	}
}

func TestServerOfPartition(t *testing.T) {
	for _, row := range []struct {
		name, partition, address string
		port                     int64 // 0: none
	}{
		{"an origin", "https://api.example.com", "api.example.com", 443},
		{"without TLS", "http://api.example.com", "api.example.com", 80},
		{"six", "https://[::1]:8443", "::1", 8443},
		{"no origin", "search", "", 0},
		{"a host that is none", "https://a b:c", "", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := &otelheadway.Meter{}
			reader := read(m)
			trace := seriestest.Instrumented(t, m, seriestest.Answering(http.StatusOK)).Trace
			trace.Sent(t.Context(), headway.SentInfo{Partition: row.partition})
			want := []attribute.KeyValue{attribute.String("headway.partition", otelheadway.DefaultName(row.partition))}
			if row.address != "" {
				want = append(want, attribute.String("server.address", row.address), attribute.Int64("server.port", row.port))
			}
			require.Equal(t, attribute.NewSet(want...), collect(t, reader).points["headway.client.sent_requests"][0].attrs)
		})
	}
}
