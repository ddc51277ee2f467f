package ratelimittest_test

import (
	"testing"
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

func TestDimensioned(t *testing.T) {
	reset := func(unit string, reset time.Duration) ratelimittest.Decision {
		return ratelimittest.Decision{Limits: []ratelimittest.Limit{{Unit: unit, Quota: 10, Remaining: 1, Reset: reset}}}
	}
	requests := func(reset string) []string {
		return []string{"X-RateLimit-Limit-Requests: 10", "X-RateLimit-Remaining-Requests: 1", "X-RateLimit-Reset-Requests: " + reset}
	}
	runGoldens(t, []golden{
		{"requests and tokens", byUnit, units, []string{
			"X-RateLimit-Limit-Requests: 60",
			"X-RateLimit-Remaining-Requests: 59",
			"X-RateLimit-Reset-Requests: 600ms",
			"X-RateLimit-Limit-Tokens: 150000",
			"X-RateLimit-Remaining-Tokens: 149984",
			"X-RateLimit-Reset-Tokens: 6m0s",
		}},
		{"the tightest limit of a unit", byUnit, three, []string{
			"X-RateLimit-Limit-Requests: 1000",
			"X-RateLimit-Remaining-Requests: 9",
			"X-RateLimit-Reset-Requests: 16m40s",
		}},
		{"refused", byUnit, refusal, []string{
			"X-RateLimit-Limit-Requests: 100",
			"X-RateLimit-Remaining-Requests: 0",
			"X-RateLimit-Reset-Requests: 2.5s",
		}},
		{"no reset", byUnit, bareLimit, []string{
			"X-RateLimit-Limit-Requests: 5",
			"X-RateLimit-Remaining-Requests: 5",
		}},
		{"a unit with characters that a name cannot have", byUnit, reset("GraphQL points\u00e9", 0), []string{
			"X-RateLimit-Limit-Graphql-Points-: 10",
			"X-RateLimit-Remaining-Graphql-Points-: 1",
			"X-RateLimit-Reset-Graphql-Points-: 0s",
		}},
		{"units that differ only in case", byUnit, ratelimittest.Decision{Limits: []ratelimittest.Limit{
			{Unit: "tokens", Quota: 10, Remaining: 1, Reset: 0}, {Unit: "Tokens", Quota: 20, Remaining: 2, Reset: 0},
		}}, []string{"X-RateLimit-Limit-Tokens: 10", "X-RateLimit-Remaining-Tokens: 1", "X-RateLimit-Reset-Tokens: 0s"}},
		{"milliseconds", byUnit, reset("", 12*ms), requests("12ms")},
		{"rounded up to milliseconds", byUnit, reset("", 7659*ms+1), requests("7.66s")},
		{"minutes and a fraction", byUnit, reset("", 179560*ms), requests("2m59.56s")},
		{"292 years", byUnit, reset("", 1<<63-1), requests("2562047h47m16.854s")},
	})
}
