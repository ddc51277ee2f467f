package fuzz

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/validate"
)

// FuzzRefusalBody: whatever stands in the body of a refusal, the Reading is within the bounds. What makes a refusal final is
// in the body, and the policies are those that the simplest reader finds.
func FuzzRefusalBody(f *testing.F) {
	for _, body := range []string{
		`{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","violated-policies":["daily","bandwidth"]}`,
		`{"violated-policies":["a"],"status":429,"violated-policies":["b",""]}`, `{"Violated-Policies":["a"]}`,
		`{"violated\u002dpolicies":["\ud83d\ude00\\","\ud83d"]}`, "{\"violated-policies\":[\"\xff\"]}",
		`{"violated-policies":["a",null]}`, `{"violated-policies":{"0":"a"}}`, `{"violated-policies":["a"`,
		`{"error":{"code":"insufficient_quota"}}`, `{"retryable":false}}`, `[{"error":{"code":429,"details":[{"retryDelay":"34.5s"}]}}]`,
		`{"error":{"details":[{"retryDelay":{"seconds":"34","nanos":5e8}},{"violations":[{"quotaId":"RequestsPerDay"}]}]}}`,
		`{"retry_after":1e400,"global":true}`, `{"retry_after":-1}`, `{"retry_after":"Fri, 31 Dec 1999 23:59:59 GMT"}`,
		strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), strings.Repeat(`{"error":`, 5000), `null`, ``,
	} {
		f.Add(body)
	}
	f.Fuzz(func(t *testing.T, text string) {
		resp := &http.Response{
			StatusCode: http.StatusTooManyRequests,
			Header:     http.Header{"Content-Type": {"application/json"}, "Date": {"Fri, 31 Dec 1999 23:59:00 GMT"}},
		}
		got := validate.Response(resp, time.Time{}, validate.Bounds{})
		require.True(t, got.WantsBody)
		body := []byte(text)
		got.ReadBody(body)
		require.Equal(t, text, string(body), "the body is not written to")
		names := got.Violated
		got.Violated = nil // those in the body have no wait of their own
		checkReading(t, got, resolved(validate.Bounds{}))
		require.NotEqual(t, validate.VerdictNone, got.Verdict)
		if got.Verdict == validate.VerdictNever {
			require.NotEmpty(t, got.Sign)
			require.True(t, json.Valid(body))
		}
		require.Equal(t, violated(body), names)
	})
}

// violated reads the names in the simplest way, for comparison.
func violated(body []byte) (names []string) {
	var members map[string]json.RawMessage
	var array []*string
	if len(body) > validate.MaxBody || json.Unmarshal(body, &members) != nil || json.Unmarshal(members["violated-policies"], &array) != nil || len(array) > 16 {
		return nil
	}
	for _, name := range array {
		if name == nil || len(*name) > 256 {
			return nil
		}
		names = append(names, limits.ShortName(*name))
	}
	return names
}
