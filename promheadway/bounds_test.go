package promheadway_test

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/series/seriestest"
	"github.com/headway-go/headway/promheadway"
	"github.com/headway-go/headway/validate"
)

// By default a hundred partitions have series of their own, and eight policies of each. All others are summed.
func TestBounds(t *testing.T) {
	for _, row := range []struct {
		name                 string
		collector            *promheadway.Collector
		partitions, policies int // with the sum of the rest
	}{
		{"by default", &promheadway.Collector{}, 101, 9},
		{"no bounds", &promheadway.Collector{MaxPartitions: -1, MaxPolicies: -1}, 150, 20},
	} {
		t.Run(row.name, func(t *testing.T) {
			registry := registered(t, row.collector)
			trace := seriestest.Instrumented(t, row.collector, seriestest.Answering(http.StatusOK)).Trace
			for i := range 20 {
				trace.Refused(t.Context(), &headway.LimitError{Partition: "host0", Policy: fmt.Sprint(i), Err: headway.ErrMaxWait})
			}
			for i := range 150 {
				trace.Sent(t.Context(), headway.SentInfo{Partition: fmt.Sprint("host", i)})
			}
			f := gather(t, registry)
			require.Len(t, f["headway_requests_sent_total"].GetMetric(), row.partitions)
			require.Len(t, f["headway_requests_refused_total"].GetMetric(), row.policies)
			require.InDelta(t, 150, f.total("headway_requests_sent_total"), 0, "none is lost")
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
		trace.Throttled(ctx, headway.ThrottledInfo{Partition: partition, Policies: []string{policy, "c"}, Status: 429, Verdict: validate.VerdictOnly})
	}
	f := scrape(t, registry)
	for name, other := range map[string][]string{
		"headway_requests_refused_total":   {"reason", "max_wait"},
		"headway_waits_total":              {"cause", "pace"},
		"headway_requests_throttled_total": {"code", "429", "verdict", "only_this"},
	} {
		for policy, want := range map[string]float64{"": 1, "a\ufffd": 2, "(other)": 2} {
			require.InDelta(t, want, f.value(t, name, append(other, "policy", policy)...), 0, "%s %q", name, policy)
		}
	}
}
