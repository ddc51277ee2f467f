package promheadway_test

import (
	"maps"
	"testing"
	"testing/synctest"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/series/seriestest"
	"github.com/headway-go/headway/promheadway"
)

// Each event that can happen to a request is counted, in virtual time. The metrics during the hold and at the
// end are also scraped from a real endpoint.
func TestScenario(t *testing.T) {
	p := play(t)
	during, after := scrape(t, p.during), scrape(t, p.after)
	partition := []string{"transport", "", "partition", seriestest.Partition}
	with := func(labels ...string) []string { return append(labels, partition...) }

	t.Run("while a hold lasts", func(t *testing.T) {
		limit := with("policy", "default", "unit", "requests")
		for _, row := range []struct {
			name   string
			want   float64
			labels []string
		}{
			{"headway_partitions", 1, partition},
			{"headway_requests_queued", 2, partition},
			{"headway_requests_in_flight", 0, partition},
			{"headway_hold_seconds", p.Hold.Seconds(), partition},
			{"headway_longest_wait_seconds", p.Wait.Seconds(), partition},
			{"headway_sending_requests_per_second", p.State.Sending, partition},
			{"headway_pace_requests_per_second", p.State.Pace, partition},
			{"headway_limit_quota", 3, limit},
			{"headway_limit_remaining", 0, limit},
			{"headway_requests_sent_total", 2, partition},
			{"headway_requests_resent_total", 0, partition}, // it exists from the start
		} {
			require.InDelta(t, row.want, during.value(t, row.name, row.labels...), 0, row.name)
		}
	})

	t.Run("at the end", func(t *testing.T) {
		slow := []string{"partition", "https://slow.example.com"}
		odd := []string{"partition", "https://odd.example.com"}
		for _, row := range []struct {
			name   string
			want   float64
			labels []string
		}{
			{"headway_requests_sent_total", 3, partition},
			{"headway_requests_resent_total", 1, partition},
			{"headway_requests_throttled_total", 1, with("code", "429", "verdict", "wait")},
			{"headway_requests_throttled_total", 1, append(slow, "code", "503")},
			{"headway_requests_refused_total", 1, with("reason", "deadline", "policy", "default")},
			{"headway_requests_refused_total", 1, append(slow, "reason", "max_wait", "policy", "")},
			{"headway_requests_abandoned_total", 1, partition},
			{"headway_requests_throttled_total", 0, append(odd, "verdict", "never")}, // it exists from the start
			{"headway_fields_ignored_total", 1, append(odd, "reason", "malformed")},
			{"headway_partitions_evicted_total", 1, with("reason", "idle")},
			{"headway_request_wait_seconds", 3, with("outcome", "sent")},
			{"headway_request_wait_seconds", 1, with("outcome", "resent")},
			{"headway_request_wait_seconds", 1, with("outcome", "abandoned")},
			{"headway_partitions", -1, partition}, // it was forgotten
		} {
			require.InDelta(t, row.want, after.value(t, row.name, row.labels...), 0, "%s %v", row.name, row.labels)
		}
		require.InDelta(t, 3, after.total("headway_waits_total"), 0)
		for _, m := range after["headway_waits_total"].GetMetric() {
			require.Contains(t, []string{"hold", "quota", "pace"}, labelsOf(m)["cause"])
			require.Equal(t, "default", labelsOf(m)["policy"])
		}
	})

	t.Run("time waited", func(t *testing.T) {
		sum := 0.0
		for _, m := range after["headway_request_wait_seconds"].GetMetric() {
			sum += m.GetHistogram().GetSampleSum()
		}
		require.InDelta(t, p.Waited.Seconds(), sum, 1e-6)
	})
}

// played adds the metrics during the hold and at the end.
type played struct {
	seriestest.Played

	during, after families
}

func play(t *testing.T) (p played) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c := &promheadway.Collector{}
		registry := registered(t, c)
		p.Played = seriestest.Play(t, c, func() { p.during = gather(t, registry) })
		p.after = gather(t, registry)
	})
	return p
}

func TestLint(t *testing.T) {
	p := play(t)
	all := p.during
	maps.Copy(all, p.after)
	problems, err := testutil.GatherAndLint(all)
	require.NoError(t, err)
	require.Empty(t, problems)

	described := make(chan *prometheus.Desc, 100)
	new(promheadway.Collector).Describe(described)
	require.Len(t, all, len(described), "the scenario has every metric")
}
