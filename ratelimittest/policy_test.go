package ratelimittest

import (
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The limits of each algorithm contain the fields of its Policy.
func TestPolicyIsReported(t *testing.T) {
	tests := []struct {
		name          string
		policy        Policy
		reported      Limit
		header, limit string // as Draft10 writes them
	}{
		{
			"nothing but a quota",
			Policy{Quota: 9},
			Limit{Policy: "default", Quota: 9, Window: time.Minute},
			`"default";q=9;w=60`, `"default";r=9`,
		},
		{
			"a name, a unit and a partition key",
			Policy{Name: "peruser", Quota: 9, Window: time.Hour, Unit: "points", PartitionKey: func(client string) string { return "key of " + client }},
			Limit{Policy: "peruser", Quota: 9, Window: time.Hour, Unit: "points", PartitionKey: "key of a"},
			`"peruser";q=9;w=3600;qu="points";pk=:a2V5IG9mIGE=:`, `"peruser";r=9;pk=:a2V5IG9mIGE=:`,
		},
		{
			"negative values",
			Policy{Quota: -9, Window: -1},
			Limit{Policy: "default", Window: time.Minute},
			`"default";q=0;w=60`, `"default";r=0`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, l := range []Limiter{
				&FixedWindow{Policy: tt.policy},
				&Linear{Policy: tt.policy},
				&Exponential{Policy: tt.policy},
				&SlidingLog{Policy: tt.policy},
				&SlidingCounter{Policy: tt.policy},
				&TokenBucket{Policy: tt.policy},
			} {
				d := l.Take(time.Unix(0, 0), "a", 0)
				require.Len(t, d.Limits, 1)
				got := d.Limits[0]
				got.Remaining, got.Reset = 0, 0
				require.Equal(t, tt.reported, got, "%T", l)

				h := http.Header{}
				d.Limits[0].Reset = -1
				Draft10(h, time.Unix(0, 0), d)
				require.Equal(t, http.Header{"Ratelimit-Policy": {tt.header}, "Ratelimit": {tt.limit}}, h, "%T", l)
			}
		})
	}
}
