package fuzz

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/validate"
)

// A service has the parts of a Profile of the caller's for the response's host. The zero service is no
// profile.
type service struct {
	unit, window, minWait int64
	refused               int // a status code
}

// host returns the host name of a response's request, in lower case and without a final dot.
func host(resp *http.Response) string {
	if resp.Request == nil {
		return ""
	}
	return strings.ToLower(strings.TrimSuffix(resp.Request.URL.Hostname(), "."))
}

// reasonField is the field that names policies, and also the text of the proof.
const reasonField = "RateLimit-Reason"

// proofs returns the texts of the proofs of all hosts.
func proofs() []string {
	return []string{
		reasonField, "secondary rate limit", "RATELIMITED", "REQUEST_LIMIT_EXCEEDED",
		"(#4) Application request limit reached", "(#17) User request limit reached",
	}
}

func (s service) profiles(resp *http.Response) []validate.Profile {
	if s == (service{}) || host(resp) == "" {
		return nil
	}
	window := time.Duration(s.window)
	return []validate.Profile{{
		Host:        host(resp),
		ResetUnit:   time.Duration(s.unit),
		Windows:     []time.Duration{window, -window, window / 2},
		Aligned:     s.unit%2 == 0,
		Statuses:    []int{s.refused},
		Proofs:      []validate.Proof{{Status: s.refused + 1, Text: reasonField}},
		MinWait:     time.Duration(s.minWait),
		PolicyField: reasonField,
	}}
}

// refuses reports whether the status alone is a refusal by the host, and whether it is a refusal with a
// proof.
func (s service) refuses(resp *http.Response) (alone, withProof bool) {
	status := resp.StatusCode
	if status < http.StatusBadRequest {
		return false, false
	}
	if s.profiles(resp) != nil {
		return status == s.refused, status == s.refused+1
	}
	isBelow := func(domain string) bool {
		h := host(resp)
		return h == domain || strings.HasSuffix(h, "."+domain) && !strings.Contains(h, ":")
	}
	switch status {
	case http.StatusTeapot:
		return isBelow("binance.com"), false
	case 529:
		return isBelow("notion.com") || isBelow("anthropic.com"), false
	case http.StatusBadRequest:
		return false, isBelow("linear.app") || isBelow("facebook.com") || isBelow("instagram.com")
	case http.StatusPaymentRequired:
		return isBelow("toggl.com"), false
	case http.StatusForbidden:
		return false, isBelow("github.com") || isBelow("salesforce.com") || isBelow("force.com") ||
			isBelow("facebook.com") || isBelow("instagram.com")
	}
	return false, false
}

// checkThrottled checks that only documented statuses make a response a refusal.
func (s service) checkThrottled(t *testing.T, resp *http.Response, r validate.Reading) {
	t.Helper()
	alone, withProof := s.refuses(resp)
	isExhausted := slices.ContainsFunc(r.Limits, func(l limits.Reported) bool { return l.Remaining == 0 })
	switch status := resp.StatusCode; {
	case status == http.StatusTooManyRequests, alone:
		require.True(t, r.Throttled)
	case withProof && isExhausted:
		require.True(t, r.Throttled)
	case status == http.StatusServiceUnavailable:
		require.Equal(t, r.RetryAfter != validate.Unknown, r.Throttled)
	case status == http.StatusForbidden:
		require.Equal(t, r.RetryAfter > 0 || isExhausted, r.Throttled)
	default:
		require.False(t, r.Throttled)
	}
	require.Equal(t, withProof && !r.Throttled, r.Unproven, "whether the body has to be read")
}

// checkProof checks that a body proves a refusal only if a proof is needed, and that the Reading stays valid.
func (s service) checkProof(t *testing.T, body string, r validate.Reading, b validate.Bounds) {
	t.Helper()
	before := r.Throttled
	require.Equal(t, before, r.Prove(nil))
	require.Equal(t, before || r.Unproven && slices.ContainsFunc(proofs(), func(text string) bool { return strings.Contains(body, text) }), r.Prove([]byte(body)))
	checkReading(t, r, b)
}
