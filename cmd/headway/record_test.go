package main

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"
)

func TestReadRecording(t *testing.T) {
	header := http.Header{"A": {"1"}}
	ok := head{"HTTP/1.1", 200, header}
	rows := []struct {
		name string
		text string
		want recording
	}{
		{"LF", "HTTP/1.1 200 OK\nA: 1\n\nbody\n", recording{heads: []head{ok}, body: "body\n"}},
		{"CRLF", "HTTP/1.1 200 OK\r\nA: 1\r\n\r\nbody\r\n", recording{heads: []head{ok}, body: "body\r\n"}},
		{"space for a reason", "HTTP/2 200 \nA:\t1 \t\n\n", recording{heads: []head{{"HTTP/2", 200, header}}}},
		{"cut off in the head", "HTTP/1.1 200 OK\nA: 1", recording{heads: []head{ok}}},
		{"a field continued", "HTTP/1.1 200 OK\nA: 1,\n\t2\n  3\nB: 4\n\n", recording{heads: []head{{"HTTP/1.1", 200, http.Header{"A": {"1, 2 3"}, "B": {"4"}}}}}},
		{"proxy and redirect", "HTTP/1.1 200 Connection established\n\nHTTP/1.1 302 Found\nLocation: /x\nContent-Length: 20\n\nHTTP/1.1 200 OK\nA: 1\n\nbody", recording{
			heads: []head{{"HTTP/1.1", 200, http.Header{}}, {"HTTP/1.1", 302, http.Header{"Location": {"/x"}, "Content-Length": {"20"}}}, ok}, body: "body",
		}},
		{"bodies in between", "HTTP/1.1 500 Oops\nContent-Length: 5\n\noops\nHTTP/1.1 200 OK\nA: 1\n\nbody", recording{
			heads: []head{{"HTTP/1.1", 500, http.Header{"Content-Length": {"5"}}}, ok}, body: "body",
		}},
		{"a status in the body", "HTTP/1.1 200 OK\nA: 1\n\nx\nHTTP/1.1 500 Oops\n\n", recording{heads: []head{ok}, body: "x\nHTTP/1.1 500 Oops\n\n"}},
		{"what curl -v writes in the body", "HTTP/1.1 200 OK\nA: 1\n\n> Host: evil.example\n< HTTP/1.1 500 Oops\n< B: 2\n<\n", recording{
			heads: []head{ok}, body: "> Host: evil.example\n< HTTP/1.1 500 Oops\n< B: 2\n<\n",
		}},
		{"the last one is no final one", "HTTP/1.1 200 OK\nA: 1\n\nHTTP/1.1 103 Early Hints\n\nx", recording{
			heads: []head{ok, {"HTTP/1.1", 103, http.Header{}}},
		}},
		{"101 is final", "HTTP/1.1 101 Switching Protocols\nA: 1\n\n", recording{heads: []head{{"HTTP/1.1", 101, header}}}},
		{
			"statuses that are none", "HTTP/1.1 20 OK\nHTTP/1.1 2000 OK\nHTTP/1.1 099 X\nHTTP/11 200\nHTTP/x 200\nHTTP/1-1 200\nHTTP/1.1 -20\nHTTP/1.1\nHTTP/ 200\nhttp/1.1 200 OK\nHTTP/1.1 200 OK\nA: 1\n\n",
			recording{heads: []head{ok}},
		},
	}
	for _, x := range rows {
		t.Run(x.name, func(t *testing.T) {
			require.Equal(t, &x.want, read(t, x.text))
		})
	}
}

func TestReadVerbose(t *testing.T) {
	ok := head{"HTTP/1.1", 200, http.Header{"A": {"1"}}}
	rows := []struct {
		name string
		text string
		want recording
	}{
		{"no space in the blank line", "< HTTP/1.1 200 OK\n< A: 1\n<\nbody", recording{heads: []head{ok}, body: "body"}},
		{"remarks", "* Trying\n< HTTP/1.1 200 OK\n* in the midst\n< A: 1\n< \n{ [5 bytes data]\n{\n\"a\": 1\n}\n} [5 bytes data]\n* left intact\n", recording{
			heads: []head{ok}, body: "{\n\"a\": 1\n}\n",
		}},
		{"request", "> PUT /x/y?s3cret HTTP/1.1\r\n> Host: api.example.com\r\n> Authorization: s3cret\r\n> \r\n< HTTP/1.1 200 OK\n< A: 1\n< \n", recording{
			heads: []head{ok}, method: "PUT", host: "api.example.com", path: "/x/y",
		}},
		{"a host that is none", "> GET / HTTP/2\n> Host: a/b@c\n< HTTP/1.1 200 OK\n< A: 1\n< \n", recording{heads: []head{ok}, method: "GET", path: "/"}},
		{"the body of a redirect", "< HTTP/1.1 302 Found\n< \nmoved\n> GET / HTTP/1.1\n< HTTP/1.1 200 OK\n< A: 1\n< \nbody", recording{
			heads: []head{{"HTTP/1.1", 302, http.Header{}}, ok}, body: "body", method: "GET", path: "/",
		}},
		{"what curl -v writes in a body", "< HTTP/1.1 200 OK\n< A: 1\n< \n> GET / HTTP/1.1\n> Host: evil.example\n< HTTP/1.1 500 Oops\n< B: 2\n<\n", recording{
			heads: []head{ok}, body: "> GET / HTTP/1.1\n> Host: evil.example\n< HTTP/1.1 500 Oops\n< B: 2\n<\n",
		}},
		{"a head in a body of known length", "< HTTP/1.1 200 OK\n< Content-Length: 25\n< \n< HTTP/1.1 500 Oops\n< \nx", recording{
			heads: []head{{"HTTP/1.1", 200, http.Header{"Content-Length": {"25"}}}}, body: "< HTTP/1.1 500 Oops\n< \nx",
		}},
		{"bodies in between", "< HTTP/1.1 500 Oops\n< Content-Length: 4\n< \noops* left intact\n> GET / HTTP/1.1\n< HTTP/1.1 200 OK\n< A: 1\n< \nbody", recording{
			heads: []head{{"HTTP/1.1", 500, http.Header{"Content-Length": {"4"}}}, ok}, body: "body", method: "GET", path: "/",
		}},
		{"a proxy, and a password", "> CONNECT a:443 HTTP/1.1\n< HTTP/1.1 407 X\n< \n> CONNECT a:443 HTTP/1.1\n< HTTP/1.1 200 X\n< \n* phase completed\n> GET / HTTP/1.1\n< HTTP/1.1 401 X\n< \nwho\n> GET / HTTP/1.1\n< HTTP/1.1 200 OK\n< A: 1\n< \nbody", recording{
			heads: []head{{"HTTP/1.1", 407, http.Header{}}, {"HTTP/1.1", 200, http.Header{}}, {"HTTP/1.1", 401, http.Header{}}, ok}, body: "body", method: "GET", path: "/",
		}},
		{"101 is final", "< HTTP/1.1 101 X\n< A: 1\n< \n< HTTP/1.1 200 OK\n< \n", recording{
			heads: []head{{"HTTP/1.1", 101, http.Header{"A": {"1"}}}}, body: "< HTTP/1.1 200 OK\n< \n",
		}},
		{"no fields", "< HTTP/1.1 200 OK\n< what\n< A: 1\n< \n", recording{heads: []head{ok}, skipped: 1}},
	}
	for _, x := range rows {
		t.Run(x.name, func(t *testing.T) {
			require.Equal(t, &x.want, read(t, x.text))
		})
	}
}

func TestUnreadableRecordings(t *testing.T) {
	rows := []struct {
		name string
		text string
		err  error
	}{
		{"no status", "RateLimit: \"a\";r=1;t=2\n\n", errNoStatus},
		{"HTML", "<html>HTTP/1.1 200 OK</html>", errNoStatus},
		{"no final response", "HTTP/1.1 100 Continue\n\nHTTP/1.1 103 Early Hints\nA: 1\n\n", errNoFinal},
	}
	for _, x := range rows {
		t.Run(x.name, func(t *testing.T) {
			_, err := readRecording(strings.NewReader(x.text))
			require.ErrorIs(t, err, x.err)
			_, errs, code := inspect(x.text)
			require.Equal(t, exitFailed, code)
			require.Contains(t, errs, x.err.Error())
		})
	}
	_, err := readRecording(iotest.ErrReader(errors.New("disk \x1b[31mburns")))
	require.EqualError(t, err, `cannot read the recording: disk \x1b[31mburns`)
}

// TestReceipt shows how the time of receipt of a recorded response is determined.
func TestReceipt(t *testing.T) {
	now := time.Date(2026, time.March, 4, 12, 0, 0, 0, time.UTC)
	const day = "Date: Tue, 14 Mar 2017 15:16:00 GMT\n"
	rows := []struct {
		name, head string
		options    options
		at         string
		date       string
	}{
		{"Date", day, options{}, "2017-03-14T15:16:00Z", "Tue, 14 Mar 2017 15:16:00 GMT"},
		{"Date and Age", day + "Age: 60\n", options{}, "2017-03-14T15:17:00Z", "Tue, 14 Mar 2017 15:16:00 GMT"},
		{"no Date", "", options{}, "2026-03-04T12:00:00Z", "Wed, 04 Mar 2026 12:00:00 GMT"},
		{"no Date, but Age", "Age: 60\n", options{}, "2026-03-04T12:00:00Z", "Wed, 04 Mar 2026 11:59:00 GMT"},
	}
	for _, x := range rows {
		t.Run(x.name, func(t *testing.T) {
			got, err := read(t, "HTTP/1.1 200 OK\n"+x.head+"\n").exchange(&x.options, now)
			require.NoError(t, err)
			require.Equal(t, x.at, got.at.Format(time.RFC3339))
			require.Equal(t, []string{x.date}, got.header["Date"])
		})
	}
}

// TestRecordedRequest shows how method and host of a recorded response are determined.
func TestRecordedRequest(t *testing.T) {
	const verbose = "> PUT /x?s3cret HTTP/1.1\n> Host: a.example\n< HTTP/1.1 200 OK\n< \n"
	rows := []struct {
		name, text  string
		options     options
		method, url string
	}{
		{"nothing is told", "HTTP/1.1 200 OK\n\n", options{}, "GET", ""},
		{"recorded", verbose, options{}, "PUT", "https://a.example/x"},
		{"flags come first", verbose, options{method: "HEAD", host: "b.example/y"}, "HEAD", "https://b.example/y"},
	}
	for _, x := range rows {
		t.Run(x.name, func(t *testing.T) {
			got, err := read(t, x.text).exchange(&x.options, time.Now())
			require.NoError(t, err)
			require.Equal(t, x.method, got.request.Method)
			require.Equal(t, x.url, got.url)
		})
	}
}
