package ratelimittest_test

import (
	"maps"
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/ratelimittest"
	"github.com/headway-go/headway/validate"
)

func TestWithout(t *testing.T) {
	runGoldens(t, []golden{
		{"one field", ratelimittest.Without(ratelimittest.XRateLimit, "x-ratelimit-reset"), one, []string{"X-RateLimit-Limit: 100", "X-RateLimit-Remaining: 50"}},
		{"several", ratelimittest.Without(ratelimittest.Trio, "RateLimit-Policy", "RateLimit-Limit", "RateLimit-Reset"), one, []string{"RateLimit-Remaining: 50"}},
		{"none", ratelimittest.Without(ratelimittest.Draft10), one, []string{`RateLimit-Policy: "default";q=100;w=60`, `RateLimit: "default";r=50;t=30`}},
		{"a field that is not there", ratelimittest.Without(ratelimittest.RetryAfterSeconds, "Date"), refusal, []string{"Retry-After: 3"}},
	})
}

func TestRewritten(t *testing.T) {
	fraction := ratelimittest.Rewritten(ratelimittest.XRateLimitDelta, "X-RateLimit-Remaining", func(v string) string { return v + ".0" })
	blank := ratelimittest.Rewritten(ratelimittest.RetryAfterSeconds, "retry-after", func(string) string { return "" })
	runGoldens(t, []golden{
		{"one field", fraction, one, []string{"X-RateLimit-Limit: 100", "X-RateLimit-Remaining: 50.0", "X-RateLimit-Reset: 30"}},
		{"an empty value", blank, refusal, []string{"Retry-After: "}},
		{"a field that is not written", blank, one, nil},
		{"twice", ratelimittest.Rewritten(fraction, "X-RateLimit-Remaining", func(v string) string { return v + "0" }), one, []string{
			"X-RateLimit-Limit: 100", "X-RateLimit-Remaining: 50.00", "X-RateLimit-Reset: 30",
		}},
		{"every line", ratelimittest.Rewritten(ratelimittest.Together(ratelimittest.XRateLimitDelta, ratelimittest.XRateLimit), "X-RateLimit-Reset", func(v string) string { return v + " s" }), one, []string{
			"X-RateLimit-Limit: 100", "X-RateLimit-Remaining: 50", "X-RateLimit-Reset: 30 s",
			"X-RateLimit-Limit: 100", "X-RateLimit-Remaining: 50", "X-RateLimit-Reset: 1893456030 s",
		}},
	})
}

// Without can leave a field out of every third response.
func TestWithoutEveryNth(t *testing.T) {
	d := ratelimittest.EveryNth(3, ratelimittest.Without(ratelimittest.XRateLimitDelta, "X-RateLimit-Reset"), ratelimittest.XRateLimitDelta)
	var resets []string
	for range 6 {
		h := written(d, one)
		require.Equal(t, "50", h.Get("X-RateLimit-Remaining"))
		resets = append(resets, h.Get("X-RateLimit-Reset"))
	}
	require.Equal(t, []string{"30", "30", "", "30", "30", ""}, resets)
}

// Dialects that spoil fields leave alone the fields that another Handler has written before.
func TestFaultsLeaveOtherFieldsAlone(t *testing.T) {
	before := []string{`RateLimit: "other";r=1`, `RateLimit: "another";r=2`, "RateLimit-Policy: 5;w=1", "Date: Tue, 01 Jan 2030 00:00:00 GMT"}
	tests := []struct {
		name    string
		dialect ratelimittest.Dialect
		want    []string
	}{
		{"without both", ratelimittest.Without(ratelimittest.Draft10, "RateLimit", "RateLimit-Policy", "Date"), before},
		{"malformed", ratelimittest.Malformed(ratelimittest.Draft10), append(before,
			`RateLimit: "default";r=50;t=30;`, `RateLimit-Policy: "default";q=100;w=60;`)},
		{"rewritten", ratelimittest.Rewritten(ratelimittest.Draft10, "RateLimit", func(string) string { return "x" }), append(before,
			"RateLimit: x", `RateLimit-Policy: "default";q=100;w=60`)},
		{"replaced and malformed", ratelimittest.Malformed(ratelimittest.Draft07, "RateLimit"), []string{
			"RateLimit: limit=100, remaining=50, reset=30;", "RateLimit-Policy: 100;w=60", before[3],
		}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			h := header(before...)
			tt.dialect(h, decided, one)
			require.Equal(t, header(tt.want...), h)
		})
	}
}

// No client can read a malformed field of any dialect.
func TestMalformed(t *testing.T) {
	dialects := map[string]ratelimittest.Dialect{
		"RetryAfterSeconds": ratelimittest.RetryAfterSeconds,
		"RetryAfterDate":    ratelimittest.RetryAfterDate,
	}
	maps.Copy(dialects, allDialects)
	for name, d := range dialects {
		t.Run(name, func(t *testing.T) {
			fine := written(d, refusal)
			h := written(ratelimittest.Malformed(d), refusal)
			require.Len(t, h, len(fine))
			for field, lines := range h {
				require.Equal(t, []string{fine.Get(field) + ";"}, lines)
			}
			reading := validate.Response(&http.Response{StatusCode: http.StatusOK, Header: h}, decided, validate.Bounds{})
			require.Empty(t, reading.Limits)
			require.Equal(t, int64(validate.Unknown), int64(reading.RetryAfter))
			require.Len(t, reading.Problems, len(fine))
		})
	}
}
