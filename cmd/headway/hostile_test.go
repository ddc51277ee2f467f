package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/stretchr/testify/require"
)

// TestHostileRecordings shows that hostile recordings are read in linear time, and cannot control the
// terminal.
func TestHostileRecordings(t *testing.T) {
	const (
		ok  = "HTTP/1.1 200 OK\n"
		big = maxRecording
	)
	rows := []struct {
		name  string
		input io.Reader
		exit  int
	}{
		{"endless zeros", endless{"\x00"}, exitFailed},
		{"endless lines", endless{"\n"}, exitFailed},
		{"endless statuses", endless{ok}, exitIgnored},
		{"endless responses", endless{ok + "\n"}, exitNothing},
		{"endless responses that are none", endless{"HTTP/1.1 100 Continue\n\n"}, exitFailed},
		{"endless body", io.MultiReader(strings.NewReader(ok+"\n"), endless{"x"}), exitNothing},
		{"endless field", io.MultiReader(strings.NewReader(ok+"RateLimit: "), endless{`"a";r=1;t=1, `}), exitIgnored},
		{"endless fields", io.MultiReader(strings.NewReader(ok), endless{"X-RateLimit-Limit: 1\n"}), exitIgnored},
		{"problem after problem", strings.NewReader(ok + malformedFields(30_000)), exitIgnored},
		{"endless continuation", io.MultiReader(strings.NewReader(ok+"RateLimit: \"a\"\n"), endless{" ;r=1\n"}), exitIgnored},
		{"endless lines that are no fields", io.MultiReader(strings.NewReader(ok), endless{"\x1b[31m\n"}), exitIgnored},
		{"control characters everywhere", strings.NewReader("\x1b[31m" + ok + ok[:13] + "\x1b[2J\nRateLimit: \x1b[31m\nX-RateLimit-Resource: \x1b[31m\nX-RateLimit-Bucket: \u009b31m\u202e\n" +
			"X-RateLimit-Limit: 5\nRetry-After: \a\nDate: \x1b\n\x1b[31m: x\n\n\x1b[31m"), exitIgnored},
		{"carriage returns", strings.NewReader(ok + "X-RateLimit-Limit: 1\rX-RateLimit-Name: owned\n\n"), exitIgnored},
		{"a hostile problem", strings.NewReader("HTTP/1.1 429 X\nContent-Type: application/problem+json\n\n" + `{"violated-policies": ["\u001b[31m", "\u202e", "` + strings.Repeat("x", 200) + `"]}`), exitNothing},
		{"a deep problem", io.MultiReader(strings.NewReader("HTTP/1.1 429 X\nContent-Type: application/problem+json\n\n"), endless{"["}), exitNothing},
		{"a large recording", strings.NewReader(strings.Repeat("x", big) + ok), exitFailed},
	}
	for _, x := range rows {
		t.Run(x.name, func(t *testing.T) {
			recording, err := io.ReadAll(io.LimitReader(x.input, big+1))
			require.NoError(t, err)
			for _, s := range []session{{}, {args: []string{"-json"}}} {
				s.args = append([]string{"inspect"}, s.args...)
				s.input = io.MultiReader(strings.NewReader(string(recording)), x.input)
				code := requireHarmless(t, s)
				require.Equal(t, x.exit, code)
			}
		})
	}
}

// malformedFields returns n fields, each of which is listed as a problem.
func malformedFields(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "X-Ratelimit-Remaining-%05ds: =\n", i+1)
	}
	return b.String()
}

// requireHarmless runs a session and checks what must hold for all recordings.
func requireHarmless(t *testing.T, s session) (code int) {
	t.Helper()
	var out, errs string
	synctest.Test(t, func(*testing.T) { out, errs, code = s.run() })
	require.Contains(t, []int{exitLimits, exitNothing, exitFailed, exitIgnored}, code)
	require.Equal(t, code == exitFailed, out == "")
	require.Equal(t, code == exitFailed, errs != "")
	require.Less(t, len(out), 1<<20, "what there is to say has an end")
	requireTame(t, errs)
	requireTame(t, out)
	if out != "" && len(s.args) > 1 {
		require.True(t, json.Valid([]byte(out)))
	}
	return code
}
