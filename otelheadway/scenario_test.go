package otelheadway_test

import (
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
	"go.opentelemetry.io/otel/attribute"

	"github.com/headway-go/headway/internal/series/seriestest"
	"github.com/headway-go/headway/otelheadway"
)

// Each event that can happen to a request is recorded, in virtual time.
func TestScenario(t *testing.T) {
	p := play(t)
	partition := attribute.String("headway.partition", seriestest.Partition)

	t.Run("while a hold lasts", func(t *testing.T) {
		value := func(name string, more ...attribute.KeyValue) float64 {
			return p.during.value("headway.client."+name, append(more, partition)...)
		}
		require.InDelta(t, 1, value("partitions"), 0)
		require.InDelta(t, 2, value("queued_requests"), 0)
		require.InDelta(t, 0, value("active_requests"), 0)
		require.InDelta(t, p.Hold.Seconds(), value("hold_time"), 0)
		require.InDelta(t, p.Wait.Seconds(), value("longest_wait_time"), 0)
		require.InDelta(t, p.State.Sending, value("sending_rate"), 0)
		require.InDelta(t, p.State.Pace, value("pace"), 0)
		limit := []attribute.KeyValue{attribute.String("headway.policy", "default"), attribute.String("headway.unit", "requests")}
		require.InDelta(t, 3, value("limit.quota", limit...), 0)
		require.InDelta(t, 0, value("limit.remaining", limit...), 0)
		require.InDelta(t, 2, value("sent_requests"), 0)
		require.InDelta(t, -1, value("resent_requests"), 0)
	})

	t.Run("at the end", func(t *testing.T) {
		slow := attribute.String("server.address", "slow.example.com")
		outcome := attribute.Key("headway.outcome")
		for _, row := range []struct {
			name  string
			want  float64
			attrs []attribute.KeyValue
		}{
			{"sent_requests", 3, []attribute.KeyValue{partition, attribute.String("server.address", "api.example.com"), attribute.Int("server.port", 443)}},
			{"resent_requests", 1, []attribute.KeyValue{partition}},
			{"throttled_requests", 1, []attribute.KeyValue{partition, attribute.Int("http.response.status_code", 429), attribute.String("headway.verdict", "wait")}},
			{"throttled_requests", 1, []attribute.KeyValue{slow, attribute.Int("http.response.status_code", 503)}},
			{"refused_requests", 1, []attribute.KeyValue{partition, attribute.String("error.type", "deadline"), attribute.String("headway.policy", "default")}},
			{"refused_requests", 1, []attribute.KeyValue{slow, attribute.String("error.type", "max_wait")}},
			{"abandoned_requests", 1, []attribute.KeyValue{partition}},
			{"waits", 3, []attribute.KeyValue{partition, attribute.String("headway.policy", "default")}},
			{"ignored_fields", 1, []attribute.KeyValue{attribute.String("server.address", "odd.example.com"), attribute.String("headway.reason", "malformed")}},
			{"evicted_partitions", 1, []attribute.KeyValue{partition, attribute.String("headway.reason", "idle")}},
			{"request.wait_time", 3, []attribute.KeyValue{partition, outcome.String("sent")}},
			{"request.wait_time", 1, []attribute.KeyValue{partition, outcome.String("resent")}},
			{"request.wait_time", 1, []attribute.KeyValue{partition, outcome.String("abandoned")}},
			{"partitions", -1, []attribute.KeyValue{partition}}, // it was forgotten
		} {
			require.InDelta(t, row.want, p.after.value("headway.client."+row.name, row.attrs...), 0, "%s %v", row.name, row.attrs)
		}
		for _, wait := range p.after.points["headway.client.waits"] {
			cause, _ := wait.attrs.Value("headway.cause")
			require.Contains(t, []string{"hold", "quota", "pace"}, cause.AsString())
		}
		waited := 0.0
		for _, point := range p.after.points["headway.client.request.wait_time"] {
			waited += point.sum
		}
		require.InDelta(t, p.Waited.Seconds(), waited, 1e-6)
	})
}

// played adds the metrics during the hold and at the end.
type played struct {
	seriestest.Played

	during, after metrics
}

func play(t *testing.T) (p played) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		m := &otelheadway.Meter{}
		reader := read(m)
		p.Played = seriestest.Play(t, m, func() { p.during = collect(t, reader) })
		p.after = collect(t, reader)
	})
	return p
}
