package validate_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/validate"
)

// TestDialects checks that Dialect is the family with the highest precedence that reported the limit.
func TestDialects(t *testing.T) {
	for _, c := range []struct {
		header []string
		want   limits.Dialect
		text   string
	}{
		{[]string{`RateLimit: "a";r=1`, "X-RateLimit-Remaining: 1"}, limits.DialectRateLimit, "RateLimit"},
		{[]string{"RateLimit: limit=10, remaining=1, reset=5"}, limits.DialectDraft07, "RateLimit (draft 07)"},
		{[]string{"RateLimit-Remaining: 1"}, limits.DialectTrio, "RateLimit-*"},
		{[]string{"X-RateLimit-Remaining-Tokens: 1"}, limits.DialectNamed, "named fields"},
		{[]string{"X-RateLimit-Remaining: 1"}, limits.DialectXRateLimit, "X-RateLimit-*"},
		{[]string{"X-Rate-Limit-Remaining: 1"}, limits.DialectXDashed, "X-Rate-Limit-*"},
		{[]string{`RateLimit-Policy: "a";q=1;w=1`}, limits.DialectPolicy, "RateLimit-Policy"},
	} {
		t.Run(c.text, func(t *testing.T) {
			got := msg(http.StatusOK, c.header...).read(received, validate.Bounds{})
			require.Len(t, got.Limits, 1)
			require.Equal(t, c.want, got.Limits[0].Dialect)
			require.Equal(t, c.text, c.want.String())
		})
	}
}
