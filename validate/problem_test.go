package validate_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
)

func TestMalformed(t *testing.T) {
	got := msg(http.StatusOK, `RateLimit: "secret`).read(received, validate.Bounds{})
	require.Len(t, got.Problems, 1)
	p := got.Problems[0]
	require.Equal(t, "RateLimit", p.Field)
	require.Equal(t, validate.Malformed, p.Reason)
	require.EqualError(t, p, "validate: RateLimit: malformed: unexpected end of the value")
	require.ErrorIs(t, p, parse.ErrTruncated)
	var syntax *parse.Error
	require.ErrorAs(t, p, &syntax)
	require.Equal(t, "RateLimit", syntax.Field)
}
