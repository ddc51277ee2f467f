package parse_test

import (
	"testing"
)

// TestRefill checks that the window is the time in which the whole quota refills.
func TestRefill(t *testing.T) {
	testFields(t, []fieldsRow{
		{
			"Jira Data Center",
			[]string{"X-RateLimit-Limit: 50", "X-RateLimit-Remaining: 49", "X-RateLimit-FillRate: 10", "X-RateLimit-Interval-Seconds: 60"},
			[]string{"X-RateLimit q=50 r=49 w=5m0s"},
		},
		{
			"Spring Cloud Gateway",
			[]string{"X-RateLimit-Burst-Capacity: 20", "X-RateLimit-Replenish-Rate: 10", "X-RateLimit-Requested-Tokens: 1", "X-RateLimit-Remaining: 19"},
			[]string{"X-RateLimit q=20 r=19 w=2s"},
		},
		{
			"Spring Cloud Gateway, requests that cost a whole bucket",
			[]string{"X-RateLimit-Burst-Capacity: 60", "X-RateLimit-Replenish-Rate: 1", "X-RateLimit-Requested-Tokens: 60", "X-RateLimit-Remaining: 59"},
			[]string{"X-RateLimit q=1 r=0 w=1m0s"},
		},
		{"less than one per second", []string{"X-RateLimit-Limit: 1", "X-RateLimit-Replenish-Rate: 0.1"}, []string{"X-RateLimit q=1 w=10s"}},
		{"more than the quota", []string{"X-RateLimit-Limit: 10", "X-RateLimit-FillRate: 100"}, []string{"X-RateLimit q=10 w=100ms"}},
		{"the slowest", []string{"X-RateLimit-Limit: 1", "X-RateLimit-FillRate: 0.000000001"}, []string{"X-RateLimit q=1 w=277777h46m39.999999872s"}},
		{"the window saturates", []string{"X-RateLimit-Limit: 1000", "X-RateLimit-FillRate: 0.000000001"}, []string{"X-RateLimit q=1000 w=1281023h53m38.427387904s"}},
		{"slower than a billionth", []string{"X-RateLimit-Limit: 1", "X-RateLimit-FillRate: 0.0000000000001"}, []string{"X-RateLimit q=1 w=277777h46m39.999999872s"}},
		{"the window is at least a nanosecond", []string{"X-RateLimit-Limit: 1", "X-RateLimit-FillRate: 99999999999999999999"}, []string{"X-RateLimit q=1 w=1ns"}},
		{"the largest quota", []string{"X-RateLimit-Limit: 99999999999999999999", "X-RateLimit-FillRate: 1"}, []string{"X-RateLimit q=9223372036854775807 w=1281023h53m38.427387904s"}},
		{"the longest window", []string{"X-RateLimit-Limit: 2", "X-RateLimit-FillRate: 1", "X-RateLimit-Period-Ms: 99999999999999999999"}, []string{"X-RateLimit q=2 w=1281023h53m38.427387904s"}},
		{"with a label", []string{"X-RateLimit-Limit-Tokens: 100", "X-RateLimit-FillRate-Tokens: 10"}, []string{`other "tokens" unit=tokens q=100 w=10s`}},
		{"a quota of 0", []string{"X-RateLimit-Limit: 0", "X-RateLimit-FillRate: 10"}, []string{"X-RateLimit q=0"}},
		{"no quota", []string{"X-RateLimit-FillRate: 10"}, nil},
		{"a negative quota", []string{"X-RateLimit-Limit: -1", "X-RateLimit-FillRate: 10"}, []string{"X-RateLimit unlimited"}},
		{"two lines, the slower", []string{"X-RateLimit-Limit: 100", "X-RateLimit-FillRate: 10", "X-RateLimit-FillRate: 5"}, []string{"X-RateLimit q=100 w=20s", "problem X-RateLimit-Fillrate at 4: values contradict each other"}},

		{"a rate of 0", []string{"X-RateLimit-Limit: 10", "X-RateLimit-FillRate: 0"}, []string{"X-RateLimit q=10", "problem X-RateLimit-Fillrate at 0: number out of range"}},
		{"no more than zeros", []string{"X-RateLimit-Limit: 10", "X-RateLimit-FillRate: 0.000"}, []string{"X-RateLimit q=10", "problem X-RateLimit-Fillrate at 0: number out of range"}},
		{"a negative rate", []string{"X-RateLimit-Limit: 10", "X-RateLimit-FillRate: -1"}, []string{"X-RateLimit q=10", "problem X-RateLimit-Fillrate at 0: number out of range"}},
		{"a rate with a unit", []string{"X-RateLimit-Limit: 10", "X-RateLimit-FillRate: 10/s"}, []string{"X-RateLimit q=10", "problem X-RateLimit-Fillrate at 2: unexpected character"}},
		{"no number", []string{"X-RateLimit-Limit: 10", "X-RateLimit-FillRate: fast"}, []string{"X-RateLimit q=10", "problem X-RateLimit-Fillrate at 0: not a number"}},
		{"an exponent", []string{"X-RateLimit-Limit: 10", "X-RateLimit-FillRate: 1e-9"}, []string{"X-RateLimit q=10", "problem X-RateLimit-Fillrate at 1: unexpected character"}},
	})
}

// TestRate checks that a rate per second becomes a whole quota per window.
func TestRate(t *testing.T) {
	const field, problem = "x-amzn-RateLimit-Limit: ", "problem X-Amzn-RateLimit-Limit at "
	testFields(t, []fieldsRow{
		{"Amazon's", []string{field + "0.0451"}, []string{`other "" q=1 w=22.172949002s`}},
		{"one", []string{field + "1"}, []string{`other "" q=1 w=1s`}},
		{"whole", []string{field + "15.0"}, []string{`other "" q=15 w=1s`}},
		{"a half", []string{field + "0.5"}, []string{`other "" q=1 w=2s`}},
		{"more than one", []string{field + "2.5"}, []string{`other "" q=3 w=1.2s`}},
		{"the smallest", []string{field + "0.000000001"}, []string{`other "" q=1 w=277777h46m39.999999872s`}},
		{"still smaller", []string{field + "0.00000000000000001"}, []string{`other "" q=1 w=277777h46m39.999999872s`}},
		{"more than a quota may be", []string{field + "4294967294"}, []string{`other "" q=2147483647 w=500ms`}},
		{"the largest", []string{field + "99999999999999999999"}, []string{`other "" q=2147483647 w=1ns`}},
		{"two lines, the slower", []string{field + "2", field + "1"}, []string{`other "" q=1 w=1s`, problem + "3: values contradict each other"}},
		{"two lines, the slower first", []string{field + "0.5", field + "0.75"}, []string{`other "" q=1 w=2s`, problem + "5: values contradict each other"}},
		{"one of two lines", []string{field + "0", field + "1"}, []string{`other "" q=1 w=1s`, problem + "0: number out of range"}},

		{"zero", []string{field + "0"}, []string{problem + "0: number out of range"}},
		{"zeros", []string{field + "0.0"}, []string{problem + "0: number out of range"}},
		{"negative", []string{field + "-0.5"}, []string{problem + "0: number out of range"}},
		{"text", []string{field + "secret"}, []string{problem + "0: not a number"}},
		{"different ones in a line", []string{field + "1, 2"}, []string{problem + "3: values contradict each other"}},
		{"empty", []string{field}, []string{problem + "-1: required value is missing"}},
	})
}
