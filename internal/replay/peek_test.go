package replay

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
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

func TestPeekLeavesTheBodyWhole(t *testing.T) {
	reset := errors.New("reset")
	text := func(s string) func() io.Reader { return func() io.Reader { return strings.NewReader(s) } }
	long := problem[:len(problem)-1] + `,"detail":"` + strings.Repeat("x", parse.MaxProblemLength) + `"}`
	longName := `{"violated-policies":["` + strings.Repeat("x", 100) + `"]}`
	longest := problem + strings.Repeat("\n", parse.MaxProblemLength-len(problem))
	for _, test := range []struct {
		name    string
		body    func() io.Reader
		text    string
		wantErr error
		want    []string
	}{
		{name: "at once", body: text(problem), text: problem, want: []string{"daily", "hourly"}},
		{name: "with EOF", body: func() io.Reader { return iotest.DataErrReader(strings.NewReader(problem)) }, text: problem, want: []string{"daily", "hourly"}},
		{name: "byte by byte", body: func() io.Reader { return iotest.OneByteReader(strings.NewReader(problem)) }, text: problem, want: []string{"daily", "hourly"}},
		{name: "as long as is read", body: text(longest), text: longest, want: []string{"daily", "hourly"}},
		{name: "a long name", body: text(longName), text: longName, want: []string{limits.ShortName(strings.Repeat("x", 100))}},
		{name: "longer", body: text(long), text: long},
		{name: "much longer", body: text(strings.Repeat(problem, 10_000)), text: strings.Repeat(problem, 10_000)},
		{name: "empty", body: text(""), text: ""},
		{name: "fails at once", body: func() io.Reader { return iotest.ErrReader(reset) }, wantErr: reset},
		{name: "fails in the middle", wantErr: reset, text: problem[:len(problem)-1], body: func() io.Reader {
			return io.MultiReader(strings.NewReader(problem[:len(problem)-1]), iotest.ErrReader(reset))
		}},
		{name: "fails with the last bytes", wantErr: reset, text: problem, want: []string{"daily", "hourly"}, body: func() io.Reader {
			return iotest.DataErrReader(io.MultiReader(strings.NewReader(problem), iotest.ErrReader(reset)))
		}},
		{name: "fails behind what is read", wantErr: reset, text: long, body: func() io.Reader {
			return io.MultiReader(strings.NewReader(long), iotest.ErrReader(reset))
		}},
		{name: "an empty Read", text: problem, body: func() io.Reader {
			return io.MultiReader(&emptyReads{n: 1}, strings.NewReader(problem))
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				req := newRequest(t)
				original := &trackedBody{Reader: test.body()}
				resp := problemResponse(req, original)
				start := time.Now()
				require.Equal(t, test.want, peekViolated(req, resp))
				require.Zero(t, time.Since(start))
				require.Zero(t, original.closed, "that is the caller's")

				got, err := io.ReadAll(resp.Body)
				require.Equal(t, test.text, string(got))
				require.Equal(t, test.wantErr, err)
				_, err = resp.Body.Read(make([]byte, 1))
				require.Error(t, err, "the end stays the end")
				require.NoError(t, resp.Body.Close())
				require.Equal(t, 1, original.closed)
			})
		})
	}
}

// emptyReads is a body whose first n Reads return no data and no error.
type emptyReads struct{ n int }

func (r *emptyReads) Read([]byte) (int, error) {
	if r.n--; r.n < 0 {
		return 0, io.EOF
	}
	return 0, nil
}

// A caller that reads slowly with a small buffer gets the same data.
func TestPeekedBodyIsReadInPieces(t *testing.T) {
	req := newRequest(t)
	text := strings.Repeat(problem, 1000) // more than is read ahead
	original := strings.NewReader(text)
	resp := problemResponse(req, io.NopCloser(iotest.HalfReader(original)))
	require.Nil(t, peekViolated(req, resp))
	require.Equal(t, len(text)-parse.MaxProblemLength, original.Len(), "no more than that is read")
	require.NoError(t, iotest.TestReader(resp.Body, []byte(text)))
}

func TestPeekTakesItsTimeOnly(t *testing.T) {
	first, rest := problem[:20], problem[20:]
	for _, test := range []struct {
		name  string
		delay time.Duration
		after string // sent after the delay
		took  time.Duration
		want  []string
	}{
		{"soon enough", aheadTime - time.Millisecond, rest, aheadTime - time.Millisecond, []string{"daily", "hourly"}},
		{"too late", aheadTime + time.Millisecond, rest, aheadTime, nil},
		{"much too late", time.Hour, rest, aheadTime, nil},
		{"the end only is missing", time.Hour, "", aheadTime, nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				req := newRequest(t)
				body, server := io.Pipe()
				resp := problemResponse(req, body)
				go func() {
					_, _ = io.WriteString(server, first)
					time.Sleep(test.delay)
					_, _ = io.WriteString(server, test.after)
					_ = server.Close()
				}()
				start := time.Now()
				require.Equal(t, test.want, peekViolated(req, resp))
				require.Equal(t, test.took, time.Since(start))

				got := make([]byte, len(first))
				_, err := io.ReadFull(resp.Body, got)
				require.NoError(t, err)
				require.Equal(t, first, string(got))
				require.Equal(t, test.took, time.Since(start), "what has come is there at once")
				got, err = io.ReadAll(resp.Body)
				require.NoError(t, err)
				require.Equal(t, test.after, string(got))
				require.Equal(t, test.delay, time.Since(start), "and the rest as soon as it comes")
				require.NoError(t, resp.Body.Close())
			})
		})
	}
}

func TestPeekEndsWithTheContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		req, stuck := newRequest(t).WithContext(ctx), newStuckBody()
		resp := problemResponse(req, stuck.after(problem[:20]))
		start := time.Now()
		require.Nil(t, peekViolated(req, resp))
		require.Equal(t, 100*time.Millisecond, time.Since(start))
		require.NoError(t, resp.Body.Close())
	})
}

// A complete JSON value is enough, even if the body does not end.
func TestPeekOfABodyWithoutEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		req := newRequest(t)
		stuck := newStuckBody()
		resp := problemResponse(req, stuck.after(problem))
		require.Equal(t, []string{"daily", "hourly"}, peekViolated(req, resp))
		require.NoError(t, resp.Body.Close())
	})
}

// A Read ahead that is still running ends when the caller closes the body.
func TestPeekLeavesNoGoroutineBehind(t *testing.T) {
	for _, test := range []struct {
		name string
		end  func(t *testing.T, resp *http.Response, stuck *stuckBody)
	}{
		{"closed unread", func(t *testing.T, resp *http.Response, _ *stuckBody) {
			t.Helper()
			require.NoError(t, resp.Body.Close())
			_, err := resp.Body.Read(make([]byte, 1))
			require.ErrorIs(t, err, http.ErrBodyReadAfterClose)
		}},
		{"closed during a Read", func(t *testing.T, resp *http.Response, _ *stuckBody) {
			t.Helper()
			go func() {
				time.Sleep(time.Second)
				_ = resp.Body.Close()
			}()
			got, err := io.ReadAll(resp.Body)
			require.ErrorIs(t, err, errStuckClosed)
			require.Equal(t, problem[:20], string(got))
		}},
		{"neither read nor closed, broken off by the server", func(t *testing.T, _ *http.Response, stuck *stuckBody) {
			t.Helper()
			require.NoError(t, stuck.Close())
		}},
		{"discarded", func(t *testing.T, resp *http.Response, _ *stuckBody) {
			t.Helper()
			var budget Budget
			budget.Discard(newRequest(t), resp, true)
			got, err := io.ReadAll(resp.Body)
			require.ErrorIs(t, err, io.ErrUnexpectedEOF)
			require.Equal(t, problem[:20], string(got))
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // fails if a goroutine stays
				req := newRequest(t)
				stuck := newStuckBody()
				resp := problemResponse(req, stuck.after(problem[:20]))
				require.Nil(t, peekViolated(req, resp))
				test.end(t, resp, stuck)
			})
		})
	}
}

// A panic of the caller's body reaches the caller's goroutine.
func TestPeekOfABodyThatPanics(t *testing.T) {
	for _, test := range []struct {
		name string
		body io.Reader
		want any
	}{
		{"panic", readerFunc(func([]byte) (int, error) { panic("boom") }), "boom"},
		{"bytes that were not asked for", readerFunc(func(p []byte) (int, error) { return cap(p) + 1, nil }), nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			req := newRequest(t)
			resp := problemResponse(req, io.NopCloser(io.MultiReader(strings.NewReader("{"), test.body)))
			require.Nil(t, peekViolated(req, resp))
			b := make([]byte, 2)
			n, err := resp.Body.Read(b)
			require.NoError(t, err)
			require.Equal(t, "{", string(b[:n]))
			read := func() { _, _ = resp.Body.Read(b) }
			if test.want != nil {
				require.PanicsWithValue(t, test.want, read)
			} else {
				require.Panics(t, read)
			}
		})
	}
}

func TestPeekAtProblemsOnly(t *testing.T) {
	for _, test := range []struct {
		name   string
		change func(req *http.Request, resp *http.Response)
	}{
		{"no type", func(_ *http.Request, resp *http.Response) { resp.Header.Del("Content-Type") }},
		{"no header", func(_ *http.Request, resp *http.Response) { resp.Header = nil }},
		{"other JSON", func(_ *http.Request, resp *http.Response) { resp.Header.Set("Content-Type", "application/json") }},
		{"compressed", func(_ *http.Request, resp *http.Response) { resp.Header.Set("Content-Encoding", "gzip") }},
		{"known to be too long", func(_ *http.Request, resp *http.Response) { resp.ContentLength = parse.MaxProblemLength + 1 }},
		{"trailers", func(_ *http.Request, resp *http.Response) { resp.Trailer = http.Header{"X-Checksum": nil} }},
		{"HEAD", func(req *http.Request, _ *http.Response) { req.Method = http.MethodHead }},
		{"101", func(_ *http.Request, resp *http.Response) { resp.StatusCode = http.StatusSwitchingProtocols }},
		{"http.NoBody", func(_ *http.Request, resp *http.Response) { resp.Body = http.NoBody }},
		{"no Body", func(_ *http.Request, resp *http.Response) { resp.Body = nil }},
	} {
		t.Run(test.name, func(t *testing.T) {
			req := newRequest(t)
			resp := problemResponse(req, newTrackedBody(problem))
			test.change(req, resp)
			before := *resp
			require.Nil(t, peekViolated(req, resp))
			require.Equal(t, before, *resp)
			if body, ok := resp.Body.(*trackedBody); ok {
				require.Equal(t, len(problem), body.Reader.(*strings.Reader).Len(), "not read")
			}
		})
	}
}

// peekViolated calls ReadRefusal for a refusal.
func peekViolated(req *http.Request, resp *http.Response) []string {
	return ReadRefusal(req, resp, &validate.Reading{Throttled: true})
}
