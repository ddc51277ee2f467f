package replay

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/validate"
)

const problem = `{"type":"https://iana.org/assignments/http-problem-types#quota-exceeded","violated-policies":["daily","hourly"]}`

// problemResponse returns a throttled response with that body.
func problemResponse(req *http.Request, body io.ReadCloser) *http.Response {
	return &http.Response{
		StatusCode: http.StatusTooManyRequests, Request: req, Body: body, ContentLength: -1,
		Header: http.Header{"Content-Type": {"application/problem+json; charset=utf-8"}},
	}
}

// readViolated calls ReadRefusal for a refusal.
func readViolated(req *http.Request, resp *http.Response) []string {
	reading := validate.Response(resp, time.Time{}, validate.Bounds{})
	ReadRefusal(req, resp, &reading)
	return reading.Violated
}

func TestViolatedPolicies(t *testing.T) {
	for _, test := range []struct {
		name   string
		text   string
		length int64 // its Content-Length
		want   []string
	}{
		{"some", problem, -1, []string{"daily", "hourly"}},
		{"as long as is read", problem + strings.Repeat("\n", validate.MaxBody-len(problem)), validate.MaxBody, []string{"daily", "hourly"}},
		{"too long", problem[:len(problem)-1] + `,"detail":"` + strings.Repeat("x", validate.MaxBody) + `"}`, -1, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // time must not pass on a slow machine
				req, body := newRequest(t), strings.NewReader(test.text)
				resp := problemResponse(req, io.NopCloser(iotest.HalfReader(body)))
				resp.ContentLength = test.length
				require.Equal(t, test.want, readViolated(req, resp))
				require.Equal(t, max(0, len(test.text)-validate.MaxBody), body.Len(), "no more than that is read")
				got, err := io.ReadAll(resp.Body)
				require.NoError(t, err)
				require.Equal(t, test.text, string(got))
			})
		})
	}
}

// A complete JSON value is enough, even if the body does not end in time.
func TestViolatedPoliciesComeInTime(t *testing.T) {
	for _, test := range []struct {
		name  string
		delay time.Duration // before the last part
		cut   int           // where it begins
		took  time.Duration
		want  []string
	}{
		{"soon enough", lookTime - 1, 20, lookTime - 1, []string{"daily", "hourly"}},
		{"too late", lookTime + 1, 20, lookTime, nil},
		{"the end only is missing", time.Hour, len(problem), lookTime, []string{"daily", "hourly"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				req, start := newRequest(t), time.Now()
				body, server := io.Pipe()
				go func() {
					_, _ = io.WriteString(server, problem[:test.cut])
					time.Sleep(test.delay)
					_, _ = io.WriteString(server, problem[test.cut:])
					_ = server.Close()
				}()
				resp := problemResponse(req, body)
				require.Equal(t, test.want, readViolated(req, resp))
				require.Equal(t, test.took, time.Since(start))
				got, err := io.ReadAll(resp.Body)
				require.NoError(t, err)
				require.JSONEq(t, problem, string(got))
				require.Equal(t, test.delay, time.Since(start))
			})
		})
	}
}

func TestOtherResponsesAreLeftAlone(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(req *http.Request, resp *http.Response)
	}{
		{"no header", func(_ *http.Request, resp *http.Response) { resp.Header = nil }},
		{"no JSON", func(_ *http.Request, resp *http.Response) { resp.Header.Set("Content-Type", "text/html") }},
		{"compressed", func(_ *http.Request, resp *http.Response) { resp.Header.Set("Content-Encoding", "gzip") }},
		{"trailers", func(_ *http.Request, resp *http.Response) { resp.Trailer = http.Header{"X-Checksum": nil} }},
	} {
		t.Run(test.name, func(t *testing.T) {
			req := newRequest(t)
			resp := problemResponse(req, newTrackedBody(problem))
			test.change(req, resp)
			before := *resp
			require.Nil(t, readViolated(req, resp))
			require.Equal(t, before, *resp)
			if body, ok := resp.Body.(*trackedBody); ok {
				require.Equal(t, len(problem), body.Reader.(*strings.Reader).Len(), "not read")
			}
		})
	}
}
