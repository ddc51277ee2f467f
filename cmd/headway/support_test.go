package main

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// A session is one run of the program, inside the test's process.
type session struct {
	args  []string
	input io.Reader // nil: a terminal
	table bool      // a terminal, with colours
}

// run returns the program's output and exit code.
func (s session) run() (out, errs string, code int) {
	var o, e bytes.Buffer
	c := &console{in: s.input, out: &o, err: &e, table: s.table, palette: palette(s.table), now: time.Now}
	code = c.run(s.args)
	return o.String(), e.String(), code
}

// inspect runs the command on a recording.
func inspect(recording string, flags ...string) (out, errs string, code int) {
	return session{args: append([]string{"inspect"}, flags...), input: strings.NewReader(recording)}.run()
}

// read reads a valid recording.
func read(t *testing.T, text string) *recording {
	t.Helper()
	rec, err := readRecording(strings.NewReader(text))
	require.NoError(t, err)
	return rec
}

// respond returns an exchange with a status and fields such as "Name: value", received now.
func respond(status int, fields ...string) *exchange {
	x := &exchange{request: httptest.NewRequest(http.MethodGet, "https://api.example.com/", nil), status: status, header: http.Header{}, at: time.Now()}
	for _, field := range fields {
		name, value, _ := strings.Cut(field, ":")
		x.header.Add(name, strings.TrimSpace(value))
	}
	x.date()
	return x
}

// requireTame checks that the output has no control characters for terminals.
func requireTame(t *testing.T, output string) {
	t.Helper()
	require.True(t, utf8.ValidString(output))
	for _, r := range output {
		require.True(t, r == '\n' || unicode.IsPrint(r), "%q in %q", r, output)
	}
}

// A baseFunc is a RoundTripper in memory.
type baseFunc func(*http.Request) (*http.Response, error)

func (f baseFunc) RoundTrip(req *http.Request) (*http.Response, error) { return f(req) }

// endless repeats a text without end.
type endless struct{ text string }

func (e endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], e.text)
	}
	return n, nil
}
