package main

import (
	"bytes"
	"io"
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
}

// run returns the program's output and exit code.
func (s session) run() (out, errs string, code int) {
	var o, e bytes.Buffer
	c := &console{in: s.input, out: &o, err: &e, now: time.Now}
	code = c.run(s.args)
	return o.String(), e.String(), code
}

// inspect runs the command on a recording.
func inspect(recording string, flags ...string) (out, errs string, code int) {
	return session{args: append([]string{"inspect"}, flags...), input: strings.NewReader(recording)}.run()
}

// requireTame checks that the output has no control characters for terminals.
func requireTame(t *testing.T, output string) {
	t.Helper()
	require.True(t, utf8.ValidString(output))
	for _, r := range output {
		require.True(t, r == '\n' || unicode.IsPrint(r), "%q in %q", r, output)
	}
}

// endless repeats a text without end.
type endless struct{ text string }

func (e endless) Read(p []byte) (int, error) {
	n := 0
	for n < len(p) {
		n += copy(p[n:], e.text)
	}
	return n, nil
}
