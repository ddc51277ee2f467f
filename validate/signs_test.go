package validate_test

import (
	"net/http"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/validate"
)

// readBody reads a refusal in JSON under a profile with these signs.
func readBody(status int, header []string, body string, signs ...validate.Sign) validate.Reading {
	got := msg(status, append(header, "Content-Type: application/json")...).atExample().under(validate.Profile{Host: "example.com", Signs: signs})
	got.ReadBody([]byte(body))
	return got
}

// What a sign says does not depend on whether it comes before another one, or is in the header.
func TestSignsAgainstEachOther(t *testing.T) {
	helps := validate.Sign{Member: "code", Values: []string{"slow"}, Verdict: validate.VerdictWait}
	proof := validate.Sign{Statuses: []int{429}, Member: "code"}
	ends := validate.Sign{Field: "X-Ends", Verdict: validate.VerdictNever}
	no := []string{"X-Should-Retry: false"}
	for _, c := range []struct {
		name   string
		header []string
		body   string
		signs  []validate.Sign
		want   validate.Verdict
		sign   string
	}{
		{"a field for all hosts", no, `{}`, nil, validate.VerdictNever, "X-Should-Retry"},
		{"a wait in a later field", append(no, "X-Amz-Retry-After: 5000"), `{}`, nil, validate.VerdictWait, "X-Amz-Retry-After"},
		{"a wait in the body", no, `{"retry_after":5}`, nil, validate.VerdictWait, "retry_after"},
		{"no wait in the body", no, `{"retry_after":0}`, nil, validate.VerdictNever, "X-Should-Retry"},
		{"the host says that waiting helps, in the body", no, `{"code":"slow"}`, []validate.Sign{helps}, validate.VerdictWait, "code"},
		{"both in the body", nil, `{"code":"slow","retryable":false}`, []validate.Sign{helps}, validate.VerdictWait, "code"},
		{"the host says no more than that it refuses", nil, `{"code":"slow","retryable":false}`, []validate.Sign{proof}, validate.VerdictNever, "retryable"},
		{"the host says both", []string{"X-Ends: 1"}, `{"code":"slow"}`, []validate.Sign{helps, ends}, validate.VerdictNever, "X-Ends"},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := readBody(http.StatusTooManyRequests, c.header, c.body, c.signs...)
			require.Equal(t, c.want, got.Verdict)
			require.Equal(t, c.sign, got.Sign)
		})
	}
}

func TestSign(t *testing.T) {
	slow := validate.Sign{Statuses: []int{400}, Field: "X-Kind", Values: []string{"slow"}, Text: "limit"}
	for _, c := range []struct {
		name   string
		sign   validate.Sign
		header []string
		body   string
		want   validate.Verdict
	}{
		{"a field and a text", slow, []string{"X-Kind: slow"}, `"limit"`, validate.VerdictUnknown},
		{"another value of the field", slow, []string{"X-Kind: broken"}, `"limit"`, validate.VerdictNone},
		{"no such field", slow, nil, `"limit"`, validate.VerdictNone},
		{"no such text", slow, []string{"X-Kind: slow"}, `""`, validate.VerdictNone},
		{"no values", validate.Sign{Statuses: []int{400}, Member: "kind", Values: []string{}}, nil, `{"kind":"x"}`, validate.VerdictUnknown},
		{"neither field nor member nor text", validate.Sign{Statuses: []int{400}}, nil, `{}`, validate.VerdictNone},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, readBody(http.StatusBadRequest, c.header, c.body, c.sign).Verdict)
		})
	}
	empty := validate.Sign{Statuses: []int{}, Member: "kind", Verdict: validate.VerdictNever}
	require.Equal(t, validate.VerdictNever, readBody(http.StatusTooManyRequests, nil, `{"kind":"x"}`, empty).Verdict, "no statuses")
}

// A JSON text with something behind it is malformed.
func TestBodyWithMoreThanOneText(t *testing.T) {
	const final = `{"retryable":false}`
	require.Equal(t, validate.VerdictNever, readBody(429, nil, final+" \n").Verdict)
	for _, more := range []string{"}", "]", " x", final} {
		require.Equal(t, validate.VerdictUnknown, readBody(429, nil, final+more).Verdict, more)
	}
}

// The work is linear in the length of a body, whatever its depth, and the number of Problems is bounded.
func TestSignsAreBounded(t *testing.T) {
	const deep = 9000
	body := `{"error":{"code":` + strings.Repeat("[1,", deep) + "1" + strings.Repeat("]", deep) + `}}`
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	readBody(429, nil, body)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64<<20))

	got := readBody(429, nil, `{"retry_after":[`+strings.Repeat("9999999,", 8000)+`1]}`)
	require.LessOrEqual(t, len(got.Problems), 100)
	require.Equal(t, 768*time.Hour, got.RetryAfter)
}
