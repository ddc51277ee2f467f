package parse_test

import (
	"testing"
)

func TestWaitNames(t *testing.T) {
	testFields(t, []fieldsRow{
		{"OpenAI", []string{"retry-after-ms: 5"}, []string{"fine 5ms"}},
		{"Azure", []string{"x-ms-retry-after-ms: 50"}, []string{"fine 50ms"}},
		{"Traefik", []string{"X-Retry-In: 1m0.5s"}, []string{"fine 1m0.5s"}},
		{"X-Retry-After", []string{"X-Retry-After: 7"}, []string{"other-wait 7s"}},
		{"MailerLite", []string{"X-RateLimit-Retry-After: 7"}, []string{"other-wait 7s"}},
		{"in seconds", []string{"X-RateLimit-Retry-After-Seconds: 7"}, []string{"other-wait 7s"}},
		{"dashed", []string{"X-Rate-Limit-Retry-After: 7"}, []string{"other-wait 7s"}},
		{"bucket4j", []string{"X-Rate-Limit-Retry-After-Seconds: 7"}, []string{"other-wait 7s"}},
		{"a date", []string{"X-Retry-After: Tue, 14 Mar 2017 16:16:00 GMT"}, []string{"other-wait 2017-03-14T16:16:00Z"}},
		{"unknown words", []string{"X-Retry-After-Hint: 7", "Retry-After-Seconds: 7", "X-Retry: 7", "Retry-In: 5s", "X-Retry-Count: 3"}, nil},
	})
}

// TestWaitsOfSeveralNames checks that all names are read, sorted by their kinds and names.
func TestWaitsOfSeveralNames(t *testing.T) {
	testFields(t, []fieldsRow{
		{"kinds are kept apart", []string{"Retry-After: 2", "retry-after-ms: 1500", "X-Retry-After: 3"}, []string{"fine 1.5s", "retry-after 2s", "other-wait 3s"}},
		{"milliseconds", []string{"retry-after-ms: 5", "x-ms-retry-after-ms: 50"}, []string{"fine 5ms", "fine 50ms"}},
		{"milliseconds and a duration", []string{"retry-after-ms: 5", "X-Retry-In: 6ms"}, []string{"fine 5ms", "fine 6ms"}},
		{
			"seconds, all names",
			[]string{"X-Retry-After: 1", "X-RateLimit-Retry-After: 2", "X-RateLimit-Retry-After-Seconds: 3", "X-Rate-Limit-Retry-After: 5", "X-Rate-Limit-Retry-After-Seconds: 4"},
			[]string{"other-wait 5s", "other-wait 4s", "other-wait 2s", "other-wait 3s", "other-wait 1s"},
		},
		{"one is malformed", []string{"retry-after-ms: soon", "x-ms-retry-after-ms: 5"}, []string{"fine 5ms", "problem Retry-After-Ms at 0: not a time"}},
		{
			"each of them is malformed",
			[]string{"X-Retry-After: soon", "X-RateLimit-Retry-After: -1", "X-Rate-Limit-Retry-After-Seconds:"},
			[]string{
				"problem X-Rate-Limit-Retry-After-Seconds at -1: required value is missing",
				"problem X-RateLimit-Retry-After at 0: number out of range",
				"problem X-Retry-After at 0: not a time",
			},
		},
	})
}

func TestMilliseconds(t *testing.T) {
	testFields(t, []fieldsRow{
		{"zero", []string{"retry-after-ms: 0"}, []string{"fine 0s"}},
		{"a fraction", []string{"retry-after-ms: 0.25"}, []string{"fine 250µs"}},
		{"less than a nanosecond", []string{"retry-after-ms: 0.0000000001"}, []string{"fine 1ns"}},
		{"an epoch", []string{"retry-after-ms: 1772625630000"}, []string{"fine 2026-03-04T12:00:30Z"}},
		{"three years are none", []string{"retry-after-ms: 99999999999"}, []string{"fine 27777h46m39.999s"}},
		{"saturated", []string{"retry-after-ms: 99999999999999999999"}, []string{"fine 2562047h47m16.854775807s"}},
		{"repeated by a proxy", []string{"retry-after-ms: 5, 5"}, []string{"fine 5ms"}},
		{"two lines", []string{"retry-after-ms: 5", "retry-after-ms: 7"}, []string{"fine 7ms", "problem Retry-After-Ms at 3: values contradict each other"}},
		{"negative", []string{"retry-after-ms: -5"}, []string{"problem Retry-After-Ms at 0: number out of range"}},
		{"a unit", []string{"retry-after-ms: 5s"}, []string{"fine 5s"}},
		{"a date", []string{"x-ms-retry-after-ms: Tue, 14 Mar 2017 16:16:00 GMT"}, []string{"fine 2017-03-14T16:16:00Z"}},
		{"exponent", []string{"retry-after-ms: 1e3"}, []string{"problem Retry-After-Ms at 1: not a time"}},
		{"empty", []string{"retry-after-ms:"}, []string{"problem Retry-After-Ms at -1: required value is missing"}},
	})
}

func TestRetryIn(t *testing.T) {
	testFields(t, []fieldsRow{
		{"milliseconds", []string{"X-Retry-In: 812ms"}, []string{"fine 812ms"}},
		{"zero", []string{"X-Retry-In: 0s"}, []string{"fine 0s"}},
		{"seconds without a unit", []string{"X-Retry-In: 1.5"}, []string{"fine 1.5s"}},
		{"microseconds", []string{"X-Retry-In: 10µs"}, []string{"fine 10µs"}},
		{"negative", []string{"X-Retry-In: -1s"}, []string{"problem X-Retry-In at 0: number out of range"}},
		{"negative without a unit", []string{"X-Retry-In: -1"}, []string{"problem X-Retry-In at 0: number out of range"}},
		{"unknown unit", []string{"X-Retry-In: 1w"}, []string{"problem X-Retry-In at 1: not a time"}},
		{"a date", []string{"X-Retry-In: 2017-03-14T16:16:00Z"}, []string{"fine 2017-03-14T16:16:00Z"}},
		{"empty", []string{"X-Retry-In:"}, []string{"problem X-Retry-In at -1: required value is missing"}},
	})
}
