package refusals_test

import (
	"cmp"
	"context"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/time/rate"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/validate"
)

// refusal returns the documented response of a service.
func refusal(status int, body string, fields ...string) func(*http.Request) *http.Response {
	return func(req *http.Request) *http.Response {
		resp := kit.Respond(req, status, append([]string{"Content-Type", "application/json; charset=utf-8"}, fields...)...)
		resp.Body = io.NopCloser(strings.NewReader(body))
		return resp
	}
}

const (
	noMoney = `{"error":{"message":"You exceeded your current quota, please check your plan and billing details.",` +
		`"type":"insufficient_quota","param":null,"code":"insufficient_quota"}}`
	tooLarge = `{"error":{"message":"Request too large for gpt-4o in organization org-1 on tokens per min (TPM): Limit 30000, Requested 40000.",` +
		`"type":"tokens","param":null,"code":"rate_limit_exceeded"}}`
	in34s = `[{"error":{"code":429,"message":"Quota exceeded.","status":"RESOURCE_EXHAUSTED","details":[` +
		`{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerMinutePerProjectPerModel-FreeTier"}]},` +
		`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34.074824224s"}]}}]`
	perDay = `{"error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":[` +
		`{"@type":"type.googleapis.com/google.rpc.QuotaFailure","violations":[{"quotaId":"GenerateRequestsPerDayPerProjectPerModel-FreeTier"}]},` +
		`{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"38s"}]}}`
)

// A server refuses the first request and serves the next ones. Either the request is sent again when the refusal says, or
// the caller gets the refusal at once, and nothing is held.
func TestVerdicts(t *testing.T) {
	for _, row := range []struct {
		name    string
		url     string // "": of any host
		answer  func(*http.Request) *http.Response
		verdict validate.Verdict
		sign    string
		wait    time.Duration // until the request is sent again; of VerdictNever: none
	}{
		{name: "no money", answer: refusal(429, noMoney, "X-Should-Retry", "false"), verdict: validate.VerdictNever, sign: "error.type"},
		{name: "no money, by the body alone", answer: refusal(429, noMoney), verdict: validate.VerdictNever, sign: "error.type"},
		{name: "no money, though there is a time", answer: refusal(429, noMoney, "Retry-After", "5"), verdict: validate.VerdictNever, sign: "error.type"},
		{name: "no retry, by a field alone", answer: refusal(429, `{}`, "X-Should-Retry", "false"), verdict: validate.VerdictNever, sign: "X-Should-Retry"},
		{
			name: "no retry, but a time", answer: refusal(429, `{}`, "X-Should-Retry", "false", "Retry-After", "5"), wait: 5 * time.Second,
			verdict: validate.VerdictWait,
		},
		{name: "no retry, and no time", answer: refusal(429, `{}`, "X-Should-Retry", "false", "Retry-After", "0"), verdict: validate.VerdictNever, sign: "X-Should-Retry"},
		{name: "Stripe's", answer: refusal(429, `{}`, "Stripe-Should-Retry", "false"), verdict: validate.VerdictNever, sign: "Stripe-Should-Retry"},
		{name: "one request that is too large", answer: refusal(429, tooLarge), verdict: validate.VerdictNever, sign: "error.code"},
		{name: "Google, in a stream", answer: refusal(429, in34s), verdict: validate.VerdictWait, sign: "error.details.retryDelay", wait: 34074824224},
		{name: "Google, a quota per day", answer: refusal(429, perDay), verdict: validate.VerdictNever, sign: "error.details.violations.quotaId"},
		{
			name: "Google's older form", url: "https://www.googleapis.com/drive/v3/files",
			answer:  refusal(403, `{"error":{"errors":[{"domain":"usageLimits","reason":"userRateLimitExceeded"}],"code":403}}`),
			verdict: validate.VerdictWait, sign: "error.errors.reason",
		},
		{
			name: "Google's older form, per day", url: "https://www.googleapis.com/drive/v3/files",
			answer:  refusal(403, `{"error":{"errors":[{"domain":"usageLimits","reason":"dailyLimitExceeded"}],"code":403}}`),
			verdict: validate.VerdictNever, sign: "error.errors.reason",
		},
		{
			name: "AWS", url: "https://dynamodb.eu-west-1.amazonaws.com/", verdict: validate.VerdictWait, sign: "__type",
			answer: refusal(400, `{"__type":"com.amazonaws.dynamodb.v20120810#ThrottlingException","message":"Rate exceeded"}`),
		},
		{name: "Discord", answer: refusal(429, `{"message":"You are being rate limited.","retry_after":64.57,"global":false}`), wait: 64570 * time.Millisecond, verdict: validate.VerdictWait, sign: "retry_after"},
		{name: "Matrix", answer: refusal(429, `{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":2000}`), wait: 2 * time.Second, verdict: validate.VerdictWait, sign: "retry_after_ms"},
		{name: "Telegram", answer: refusal(429, `{"ok":false,"error_code":429,"parameters":{"retry_after":35}}`), wait: 35 * time.Second, verdict: validate.VerdictWait, sign: "parameters.retry_after"},
		{name: "Codex", answer: refusal(429, `{"error":{"type":"usage_limit_reached","resets_in_seconds":1800}}`), wait: 30 * time.Minute, verdict: validate.VerdictWait, sign: "error.resets_in_seconds"},
		{name: "402 and a time", answer: refusal(402, `{}`, "Retry-After", "5"), wait: 5 * time.Second, verdict: validate.VerdictWait},
		{name: "529 and a time", answer: refusal(529, `{"error":{"type":"overloaded_error"}}`, "Retry-After", "5"), wait: 5 * time.Second, verdict: validate.VerdictWait, sign: "error.type"},
		{name: "a bare one", answer: refusal(429, `{"error":"slow down"}`), verdict: validate.VerdictUnknown},
		{name: "a body that is cut", answer: refusal(429, noMoney[:len(noMoney)-2]), verdict: validate.VerdictUnknown},
		{name: "a body that only speaks of it", answer: refusal(429, `{"error":{"message":"insufficient_quota"}}`), verdict: validate.VerdictUnknown},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var told []headway.ThrottledInfo
				server := kit.InTurn(row.answer, kit.Status(http.StatusOK))
				transport := kit.Seeded(t, &headway.Transport{Base: server, Trace: &headway.Trace{
					Throttled: func(_ context.Context, i headway.ThrottledInfo) { told = append(told, i) },
				}})
				begun, url := time.Now(), cmp.Or(row.url, kit.URL)
				resp, err := kit.Get(t.Context(), transport, url)
				require.NoError(t, err)
				want := kit.ReadAll(t, row.answer(kit.NewRequest(t, url)))
				got := headway.VerdictOf(resp) // it leaves the body as it is
				text := kit.ReadAll(t, resp)
				require.Len(t, told, 1)
				require.Equal(t, row.verdict, told[0].Verdict)
				require.Equal(t, row.sign, told[0].Sign)
				if row.verdict == validate.VerdictNever {
					require.Equal(t, want, text)
					require.Equal(t, row.verdict, got)
					require.NotEqual(t, http.StatusOK, resp.StatusCode)
					require.NoError(t, kit.Fetch(t.Context(), transport, url), "the next one")
					require.Zero(t, time.Since(begun), "nothing is held")
					return
				}
				require.Equal(t, http.StatusOK, resp.StatusCode)
				require.Equal(t, validate.VerdictNone, got)
				if row.wait > 0 {
					kit.RequireHeld(t, row.wait, time.Since(begun))
				}
			})
		})
	}
}

// After a refusal for good the partition says so, and the log once, until a request is served.
func TestRefusalForGoodIsToldOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		never := refusal(http.StatusTooManyRequests, noMoney)
		served := func(req *http.Request) *http.Response { // from the second time on, only the trailer shows that
			resp := refusal(http.StatusOK, `{}`)(req)
			resp.Trailer = kit.Fields("RateLimit", `"default";r=5;t=30`)
			return resp
		}
		logger, lines := kit.NewLogger(slog.LevelWarn)
		transport := kit.Seeded(t, &headway.Transport{Base: kit.InTurn(never, never, served, never, served), Logger: logger})
		final := func() string { return transport.State()[0].Final }
		for _, want := range []string{"error.type", "error.type", "", "error.type", ""} {
			require.NoError(t, kit.Fetch(t.Context(), transport, kit.URL))
			require.Equal(t, want, final())
		}
		require.Len(t, kit.Messages(lines), 2)
	})
}

// Forget drops that a refusal was for good: whoever has paid wants to hear of the next one.
func TestForgetOfARefusalForGood(t *testing.T) {
	logger, lines := kit.NewLogger(slog.LevelWarn)
	transport := kit.Seeded(t, &headway.Transport{Base: kit.InTurn(refusal(http.StatusTooManyRequests, noMoney)), Logger: logger})
	kit.Prime(t, transport)
	require.True(t, transport.Forget(kit.Origin))
	require.Empty(t, transport.State()[0].Final)
	kit.Prime(t, transport)
	require.Len(t, kit.Messages(lines), 2)
}

// Transport.Limits can say that waiting does not help.
func TestRefusalForGoodByTheCallersFunction(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		server := kit.InTurn(kit.Status(http.StatusTooManyRequests, "Retry-After", "30"), kit.Status(http.StatusOK))
		transport := kit.Seeded(t, &headway.Transport{Base: server, Limits: func(resp *http.Response) (r validate.Reading) {
			if resp.StatusCode == http.StatusTooManyRequests {
				r.Verdict = validate.VerdictNever
			}
			return r
		}})
		begun := time.Now()
		resp, err := kit.Get(t.Context(), transport, kit.URL)
		require.NoError(t, err)
		require.Equal(t, http.StatusTooManyRequests, resp.StatusCode)
		require.Equal(t, validate.Own, transport.State()[0].Final)
		require.NoError(t, kit.Fetch(t.Context(), transport, kit.URL))
		require.Zero(t, time.Since(begun), "nothing is held")
	})
}

// VerdictOf needs no Transport, and no live context: an SDK may keep a response in its error, and end the request's context.
func TestVerdictOf(t *testing.T) {
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	req := kit.NewRequest(t, kit.URL).WithContext(ended)
	unnamed := refusal(429, noMoney)(req)
	unnamed.Request = nil
	read := refusal(429, noMoney)(req)
	kit.ReadAll(t, read)
	for _, row := range []struct {
		name string
		resp *http.Response
		want validate.Verdict
	}{
		{"none", nil, validate.VerdictNone},
		{"200", kit.Respond(req, 200), validate.VerdictNone},
		{"never, by the body", refusal(429, noMoney)(req), validate.VerdictNever},
		{"never, by the body of a response without a request", unnamed, validate.VerdictNever},
		{"a body that has been read", read, validate.VerdictUnknown},
		{"a time in the body", refusal(429, in34s)(req), validate.VerdictWait},
		{"some policies", refusal(429, `{"violated-policies":["daily"]}`)(req), validate.VerdictOnly},
	} {
		t.Run(row.name, func(t *testing.T) {
			require.Equal(t, row.want, headway.VerdictOf(row.resp))
			require.Equal(t, row.want, headway.VerdictOf(row.resp), "once more")
		})
	}
}

// A response that a Transport makes itself says X-Should-Retry: false, and yet waiting helps.
func TestVerdictOfATransportsRefusal(t *testing.T) {
	for _, row := range []struct {
		name    string
		ceiling *rate.Limiter
		want    validate.Verdict
	}{
		{"a hold", nil, validate.VerdictWait},
		{"a ceiling that lets nothing through", rate.NewLimiter(0, 0), validate.VerdictUnknown},
	} {
		t.Run(row.name, func(t *testing.T) {
			transport := &headway.Transport{
				Base: kit.InTurn(kit.Status(http.StatusTooManyRequests, "Retry-After", "3000")), Refusal: headway.RefuseWithResponse, MaxWait: time.Minute, Ceiling: row.ceiling,
			}
			if row.ceiling == nil {
				kit.Prime(t, transport)
			}
			resp, err := kit.Get(t.Context(), transport, kit.URL)
			require.NoError(t, err)
			require.Equal(t, "false", resp.Header.Get("X-Should-Retry"))
			require.Equal(t, row.want, headway.VerdictOf(resp))
		})
	}
}
