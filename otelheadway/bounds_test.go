package otelheadway_test

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/series/seriestest"
	"github.com/headway-go/headway/otelheadway"
)

var overflow = attribute.Bool("otel.metric.overflow", true)

func TestManyPartitions(t *testing.T) {
	const n = 300
	for _, row := range []struct {
		name  string
		meter *otelheadway.Meter
		sets  int
		rest  float64 // requests under "(other)"; −1: no such point
	}{
		{"by default", &otelheadway.Meter{}, 100 + 1, n - 100},
		{"fewer", &otelheadway.Meter{MaxPartitions: 3}, 3 + 1, n - 3},
		{"no bound", &otelheadway.Meter{MaxPartitions: -1}, n, -1},
		{"one name for all", &otelheadway.Meter{Name: func(string) string { return "all" }}, 1, -1},
	} {
		t.Run(row.name, func(t *testing.T) {
			reader := read(row.meter)
			transport := seriestest.Instrumented(t, row.meter, seriestest.Answering(http.StatusOK, "RateLimit", `"a";r=7;t=60`))
			for i := range n {
				require.NoError(t, seriestest.Get(t.Context(), transport, fmt.Sprintf("https://host%d.example.com/", i)))
			}
			all := collect(t, reader)
			for name, points := range all.points {
				require.Len(t, points, row.sets, name)
			}
			require.InDelta(t, n, all.value("headway.client.sent_requests"), 0, "none is lost")
			require.InDelta(t, n, all.value("headway.client.partitions"), 0)
			require.InDelta(t, row.rest, all.value("headway.client.sent_requests", overflow), 0)
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
	transport := seriestest.Instrumented(t, m, seriestest.Answering(http.StatusOK))
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
}

// A hostile server that makes up policies, units and names cannot exceed the bounds.
func TestHostileNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := &otelheadway.Meter{}
		reader := read(m)
		most := 0
		seriestest.Hostile(t, m, func() {
			most = max(most, len(collect(t, reader).points["headway.client.limit.quota"]))
		})
		require.Equal(t, 8+1, most)
		rest := collect(t, reader).find("headway.client.limit.remaining", overflow)
		require.Len(t, rest, 1)
		for _, key := range []attribute.Key{"headway.policy", "headway.unit"} {
			name, _ := rest[0].attrs.Value(key)
			require.Equal(t, "(other)", name.AsString())
		}
	})
}

// A policy without a name has no attribute. Policies beyond the bound share one.
func TestPolicies(t *testing.T) {
	m := &otelheadway.Meter{MaxPolicies: 1}
	reader := read(m)
	transport := seriestest.Instrumented(t, m, seriestest.Answering(http.StatusOK))
	for _, policy := range []string{"", "a\n", "b", "(other)", "a\n"} {
		err := &headway.LimitError{Partition: "a partition", Policy: policy, Cause: headway.CausePace, Waited: time.Second, Err: headway.ErrMaxWait}
		transport.Trace.Refused(t.Context(), err)
		transport.Trace.Throttled(t.Context(), headway.ThrottledInfo{Partition: "a partition", Policies: []string{policy, "c"}, Status: 429})
	}
	all := collect(t, reader)
	for name, other := range map[string]attribute.KeyValue{
		"refused_requests":   attribute.String("error.type", "max_wait"),
		"waits":              attribute.String("headway.cause", "pace"),
		"throttled_requests": attribute.Int("http.response.status_code", 429),
	} {
		counted := make(map[attribute.Set]float64)
		for _, p := range all.points["headway.client."+name] {
			counted[p.attrs] = p.value
		}
		with := func(more ...attribute.KeyValue) attribute.Set {
			return attribute.NewSet(append(more, attribute.String("headway.partition", "a partition"), other)...)
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
		{"a port", "http://127.0.0.1:8080", "127.0.0.1", 8080},
		{"six", "https://[::1]:8443", "::1", 8443},
		{"added to", "https://api.example.com#c0ffee5a17ed0a75/search", "api.example.com", 443},
		{"no origin", "search", "", 0},
		{"another scheme", "redis://api.example.com", "", 0},
		{"no host", "https://", "", 0},
		{"a host that is none", "https://a b:c", "", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			m := &otelheadway.Meter{}
			reader := read(m)
			transport := seriestest.Instrumented(t, m, seriestest.Answering(http.StatusOK))
			transport.Partition = func(*http.Request) string { return row.partition }
			require.NoError(t, seriestest.Get(t.Context(), transport, seriestest.URL))
			attrs := collect(t, reader).points["headway.client.sent_requests"][0].attrs
			name, _ := attrs.Value("headway.partition")
			require.Equal(t, otelheadway.DefaultName(row.partition), name.AsString())
			address, ok := attrs.Value("server.address")
			require.Equal(t, row.address != "", ok)
			require.Equal(t, row.address, address.AsString())
			port, ok := attrs.Value("server.port")
			require.Equal(t, row.port != 0, ok)
			require.Equal(t, row.port, port.AsInt64())
		})
	}
}
