package ratelimittest_test

import (
	"math"
	"testing"
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

func TestPercent(t *testing.T) {
	used := func(quota, remaining int64) ratelimittest.Decision {
		return ratelimittest.Decision{Allowed: true, Limits: []ratelimittest.Limit{{Quota: quota, Remaining: remaining, Reset: -1}}}
	}
	runGoldens(t, []golden{
		{"several", ratelimittest.Percent, three, []string{`X-App-Usage: {"call_count":100,"total_cputime":0,"total_time":0}`}},
		{"units", ratelimittest.Percent, units, []string{`X-App-Usage: {"call_count":2,"total_cputime":1,"total_time":1}`}},
		{"refused", ratelimittest.Percent, refusal, []string{`X-App-Usage: {"call_count":100,"total_cputime":0,"total_time":0}`}},
		{"unused", ratelimittest.Percent, used(200, 200), []string{`X-App-Usage: {"call_count":0,"total_cputime":0,"total_time":0}`}},
		{"rounded up", ratelimittest.Percent, used(200, 199), []string{`X-App-Usage: {"call_count":1,"total_cputime":0,"total_time":0}`}},
		{"more than the quota", ratelimittest.Percent, used(200, 300), []string{`X-App-Usage: {"call_count":0,"total_cputime":0,"total_time":0}`}},
		{"no quota", ratelimittest.Percent, used(0, 0), []string{`X-App-Usage: {"call_count":100,"total_cputime":0,"total_time":0}`}},
		{"the largest", ratelimittest.Percent, used(math.MaxInt64, math.MaxInt64/2), []string{`X-App-Usage: {"call_count":51,"total_cputime":0,"total_time":0}`}},
		{"no limits", ratelimittest.Percent, ratelimittest.Decision{}, nil},
	})
}

func TestPairs(t *testing.T) {
	runGoldens(t, []golden{
		{"several", ratelimittest.Pairs, three, []string{
			"X-App-Rate-Limit: 1000:3600,100:60,5000:86400", "X-App-Rate-Limit-Count: 991:3600,91:60,4990:86400",
		}},
		{"refused", ratelimittest.Pairs, refusal, []string{"X-App-Rate-Limit: 100:60", "X-App-Rate-Limit-Count: 100:60"}},
		{"a window of less than a second", ratelimittest.Pairs, ratelimittest.Decision{Limits: []ratelimittest.Limit{
			{Quota: 2, Window: 100 * time.Millisecond, Remaining: 5},
		}}, []string{"X-App-Rate-Limit: 2:1", "X-App-Rate-Limit-Count: 0:1"}},
		{"no window", ratelimittest.Pairs, bareLimit, nil},
		{"no limits", ratelimittest.Pairs, ratelimittest.Decision{}, nil},
	})
}
