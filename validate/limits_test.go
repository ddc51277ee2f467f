package validate_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
)

// TestCrowded checks that a server cannot make a client keep an unbounded number of limits.
func TestCrowded(t *testing.T) {
	crowd := func(n int) validate.Reading {
		var items, policies []string
		for i := range n {
			items = append(items, fmt.Sprintf(`"p%d";r=1`, i))
			policies = append(policies, fmt.Sprintf(`"p%d";q=1;w=%d`, i, i+1))
		}
		m := msg(http.StatusOK, "RateLimit: "+strings.Join(items, ", "), "RateLimit-Policy: "+strings.Join(policies, ", "))
		return m.read(received, validate.Bounds{})
	}
	got := crowd(validate.MaxLimits)
	require.Len(t, got.Limits, validate.MaxLimits)
	require.Equal(t, named("p63", limit(1, 1, 64*s, unknown)), withoutDialects(got.Limits)[63])
	require.Empty(t, got.Problems)

	crowded := crowd(1000)
	require.Equal(t, got.Limits, withoutDialects(crowded.Limits))
	require.Equal(t, []string{
		"RateLimit: more than MaxLimits, the rest is ignored",
		"RateLimit-Policy: more than MaxLimits, the rest is ignored",
	}, problems(crowded))
}

// crowdOfNames returns MaxNamed limits with labels, of n policies each.
func crowdOfNames(n int) http.Header {
	h := http.Header{}
	for i := range parse.MaxNamed {
		label := strings.Repeat("-User", i%4) + strings.Repeat("-Ip", i/4%4) + strings.Repeat("-Key", i/16) + "-Tokens"
		var value strings.Builder
		value.WriteString("5")
		for j := range n {
			_, _ = fmt.Fprintf(&value, ", %d;w=%d", 10+i, 1+j)
		}
		h["X-Ratelimit-Limit"+label] = []string{value.String()}
	}
	return h
}

func TestNothingToRead(t *testing.T) {
	empty := validate.Reading{RetryAfter: validate.Unknown}
	require.Equal(t, empty, validate.Response(nil, received, validate.Bounds{}), "no response")
	require.Equal(t, empty, validate.Response(&http.Response{}, time.Time{}, validate.Bounds{}), "no header")
	require.Equal(t, empty, msg(http.StatusOK).read(time.Time{}, validate.Bounds{}), "no field")
}
