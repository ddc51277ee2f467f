package fuzz

import (
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
)

// checkReading checks that every number is within the bounds or Unknown, and that no two limits have the
// same name.
func checkReading(t *testing.T, r validate.Reading, b validate.Bounds) {
	t.Helper()
	checkRange(t, r.RetryAfter, b.MaxReset, "RetryAfter")
	seen := map[[2]string]bool{}
	for _, l := range r.Limits {
		checkLimit(t, l, b)
		name := [2]string{l.Policy, l.PartitionKey}
		require.False(t, seen[name], "two limits of one name: %+v", r.Limits)
		seen[name] = true
	}
	require.LessOrEqual(t, len(r.Violated), parse.MaxNamed)
	require.True(t, len(r.Violated) == 0 || r.RetryAfter >= 0, "a policy that was violated has a time to wait")
	require.LessOrEqual(t, len(r.Limits), 7*validate.MaxLimits+4)
}

func checkLimit(t *testing.T, l limits.Reported, b validate.Bounds) {
	t.Helper()
	require.NotEmpty(t, l.Unit)
	require.True(t, l.Quota >= 0 || l.Remaining >= 0 || l.Reset >= 0, "%+v tells nothing", l)
	checkRange(t, l.Quota, b.MaxQuota, "Quota")
	checkRange(t, l.Remaining, b.MaxQuota, "Remaining")
	checkRange(t, l.Reset, b.MaxReset, "Reset")
	checkRange(t, l.Window, math.MaxInt64, "Window")
	require.NotZero(t, l.Window)
	units := float64(max(l.Quota, l.Remaining, 1))
	if b.MaxRate*b.MaxReset.Seconds() >= 2 { // otherwise the bounds contradict each other
		require.LessOrEqual(t, float64(l.Window)/units, float64(b.MaxReset)*2, "interval of %+v", l)
	}
	if l.Unit != limits.Requests {
		return
	}
	if l.Window > 0 {
		checkRate(t, l.Quota, l.Window, b.MaxRate)
	}
	if l.Reset >= 0 {
		checkRate(t, l.Remaining, max(l.Reset, time.Second), b.MaxRate)
	} else if l.Window > 0 {
		checkRate(t, l.Remaining, max(l.Window, time.Second), b.MaxRate)
	}
}

func checkRange[T int64 | time.Duration](t *testing.T, v, most T, what string) {
	t.Helper()
	require.True(t, v == validate.Unknown || 0 <= v && v <= most, "%s = %d, at most %d", what, v, most)
}

func checkRate(t *testing.T, n int64, d time.Duration, most float64) {
	t.Helper()
	if n > 1 {
		require.LessOrEqual(t, float64(n), most*d.Seconds()*(1+1e-9), "more than MaxRate: %d in %v", n, d)
	}
}

// checkProblem checks that a problem consists of constants and the name of a field only, so that it has no part of a header
// value.
func checkProblem(t *testing.T, h http.Header, p *validate.Problem) {
	t.Helper()
	isSent := slices.ContainsFunc(slices.Collect(maps.Keys(h)), func(name string) bool { return strings.EqualFold(name, p.Field) })
	require.True(t, isSent || p.Field == "Profile.Limits", "%q", p.Field)
	require.Contains(t, reasons(), p.Reason)
	text := "validate: " + p.Field + ": " + string(p.Reason)
	if p.Reason == validate.Malformed {
		var e *parse.Error
		require.ErrorAs(t, p, &e)
		require.Equal(t, p.Field, e.Field)
		require.Contains(t, parseErrors(), e.Err)
		text += ": " + e.Err.Error()
	}
	require.EqualError(t, p, text)
}

func reasons() []validate.Reason {
	return []validate.Reason{
		validate.Malformed, validate.Cached, validate.TooLong, validate.TooMany, validate.TooFast,
		validate.NoClock, validate.TooFar, validate.Doubted, validate.Placeholder, validate.Repeated, validate.Crowded,
	}
}

func parseErrors() []error {
	return []error{
		parse.ErrSyntax, parse.ErrTruncated, parse.ErrType, parse.ErrRange, parse.ErrMissing,
		parse.ErrNumber, parse.ErrTime, parse.ErrConflict, parse.ErrTooLong, parse.ErrTooMany,
	}
}

// checkEvidence checks that there is no number without a digit in the header, and no zero that was
// neither sent nor calculated.
func checkEvidence(t *testing.T, h http.Header, r validate.Reading) {
	t.Helper()
	var all strings.Builder
	for name, lines := range h {
		all.WriteString(foldName(name) + strings.Join(lines, ""))
	}
	sent := all.String()
	hasDigit, hasZero := strings.ContainsAny(sent, "0123456789"), strings.Contains(sent, "0")
	canBeUsedUp := strings.ContainsAny(sent, "/:") || strings.Contains(sent, "use") || strings.Contains(sent, "usage") || strings.Contains(sent, "observed")
	for _, l := range r.Limits {
		isCause := l.Remaining == 0 && l.Quota == validate.Unknown && l.Window == validate.Unknown // the policy that a refusal names
		require.True(t, hasDigit || isCause, "%+v", l)
		require.True(t, hasZero || l.Quota != 0, "%+v", l)
		require.True(t, hasZero || canBeUsedUp || r.Verdict.IsRefusal() || l.Remaining != 0, "%+v", l)
	}
}
