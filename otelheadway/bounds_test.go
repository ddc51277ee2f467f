package otelheadway_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/otelheadway"
	"github.com/headway-go/headway/ratelimittest"
)

var overflow = attribute.Bool("otel.metric.overflow", true)

func TestManyPartitions(t *testing.T) {
	const n = 10_000
	for _, row := range []struct {
		name  string
		meter *otelheadway.Meter
		sets  int
		rest  float64 // requests that are summed
		all   float64
	}{
		{"by default", &otelheadway.Meter{}, 100 + 1, n - 100, n},
		{"fewer", &otelheadway.Meter{MaxPartitions: 3}, 3 + 1, n - 3, n},
		{"no bound", &otelheadway.Meter{MaxPartitions: -1}, n, -1, n},
		{"one name for all", &otelheadway.Meter{Name: func(string) string { return "all" }}, 1, -1, n},
		{"a few have names", &otelheadway.Meter{Name: func(partition string) string {
			if strings.HasSuffix(partition, "99.example.com") {
				return partition
			}
			return ""
		}}, n / 100, -1, n / 100},
	} {
		t.Run(row.name, func(t *testing.T) {
			transport, reader := measured(t, row.meter, answering(http.StatusOK, "RateLimit", `"a";r=7;t=60`))
			for i := range n {
				require.NoError(t, get(t.Context(), transport, fmt.Sprintf("https://host%d.example.com/", i)))
			}
			all := collect(t, reader)
			for name, points := range all.points {
				require.Len(t, points, row.sets, name)
			}
			require.InDelta(t, row.all, all.value("headway.client.sent_requests"), 0, "none is lost")
			require.InDelta(t, row.all, all.value("headway.client.partitions"), 0)
			require.InDelta(t, row.rest, all.value("headway.client.sent_requests", overflow), 0)
			for _, p := range all.find("headway.client.sent_requests", overflow) {
				name, _ := p.attrs.Value("headway.partition")
				require.Equal(t, "(other)", name.AsString())
				require.Equal(t, 2, p.attrs.Len(), "nothing else is told of them")
			}
		})
	}
}

// What is summed leaves the SDK's own bound alone, and new attributes of others possible.
func TestOverflowIsOurs(t *testing.T) {
	transport, reader := measured(t, &otelheadway.Meter{MaxPartitions: 1, MaxPolicies: 1}, answering(http.StatusOK))
	for i := range 3 {
		require.NoError(t, get(t.Context(), transport, fmt.Sprintf("https://host%d.example.com/", i)))
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

// A server that makes up policies, units and names as it pleases.
func TestHostileNames(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		tricks := []string{"(other)", strings.Repeat("long", 200), "", "{}", "a%0Ab", "otel.metric.overflow"}
		server := &ratelimittest.Transport{}
		transport, reader := measured(t, &otelheadway.Meter{}, server)
		most := 0
		for i := range 500 {
			name := tricks[i%len(tricks)] + strings.Repeat("?", i/len(tricks)%7)
			server.Handler = http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Add("RateLimit-Policy", fmt.Sprintf(`%q;q=100;w=1;qu="unit%d", "%d";q=9;w=1`, name, i, i))
				w.Header().Add("RateLimit", fmt.Sprintf(`%q;r=100;t=1, "%d";r=8;t=1`, name, i))
			})
			require.NoError(t, get(t.Context(), transport, fmt.Sprintf("https://api.example.com/%d", i)))
			most = max(most, len(collect(t, reader).points["headway.client.limit.quota"]))
		}
		require.Equal(t, 8+1, most)
		require.Len(t, collect(t, reader).find("headway.client.limit.remaining", overflow), 1)
	})
}

// Names of policies may be of any bytes.
func TestHostilePolicies(t *testing.T) {
	transport, reader := measured(t, &otelheadway.Meter{MaxPolicies: 2}, answering(http.StatusOK))
	for _, policy := range []string{"", "\xff\n", "(other)", "c", "d", "\xfe\n", strings.Repeat("é", 1<<20)} {
		transport.Trace.Refused(t.Context(), refusal(policy))
	}
	refused := collect(t, reader).points["headway.client.refused_requests"]
	values := make(map[string]float64)
	for _, p := range refused {
		v, ok := p.attrs.Value("headway.policy")
		require.True(t, utf8.ValidString(v.AsString()))
		switch {
		case p.attrs.HasValue(overflow.Key):
			values["rest"] = p.value
			require.Equal(t, "(other)", v.AsString())
		case !ok:
			values["none"] = p.value
		default:
			values[v.AsString()] = p.value
		}
	}
	require.Equal(t, map[string]float64{"none": 1, "\ufffd\ufffd": 2, "(other)": 1, "rest": 3}, values)
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
		{"the shared one", "(overflow)", "", 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			transport, reader := measured(t, &otelheadway.Meter{}, answering(http.StatusOK))
			transport.Partition = func(*http.Request) string { return row.partition }
			require.NoError(t, get(t.Context(), transport, testURL))
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
