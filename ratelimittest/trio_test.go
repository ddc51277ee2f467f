package ratelimittest_test

import (
	"testing"

	"github.com/headway-go/headway/ratelimittest"
)

func TestTrioDialects(t *testing.T) {
	runGoldens(t, []golden{
		{"trio", ratelimittest.Trio, one, []string{
			"RateLimit-Policy: 100;w=60",
			"RateLimit-Limit: 100",
			"RateLimit-Remaining: 50",
			"RateLimit-Reset: 30",
		}},
		{"trio, refused", ratelimittest.Trio, refusal, []string{
			"RateLimit-Policy: 100;w=60",
			"RateLimit-Limit: 100",
			"RateLimit-Remaining: 0",
			"RateLimit-Reset: 3",
		}},
		{"trio, all policies and the tightest limit", ratelimittest.Trio, three, []string{
			"RateLimit-Policy: 1000;w=3600, 100;w=60, 5000;w=86400",
			"RateLimit-Limit: 1000",
			"RateLimit-Remaining: 9",
			"RateLimit-Reset: 1000",
		}},
		{"trio, no window and no reset", ratelimittest.Trio, untold, []string{
			"RateLimit-Limit: 5",
			"RateLimit-Remaining: 5",
		}},
		{"trio, more than 15 digits", ratelimittest.Trio, huge, []string{
			"RateLimit-Policy: 999999999999999;w=9223372037",
			"RateLimit-Limit: 999999999999999",
			"RateLimit-Remaining: 999999999999999",
			"RateLimit-Reset: 9223372037",
		}},
		{"policies in the limit", ratelimittest.TrioInLimit, one, []string{
			"RateLimit-Limit: 100, 100;w=60",
			"RateLimit-Remaining: 50",
			"RateLimit-Reset: 30",
		}},
		{"policies in the limit, several", ratelimittest.TrioInLimit, three, []string{
			"RateLimit-Limit: 1000, 1000;w=3600, 100;w=60, 5000;w=86400",
			"RateLimit-Remaining: 9",
			"RateLimit-Reset: 1000",
		}},
		{"policies in the limit, no window and no reset", ratelimittest.TrioInLimit, untold, []string{
			"RateLimit-Limit: 5",
			"RateLimit-Remaining: 5",
		}},
		{"epoch, rounded up after the reset is added", ratelimittest.TrioEpoch, one, []string{
			"RateLimit-Limit: 100",
			"RateLimit-Remaining: 50",
			"RateLimit-Reset: 1893456030",
		}},
		{"epoch, no reset", ratelimittest.TrioEpoch, untold, []string{
			"RateLimit-Limit: 5",
			"RateLimit-Remaining: 5",
		}},
	})
}
