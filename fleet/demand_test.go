package fleet

import (
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/fleet/internal/store"
	"github.com/headway-go/headway/limits"
)

func TestUsageIsValid(t *testing.T) {
	now := time.Now()
	var c clock
	c.set(testNow, now, now)
	for name, l := range map[string]limits.Use{
		"nothing":  {Quota: 1, Window: 1, Remaining: -1},
		"huge":     {Quota: math.MaxInt64, Window: math.MaxInt64, Sent: math.MaxInt64, Used: math.MaxInt64, Remaining: math.MaxInt64, Ends: math.MaxInt64, Age: math.MaxInt64, Held: math.MaxInt64},
		"negative": {Quota: 1, Window: 1, Sent: -1, Used: -5, Remaining: -1, Ends: -1000 * time.Hour, Age: -1000 * time.Hour, Held: -1},
	} {
		t.Run(name, func(t *testing.T) {
			var d demand
			for i := range 3 {
				l.Waiting = i
				u := d.usage(&l, now.Add(time.Duration(i)*time.Second), &c)
				u.ID = "x"
				_, err := parseRecord(encode(record{Version: store.Version, Limits: []usage{u}}))
				require.NoError(t, err)
			}
		})
	}
}
