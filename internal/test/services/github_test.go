package services

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/headway-go/headway/validate"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
)

const (
	githubURL = "https://api.github.com/repos/a/b/issues"
	secondary = `{"message":"You have exceeded a secondary rate limit. Please wait a few minutes before you try again.",` +
		`"documentation_url":"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits"}`
	forbidden = `{"message":"Resource not accessible by integration","documentation_url":"https://docs.github.com/rest/issues/issues#create-an-issue"}`
)

// githubFields report plenty of remaining quota of the primary limit.
func githubFields(more ...string) http.Header {
	reset := fmt.Sprint(time.Now().Add(30 * time.Minute).Unix())
	return kit.Fields(append([]string{
		"Content-Type", "application/json; charset=utf-8",
		"X-RateLimit-Limit", "5000", "X-RateLimit-Remaining", "4987", "X-RateLimit-Used", "13",
		"X-RateLimit-Reset", reset, "X-RateLimit-Resource", "core",
	}, more...)...)
}

// A request without retries or time left gets the refusal unchanged, and all other requests wait.
func TestRefusalProvenByItsBodyIsHandedBackWhole(t *testing.T) {
	long := secondary + strings.Repeat(" and so on", validate.MaxBody)
	for _, row := range []struct {
		name    string
		body    string
		pieces  bool // of one byte
		retries int
		timeout time.Duration
		sent    int
	}{
		{name: "no retries", body: secondary, retries: -1, sent: 1},
		{name: "no retries, byte by byte", body: secondary, pieces: true, retries: -1, sent: 1},
		{name: "one, a long body", body: long, retries: 1, sent: 2},
		{name: "the usual number", body: secondary, sent: 4},
		{name: "no time", body: secondary, timeout: 59 * time.Second, sent: 1},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var bodies []*kit.TrackedBody
				server := &kit.Server{Answer: func(int, *http.Request) *http.Response {
					resp := answer(http.StatusForbidden, githubFields(), "")
					var text io.Reader = strings.NewReader(row.body)
					if row.pieces {
						text = iotest.OneByteReader(text)
					}
					bodies = append(bodies, &kit.TrackedBody{Reader: text})
					resp.Body = bodies[len(bodies)-1]
					return resp
				}}
				transport := kit.Seeded(t, &headway.Transport{Base: server, MaxRetries: row.retries})
				ctx := kit.Within(t, row.timeout)
				x := &sending{method: http.MethodPost, url: githubURL, body: "payload"}
				require.NoError(t, x.through(ctx, transport))
				require.Equal(t, http.StatusForbidden, x.status)
				requireText(t, row.body, x.text)
				sent := server.Calls()
				require.Len(t, sent, row.sent)
				for i := 1; i < len(sent); i++ {
					require.GreaterOrEqual(t, sent[i].At.Sub(sent[i-1].At), time.Minute)
					require.Equal(t, "payload", sent[i].Body)
				}
				require.WithinDuration(t, sent[len(sent)-1].At, time.Now(), 0, "at once")
				for _, body := range bodies {
					require.Equal(t, 1, body.Closed)
				}
				held := transport.State()[0].HeldUntil
				require.GreaterOrEqual(t, time.Until(held), time.Minute)
				require.LessOrEqual(t, time.Until(held), time.Minute+time.Second)
			})
		})
	}
}

// Most of GitHub's 403s concern permissions. They are handed back unchanged and begin no hold. So are those
// whose body cannot be read.
func TestGitHubsRefusalOfPermission(t *testing.T) {
	const peekTime = 250 * time.Millisecond
	long := strings.Repeat("x", validate.MaxBody)
	compressed := func(text string) string {
		var b bytes.Buffer
		w := gzip.NewWriter(&b)
		_, _ = io.WriteString(w, text)
		_ = w.Close()
		return b.String()
	}
	for _, row := range []struct {
		name   string
		method string // "": POST
		fields []string
		body   string
		stalls time.Duration // before the last 20 bytes
		took   time.Duration
	}{
		{name: "small", body: forbidden},
		{name: "as long as is looked at", body: long},
		{name: "longer than is looked at", body: forbidden + long + secondary},
		{name: "stalls for a while", body: forbidden, stalls: time.Minute, took: peekTime},
		{name: "stalls for a while, longer than is looked at", body: forbidden + long + secondary, stalls: time.Minute},
		{name: "Retry-After 0", body: forbidden, fields: []string{"Retry-After", "0"}},
		{name: "gzip", body: compressed(forbidden), fields: []string{"Content-Encoding", "gzip"}},

		{name: "gzip of a limit's", body: compressed(secondary), fields: []string{"Content-Encoding", "gzip"}},
		{name: "HEAD of a limit's", method: http.MethodHead},
		{name: "the text comes too late", body: secondary[:40], stalls: time.Minute, took: peekTime},
	} {
		t.Run(row.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				server := refusingOnce(http.StatusForbidden, nil, "")
				rest := server.Answer
				server.Answer = func(n int, req *http.Request) *http.Response {
					if n > 0 {
						return rest(n, req)
					}
					resp := answer(http.StatusForbidden, githubFields(row.fields...), row.body)
					if req.Method == http.MethodHead {
						resp.ContentLength = 0
					}
					if row.stalls > 0 {
						resp.Body = stalling(row.body, row.stalls)
					}
					return resp
				}
				transport := kit.Seeded(t, &headway.Transport{Base: server})
				x := &sending{method: cmp.Or(row.method, http.MethodPost), url: githubURL, body: "payload"}
				require.NoError(t, x.through(t.Context(), transport))
				require.Equal(t, http.StatusForbidden, x.status)
				require.Equal(t, row.took, x.took)
				requireText(t, row.body, x.text)
				require.Len(t, server.Calls(), 1)
				require.Zero(t, transport.State()[0].HeldUntil)

				next := &sending{method: http.MethodPost, url: githubURL, body: "payload"}
				require.NoError(t, next.through(t.Context(), transport))
				require.Zero(t, next.took)
				require.Equal(t, http.StatusOK, next.status)
			})
		})
	}
}

// stalling is a body whose last 20 bytes come later.
func stalling(text string, d time.Duration) io.ReadCloser {
	body, server := io.Pipe()
	go func() {
		if begin := text[:len(text)-20]; begin != "" {
			_, _ = io.WriteString(server, begin)
		}
		time.Sleep(d)
		_, _ = io.WriteString(server, text[len(text)-20:])
		_ = server.Close()
	}()
	return body
}
