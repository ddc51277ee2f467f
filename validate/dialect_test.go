package validate_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/validate"
)

// The dialect is that of the fields that told first, as these take precedence.
func TestDialects(t *testing.T) {
	for _, c := range []struct {
		header []string
		want   validate.Dialect
		text   string
	}{
		{[]string{`RateLimit: "a";r=1`, "X-RateLimit-Remaining: 1"}, validate.DialectRateLimit, "RateLimit"},
		{[]string{"RateLimit: limit=10, remaining=1, reset=5"}, validate.DialectDraft07, "RateLimit (draft 07)"},
		{[]string{"RateLimit-Remaining: 1"}, validate.DialectTrio, "RateLimit-*"},
		{[]string{"X-RateLimit-Remaining-Tokens: 1"}, validate.DialectNamed, "named fields"},
		{[]string{"X-RateLimit-Remaining: 1"}, validate.DialectXRateLimit, "X-RateLimit-*"},
		{[]string{"X-Rate-Limit-Remaining: 1"}, validate.DialectXDashed, "X-Rate-Limit-*"},
		{[]string{`RateLimit-Policy: "a";q=1;w=1`}, validate.DialectPolicy, "RateLimit-Policy"},
	} {
		t.Run(c.text, func(t *testing.T) {
			got := msg(http.StatusOK, c.header...).read(received, validate.Bounds{})
			require.Len(t, got.Limits, 1)
			require.Equal(t, c.want, got.Limits[0].Dialect)
			require.Equal(t, c.text, c.want.String())
		})
	}
	require.Equal(t, "unknown", validate.Dialect(0).String())
	require.Equal(t, "unknown", validate.Dialect(200).String())
}
