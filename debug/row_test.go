package debug

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/limits"
)

func TestRow(t *testing.T) {
	for name, c := range map[string]struct {
		state headway.PartitionState
		want  row
	}{
		"nothing known": {
			unknown(),
			row{State: Free, Doing: "free", Sending: "0/s", InFlight: "0", Queue: "0", Throttled: "never"},
		},
		"all known": {
			headway.PartitionState{
				Partition: "https://api.example.com#c0ffee5a17ed0a75", Waiting: 1234, Cause: headway.CausePace, InFlight: 3, Places: 5,
				Sending: 0.5, Pace: 1.75, Next: in(1500 * time.Millisecond), Last: in(2 * time.Minute), Thousand: 572 * time.Second, WaitingSince: in(-time.Hour - time.Minute), LastThrottled: in(-25 * time.Hour),
			},
			row{
				Name: "https://api.example.com", Hash: "#c0ffee5a17ed0a75", State: Waiting,
				Doing: "1,234 wait for the pace", Then: "next in 1.5 s, last in 2 min, 1,000 more in 9 min 32 s", Sending: "0.50/s", Pace: "pace 1.75/s",
				InFlight: "3", Places: "of 5 places", Queue: "1,234", Oldest: "oldest 1 h 1 min",
				Throttled: "25 h ago", ThrottledAt: "2026-01-01 11:00",
			},
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, newRow(noon, &c.state))
		})
	}
}

func TestLimitRow(t *testing.T) {
	for name, c := range map[string]struct {
		state headway.LimitState
		want  limitRow
	}{
		"nothing known": {unknownLimit(), limitRow{Left: "requests", Reported: "never reported"}},
		"all known": {
			headway.LimitState{
				Known:      limits.Known{Policy: "minute", PartitionKey: "user", Unit: "tokens", Quota: 60000, Remaining: 5999, Window: time.Minute, Rate: 900, Share: 0.504},
				ReportedAt: in(-4200 * time.Millisecond), LatestEnd: in(12 * time.Second), HeldUntil: in(5 * time.Second),
			},
			limitRow{
				Policy: "minute", Key: "user", Left: "5,999 of 60,000 tokens", Bar: &bar{"10.0", true}, Window: "per 1 min",
				Ends: "ends within 12 s", Rate: "900/s", Share: "share 50 %", Held: "held until 12:00:05, in 5 s", Reported: "reported 4.2 s ago",
			},
		},
		"agreed": {
			headway.LimitState{Known: limits.Known{Quota: 10, Remaining: -1, Window: -1, Share: 0.125, Agreed: true}},
			limitRow{Left: "of 10 requests", Share: "share 13 %, exact part among 8", Reported: "never reported"},
		},
		"refills": {
			headway.LimitState{Known: limits.Known{Quota: 10, Remaining: 1, Window: -1, Share: 1, Refills: true}, LatestEnd: in(time.Second)},
			limitRow{Left: "1 of 10 requests", Bar: &bar{"10.0", false}, Refills: true, Reported: "never reported"},
		},
		"what is over": {
			headway.LimitState{Known: limits.Known{Quota: -1, Remaining: -1, Rate: math.Inf(1)}, LatestEnd: noon, HeldUntil: in(-1)},
			limitRow{Left: "requests", Reported: "never reported"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, newLimitRow(noon, &c.state, 8))
		})
	}
}
