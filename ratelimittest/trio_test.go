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
		{"trio, no window and no reset", ratelimittest.Trio, bareLimit, []string{
			"RateLimit-Limit: 5",
			"RateLimit-Remaining: 5",
		}},
		{"trio, more than 15 digits", ratelimittest.Trio, huge, []string{
			"RateLimit-Policy: 999999999999999;w=9223372037",
			"RateLimit-Limit: 999999999999999",
			"RateLimit-Remaining: 999999999999999",
			"RateLimit-Reset: 9223372037",
		}},
		{"policies in the limit", inLimit, one, []string{
			"RateLimit-Limit: 100, 100;w=60",
			"RateLimit-Remaining: 50",
			"RateLimit-Reset: 30",
		}},
		{"policies in the limit, several", inLimit, three, []string{
			"RateLimit-Limit: 1000, 1000;w=3600, 100;w=60, 5000;w=86400",
			"RateLimit-Remaining: 9",
			"RateLimit-Reset: 1000",
		}},
		{"trio, the tightest limit of two of one quota", ratelimittest.Trio, equalQuotas, []string{
			"RateLimit-Policy: 10;w=60, 20;w=3600",
			"RateLimit-Limit: 10",
			"RateLimit-Remaining: 3",
			"RateLimit-Reset: 30",
		}},
		{"trio, the window of another one of its quota", ratelimittest.Trio, noWindow, []string{
			"RateLimit-Policy: 20;w=3600",
			"RateLimit-Limit: 10",
			"RateLimit-Remaining: 3",
			"RateLimit-Reset: 30",
		}},
		{"trio, the tightest limit without window and reset", ratelimittest.Trio, places, []string{
			"RateLimit-Policy: 100;w=60",
			"RateLimit-Limit: 5",
			"RateLimit-Remaining: 1",
		}},
		{"policies in the limit, the tightest limit of two of one quota", inLimit, equalQuotas, []string{
			"RateLimit-Limit: 10, 10;w=60, 20;w=3600",
			"RateLimit-Remaining: 3",
			"RateLimit-Reset: 30",
		}},
		{"epoch, rounded up after the reset is added", epoch, one, []string{
			"RateLimit-Limit: 100",
			"RateLimit-Remaining: 50",
			"RateLimit-Reset: 1893456030",
		}},
		{"epoch, no reset", epoch, bareLimit, []string{
			"RateLimit-Limit: 5",
			"RateLimit-Remaining: 5",
		}},
	})
}
