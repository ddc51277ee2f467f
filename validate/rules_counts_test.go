package validate_test

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/headway-go/headway/validate"
)

// noLimit is the problem of a number that means no limit.
const noLimit = ": stands for no limit, ignored"

// TestRule14RemainingAboveLimit checks that a remaining quota above the quota is kept, and the quota too.
// Servers such as tollbooth send these numbers if they allow bursts or weight requests.
func TestRule14RemainingAboveLimit(t *testing.T) {
	run(t, []row{
		{
			name:   "a trio",
			header: []string{"RateLimit-Limit: 10", "RateLimit-Remaining: 25", "RateLimit-Reset: 1"},
			limits: limitList(limit(10, 25, unknown, s)),
		},
		{
			name:   "draft 10",
			header: []string{`RateLimit-Policy: "a";q=10;w=1`, `RateLimit: "a";r=25;t=1`},
			limits: limitList(named("a", limit(10, 25, s, s))),
		},
	})
}

// TestRule15NegativeCounts checks negative remaining quotas.
//
// On a refusal a negative number means that the client exceeded its quota, so it is 0: httprate counts on
// below 0. On any other response it is Unknown. Spring Cloud Gateway sends -1 if the store of its limiter
// is down. Azure OpenAI sends -1 of -1 if it has no numbers.
func TestRule15NegativeCounts(t *testing.T) {
	run(t, []row{
		{
			name: "on a refusal", status: 429,
			header:  []string{"X-RateLimit-Limit: 10", "X-RateLimit-Remaining: -7", "X-RateLimit-Reset: 30"},
			limits:  limitList(limit(10, 0, unknown, 30*s)),
			refused: true,
		},
		{
			name: "on a 503 with Retry-After", status: 503,
			header:  []string{"X-RateLimit-Limit: 10", "X-RateLimit-Remaining: -1", "Retry-After: 3"},
			limits:  limitList(limit(10, 0, unknown, unknown)),
			hasWait: true, wait: 3 * s, refused: true,
		},
		{
			name:     "on a success",
			header:   []string{"X-RateLimit-Limit: 10", "X-RateLimit-Remaining: -1", "X-RateLimit-Reset: 30"},
			limits:   limitList(limit(10, unknown, unknown, 30*s)),
			problems: []string{"X-RateLimit-Remaining" + noLimit},
		},
		{
			name: "on a 404", status: 404,
			header:   []string{"X-RateLimit-Remaining: -1"},
			problems: []string{"X-RateLimit-Remaining" + noLimit},
		},
		{
			name: "no proof on a 403", status: 403,
			header:   []string{"X-RateLimit-Limit: 10", "X-RateLimit-Remaining: -1"},
			limits:   limitList(limit(10, unknown, unknown, unknown)),
			problems: []string{"X-RateLimit-Remaining" + noLimit},
		},
		{
			name:     "a negative limit",
			header:   []string{"X-RateLimit-Limit: -1", "X-RateLimit-Remaining: -1", "X-RateLimit-Reset: 0"},
			problems: []string{"X-RateLimit-Limit" + noLimit},
		},
		{
			name: "Azure OpenAI",
			header: []string{
				"x-ratelimit-limit-tokens: -1", "x-ratelimit-remaining-tokens: -1", "x-ratelimit-reset-tokens: 0",
				"x-ratelimit-limit-requests: 10", "x-ratelimit-remaining-requests: 9", "x-ratelimit-reset-requests: 6",
			},
			limits:   limitList(named("requests", limit(10, 9, unknown, 6*s))),
			problems: []string{"X-RateLimit-Limit-Tokens" + noLimit},
		},
		{
			name:     "a structured field has none",
			header:   []string{`RateLimit: "a";r=-1;t=30, "b";r=1`},
			limits:   limitList(named("b", limit(unknown, 1, unknown, unknown))),
			problems: []string{"RateLimit: malformed"},
		},
	})
}

// TestRule16LimitZero checks quotas of 0.
//
// A quota of 0 with nothing remaining and no wait means no limit: Tyk sends 0, 0 and 0 if no limit
// applies. On a refusal 0 may be meant, as by Mistral for an account without a plan. A reset of 0 is no
// reason to wait.
func TestRule16LimitZero(t *testing.T) {
	zero := []string{"X-RateLimit-Limit: 0", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 0"}
	ignored := []string{"X-RateLimit-Limit" + noLimit}
	run(t, []row{
		{name: "all zero", header: zero, problems: ignored},
		{name: "all zero is no proof on a 403", status: 403, header: zero, problems: ignored},
		{name: "all zero on a refusal", status: 429, header: zero, limits: limitList(limit(0, 0, unknown, unknown)), refused: true},
		{
			name:   "a quota of 0 for a while",
			header: []string{`RateLimit-Policy: "a";q=0;w=60`, `RateLimit: "a";r=0;t=30`},
			limits: limitList(named("a", limit(0, 0, 60*s, 30*s))),
		},
		{
			name:   "units remaining of 0",
			header: []string{"X-RateLimit-Limit: 0", "X-RateLimit-Remaining: 7"}, problems: ignored,
			limits: limitList(limit(unknown, 7, unknown, unknown)),
		},
		{
			name: "Mistral without a plan", status: 429,
			header: []string{"x-ratelimit-limit-req-minute: 0", "x-ratelimit-remaining-req-minute: 0"},
			limits: limitList(named("req-minute", limit(0, 0, 60*s, unknown))), refused: true,
		},
		{name: "a limit of 0 alone", header: []string{"X-RateLimit-Limit: 0"}, problems: ignored},
		{
			name:   "nothing left, and the reset is due",
			header: []string{"X-RateLimit-Limit: 10", "X-RateLimit-Remaining: 0", "X-RateLimit-Reset: 0"},
			limits: limitList(limit(10, 0, unknown, 0)),
		},
	})
}

// TestRule17Words checks that a word instead of a number is Unknown, never 0. Servers send unlimited,
// null, undefined, NaN and empty values.
func TestRule17Words(t *testing.T) {
	for _, word := range []string{"unlimited", "null", "undefined", "NaN", "", "none", "true", "∞"} {
		run(t, []row{{
			name: word,
			header: []string{
				"X-RateLimit-Limit: " + word, "X-RateLimit-Remaining: " + word, "X-RateLimit-Used: " + word, "X-RateLimit-Reset: " + word,
			},
			problems: []string{
				"X-RateLimit-Limit: malformed", "X-RateLimit-Remaining: malformed", "X-RateLimit-Used: malformed", "X-RateLimit-Reset: malformed",
			},
		}})
	}
	run(t, []row{{
		name:     "one of three",
		header:   []string{"X-RateLimit-Limit: unlimited", "X-RateLimit-Remaining: 7", "X-RateLimit-Reset: 30"},
		limits:   limitList(limit(unknown, 7, unknown, 30*s)),
		problems: []string{"X-RateLimit-Limit: malformed"},
	}})
}

// TestRule18Floats checks that a fraction of a count is rounded down, and that a fraction of a time is kept.
//
// Reddit's remaining is 57.0, tollbooth's limit 20.00. Structured fields have Integers only.
// x-amzn-RateLimit-Limit is not a count but requests per second: 0.25 is one in four seconds.
func TestRule18Floats(t *testing.T) {
	run(t, []row{
		{
			name:   "counts and a reset",
			header: []string{"X-RateLimit-Limit: 20.00", "X-RateLimit-Remaining: 5.9", "X-RateLimit-Reset: 7.66"},
			limits: limitList(limit(20, 5, unknown, 7660*time.Millisecond)),
		},
		{
			name:   "less than one remains",
			header: []string{"X-RateLimit-Limit: 20.00", "X-RateLimit-Remaining: 0.9"},
			limits: limitList(limit(20, 0, unknown, unknown)),
		},
		{name: "a rate", header: []string{"x-amzn-RateLimit-Limit: 0.25"}, limits: limitList(limit(1, unknown, 4*s, unknown))},
		{name: "a rate above one", header: []string{"x-amzn-RateLimit-Limit: 5.0"}, limits: limitList(limit(5, unknown, s, unknown))},
		{name: "a rate of 0", header: []string{"x-amzn-RateLimit-Limit: 0.0"}, problems: []string{"X-Amzn-RateLimit-Limit: malformed"}},
		{
			name:     "a Decimal in a structured field",
			header:   []string{`RateLimit: "a";r=57.0;t=3`, "X-RateLimit-Remaining: 57.0"},
			limits:   limitList(limit(unknown, 57, unknown, unknown)),
			problems: []string{"RateLimit: malformed"},
		},
	})
}

// TestRule19SignsZerosAndSpace checks which extra characters a number may have.
//
// White space around a value, and zeros and a plus before it, are accepted. Retry-After and structured
// fields must not have a sign. Text after a number is an error: "5 requests" is not 5.
func TestRule19SignsZerosAndSpace(t *testing.T) {
	seven := limitList(limit(unknown, 7, unknown, unknown))
	run(t, []row{
		{name: "white space", header: []string{"X-RateLimit-Remaining: \t 7 \t"}, limits: seven},
		{name: "zeros", header: []string{"X-RateLimit-Remaining: 007"}, limits: seven},
		{name: "plus", header: []string{"X-RateLimit-Remaining: +7"}, limits: seven},
		{name: "zeros in a structured field", header: []string{`RateLimit: "a";r=007`}, limits: limitList(named("a", seven[0]))},
		{name: "plus in a structured field", header: []string{`RateLimit: "a";r=+7`}, problems: []string{"RateLimit: malformed"}},
		{name: "plus in Retry-After", header: []string{"Retry-After: +7"}, hasWait: true, wait: 7 * s},
		{name: "requests", header: []string{"X-RateLimit-Remaining: 7 requests"}, problems: []string{"X-RateLimit-Remaining: malformed"}},
		{name: "per minute", header: []string{"X-RateLimit-Limit: 7 per 1 minute"}, problems: []string{"X-RateLimit-Limit: malformed"}},
		{name: "seconds", header: []string{"X-RateLimit-Reset: 7 seconds"}, problems: []string{"X-RateLimit-Reset: malformed"}},
		{name: "hexadecimal", header: []string{"X-RateLimit-Remaining: 0x7"}, problems: []string{"X-RateLimit-Remaining: malformed"}},
		{name: "two signs", header: []string{"X-RateLimit-Remaining: +-7"}, problems: []string{"X-RateLimit-Remaining: malformed"}},
	})
}

// TestRule22HugeNumbers checks that numbers saturate and never overflow, and that numbers with too many
// digits are errors. Jira Data Center blocks with a Retry-After of 9223372036854775807 seconds, which
// would be negative in nanoseconds.
func TestRule22HugeNumbers(t *testing.T) {
	const most = math.MaxInt64
	nines := strings.Repeat("9", 101)
	unbounded := validate.Bounds{MaxReset: -1, MaxQuota: -1, MaxRate: -1}
	run(t, []row{
		{
			name: "saturate", status: 429, bounds: unbounded,
			header: []string{
				"Retry-After: 9223372036854775807", "X-RateLimit-Limit: 9223372036854775807",
				"X-RateLimit-Remaining: 99999999999999999999999", "X-RateLimit-Reset-After: 9223372037",
			},
			limits:  limitList(limit(most, most, unknown, most)),
			hasWait: true, wait: most, refused: true,
		},
		{
			name: "the last that fits", status: 429, bounds: unbounded,
			header:  []string{"Retry-After: 9223372036.854775807", `RateLimit: "a";r=999999999999999;t=9223372036`},
			limits:  limitList(named("a", limit(unknown, 999999999999999, unknown, 9223372036*s))),
			hasWait: true, wait: most, refused: true,
		},
		{
			name: "a window saturates", bounds: unbounded,
			header: []string{`RateLimit-Policy: "a";q=1;w=999999999999999`},
			limits: limitList(named("a", limit(1, unknown, most, unknown))),
		},
		{
			name: "are bounded", status: 429,
			header:  []string{"Retry-After: 9223372036854775807", "X-RateLimit-Limit: 9223372036854775807", "X-RateLimit-Remaining: 99999999999999999999999"},
			limits:  limitList(limit(validate.DefaultMaxQuota, validate.DefaultMaxQuota, unknown, unknown)),
			hasWait: true, wait: validate.DefaultMaxReset, refused: true,
			problems: []string{
				"Retry-After: longer than MaxReset, clamped",
				"X-RateLimit-Limit: more than MaxQuota, clamped",
				"X-RateLimit-Remaining: more than MaxQuota, clamped",
			},
		},
		{
			name:     "16 digits in a structured field",
			header:   []string{`RateLimit: "a";r=1000000000000000`},
			problems: []string{"RateLimit: malformed"},
		},
		{
			name: "101 digits", status: 429,
			header:   []string{"Retry-After: " + nines, "X-RateLimit-Limit: " + nines, "X-RateLimit-Remaining: " + nines},
			refused:  true,
			problems: []string{"Retry-After: malformed", "X-RateLimit-Limit: malformed", "X-RateLimit-Remaining: malformed"},
		},
	})
}
