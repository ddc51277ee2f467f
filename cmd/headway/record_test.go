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
	ok := recording{proto: "HTTP/1.1", status: 200, header: http.Header{"A": {"1"}}}
	with := func(change func(*recording)) recording { r := ok; change(&r); return r }
	body := with(func(r *recording) { r.body = "body" })
	for _, row := range []struct {
		name string
		text string
		want recording
	}{
		{"LF", "HTTP/1.1 200 OK\nA: 1\n\nbody", body},
		{"CRLF", "HTTP/1.1 200 OK\r\nA: 1\r\n\r\nbody", body},
		{"no minor version, and space for a reason", "HTTP/2 200 \nA:\t1 \t\n\n", with(func(r *recording) { r.proto = "HTTP/2" })},
		{"cut off in the head", "HTTP/1.1 200 OK\nA: 1", ok},
		{"no fields", "HTTP/1.1 200 OK\n what\nA B: 2\nA: 1\n\n", with(func(r *recording) { r.skipped = 2 })},
		{"what comes first", "$ curl -i\n\n  % Total\nHTTP/1.1 200 OK\nA: 1\n\nbody", body},
		{"proxy, redirect and interim response", "HTTP/1.1 200 Connection established\n\nHTTP/1.1 302 Found\nLocation: /x\n\nHTTP/1.1 103 Early\n\nHTTP/1.1 200 OK\nA: 1\n\nbody", body},
		{"a status in the body", "HTTP/1.1 200 OK\nA: 1\n\nx\nHTTP/1.1 500 Oops\n\n", with(func(r *recording) { r.body = "x\nHTTP/1.1 500 Oops\n\n" })},
		{"101 is final", "HTTP/1.1 101 Switching Protocols\nA: 1\n\n", with(func(r *recording) { r.status = 101 })},
		{"statuses that are none", "HTTP/1.1 20 OK\nHTTP/1.1 2000 OK\nHTTP/1.1 099 X\nHTTP/11 200\nHTTP/x 200\nHTTP/1.1\nHTTP/ 200\nhttp/1.1 200 OK\nHTTP/1.1 200 OK\nA: 1\n\n", ok},
	} {
		t.Run(row.name, func(t *testing.T) {
			got, err := readRecording(strings.NewReader(row.text))
			require.NoError(t, err)
			require.Equal(t, &row.want, got)
		})
	}
}

func TestUnreadableRecordings(t *testing.T) {
	for _, text := range []string{
		"RateLimit: \"a\";r=1;t=2\n\n",
		"<html>HTTP/1.1 200 OK</html>",
		"HTTP/1.1 100 Continue\n\nHTTP/1.1 103 Early Hints\nA: 1\n\n",
		"< HTTP/1.1 200 OK\n< A: 1\n<\n",
	} {
		_, errs, code := inspect(text)
		require.Equal(t, exitFailed, code, text)
		require.Equal(t, "headway inspect: "+errNoFinal.Error()+"\n", errs)
	}
	_, errs, _ := session{args: []string{"inspect"}, input: iotest.ErrReader(errors.New("disk \x1b[31mburns"))}.run()
	require.Equal(t, "headway inspect: cannot read the recording: disk \\x1b[31mburns\n", errs)
}

// TestReceipt shows how the time of receipt of a recorded response is determined.
func TestReceipt(t *testing.T) {
	now := time.Date(2026, time.March, 4, 12, 0, 0, 0, time.UTC)
	const day = "Date: Tue, 14 Mar 2017 15:16:00 GMT\n"
	for _, row := range []struct{ name, head, at, date string }{
		{"Date", day, "2017-03-14T15:16:00Z", "Tue, 14 Mar 2017 15:16:00 GMT"},
		{"Date and Age", day + "Age: 60\n", "2017-03-14T15:17:00Z", "Tue, 14 Mar 2017 15:16:00 GMT"},
		{"no Date", "", "2026-03-04T12:00:00Z", "Wed, 04 Mar 2026 12:00:00 GMT"},
		{"no Date, but Age", "Age: 60\n", "2026-03-04T12:00:00Z", "Wed, 04 Mar 2026 11:59:00 GMT"},
	} {
		t.Run(row.name, func(t *testing.T) {
			rec, err := readRecording(strings.NewReader("HTTP/1.1 200 OK\n" + row.head + "\n"))
			require.NoError(t, err)
			x, err := rec.exchange("", "https://api.example.com", now)
			require.NoError(t, err)
			require.Equal(t, row.at, newReport(x, "", 0).Received.Format(time.RFC3339))
			require.Equal(t, []string{row.date}, x.Header["Date"])
		})
	}
}
