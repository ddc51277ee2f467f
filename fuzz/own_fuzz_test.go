package fuzz

import (
	"math"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/validate"
)

// FuzzAdd: whatever a caller returns, the Reading is within the bounds.
func FuzzAdd(f *testing.F) {
	f.Add("a", "", "points", int64(1000), int64(980), int64(20e9), int64(-1), int64(0), false, 200, "9")
	f.Add("", "k", "", int64(-9), int64(math.MaxInt64), int64(math.MinInt64), int64(math.MaxInt64), int64(-1), true, 503, "")
	f.Add("\x00\xff", "", "requests", int64(0), int64(0), int64(1), int64(1), int64(math.MaxInt64), true, 403, "x")
	f.Fuzz(func(t *testing.T, policy, key, unit string, quota, remaining, window, reset, wait int64, refused bool, status int, field string) {
		own := validate.Reading{RetryAfter: time.Duration(wait)}
		if refused {
			own.Verdict = validate.VerdictWait
		}
		one := limits.Reported{
			Policy: policy, PartitionKey: key, Unit: limits.Unit(unit), Quota: quota, Remaining: remaining,
			Window: time.Duration(window), Reset: time.Duration(reset), Cost: wait,
		}
		other := one
		other.Quota, other.Policy = remaining, key
		own.Limits = []limits.Reported{one, other, one}
		resp := &http.Response{StatusCode: status, Header: http.Header{"X-Ratelimit-Remaining": {field}, "X-Ratelimit-Limit": {"10"}}}
		r := validate.NewReader(validate.Bounds{}, nil)
		reading := r.Add(r.Read(resp), resp, &own)
		require.True(t, reading.Verdict.IsRefusal() || !refused)
		checkReading(t, *reading, resolved(validate.Bounds{}))
	})
}
