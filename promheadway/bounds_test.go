package promheadway_test

import (
	"fmt"
	"net/http"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/series/seriestest"
	"github.com/headway-go/headway/promheadway"
)

func TestManyPartitions(t *testing.T) {
	const n = 300
	for _, row := range []struct {
		name      string
		collector *promheadway.Collector
		labels    int
	}{
		{"by default", &promheadway.Collector{}, 100 + 1},
		{"fewer", &promheadway.Collector{MaxPartitions: 3}, 3 + 1},
		{"no bound", &promheadway.Collector{MaxPartitions: -1}, n},
		{"one name for all", &promheadway.Collector{Name: func(string) string { return "all" }}, 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			registry := registered(t, row.collector)
			transport := seriestest.Instrumented(t, row.collector, seriestest.Answering(http.StatusOK, "RateLimit", `"a";r=7;t=60`))
			for i := range n {
				require.NoError(t, seriestest.Get(t.Context(), transport, fmt.Sprintf("https://host%d.example.com/", i)))
			}
			f := gather(t, registry)
			for name, family := range f {
				require.Len(t, family.GetMetric(), row.labels, name)
			}
			require.InDelta(t, n, f.total("headway_requests_sent_total"), 0, "none is lost")
			require.InDelta(t, n, f.total("headway_partitions"), 0)
		})
	}
}

// A hostile server that makes up policies, units and names cannot exceed the bounds.
func TestHostileNames(t *testing.T) {
	for _, row := range []struct {
		name      string
		collector *promheadway.Collector
		most      int
	}{
		{"by default", &promheadway.Collector{}, 8 + 1},
		{"fewer", &promheadway.Collector{MaxPolicies: 2}, 2 + 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			var told families
			synctest.Test(t, func(t *testing.T) {
				registry := registered(t, row.collector)
				most := 0
				seriestest.Hostile(t, row.collector, func() {
					told = gather(t, registry)
					most = max(most, len(told["headway_limit_quota"].GetMetric()))
				})
				require.Equal(t, row.most, most)
			})
			problems, err := testutil.GatherAndLint(told)
			require.NoError(t, err)
			require.Empty(t, problems)
			rest := scrape(t, told).find(t, "headway_limit_remaining", "policy", "(other)", "unit", "(other)")
			require.NotNil(t, rest)
		})
	}
}

// The bound on policies applies to each metric with that label. If a response has several policies, the first
// one counts.
func TestPolicies(t *testing.T) {
	c := &promheadway.Collector{MaxPolicies: 1}
	registry := registered(t, c)
	trace, ctx := seriestest.Instrumented(t, c, seriestest.Answering(http.StatusOK)).Trace, t.Context()
	partition := seriestest.Partition
	for _, policy := range []string{"", "a\n", "b", "(other)", "a\n"} {
		trace.Refused(ctx, &headway.LimitError{Partition: partition, Policy: policy, Cause: headway.CausePace, Waited: time.Second, Err: headway.ErrMaxWait})
		trace.Throttled(ctx, headway.ThrottledInfo{Partition: partition, Policies: []string{policy, "c"}, Status: http.StatusTooManyRequests})
	}
	f := scrape(t, registry)
	for name, other := range map[string][]string{
		"headway_requests_refused_total":   {"reason", "max_wait"},
		"headway_waits_total":              {"cause", "pace"},
		"headway_requests_throttled_total": {"code", "429"},
	} {
		require.Len(t, f[name].GetMetric(), 3, name)
		for policy, want := range map[string]float64{"": 1, "a\ufffd": 2, "(other)": 2} {
			require.InDelta(t, want, f.value(t, name, append(other, "policy", policy)...), 0, "%s %q", name, policy)
		}
	}
}
