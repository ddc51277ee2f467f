package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestRun(t *testing.T) {
	rows := []struct {
		name     string
		args     []string
		exit     int
		out, err string // parts of the output
	}{
		{name: "nothing", exit: exitUsage, err: "Usage:"},
		{name: "help", args: []string{"help"}, out: "Usage:"},
		{name: "version", args: []string{"version"}, out: "headway (devel) go"},
		{name: "unknown command", args: []string{"inspekt"}, exit: exitUsage, err: `no command "inspekt"`},
		{name: "inspect -help", args: []string{"inspect", "-help"}, out: "Exit codes:"},
		{name: "no URL on a terminal", args: []string{"inspect"}, exit: exitUsage, err: "Usage:"},
		{name: "wrong flag", args: []string{"inspect", "-wrong"}, exit: exitUsage, err: "-wrong"},
	}
	for _, x := range rows {
		t.Run(x.name, func(t *testing.T) {
			out, errs, code := session{args: x.args}.run()
			require.Equal(t, x.exit, code)
			require.Contains(t, out, x.out)
			require.Contains(t, errs, x.err)
			requireTame(t, strings.ReplaceAll(errs, "\t", ""))
			require.Equal(t, x.out == "", out == "", "output goes to one place")
			require.Equal(t, x.err == "", errs == "", "output goes to one place")
		})
	}
}

// A brokenWriter fails.
type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestOutputThatFails(t *testing.T) {
	for _, args := range [][]string{{"inspect"}, {"inspect", "-json"}, {"help"}} {
		var errs strings.Builder
		c := &console{in: strings.NewReader("HTTP/1.1 200 OK\n\n"), out: brokenWriter{}, err: &errs, now: time.Now}
		require.Equal(t, exitFailed, c.run(args))
		require.Contains(t, errs.String(), "broken pipe")
	}
}
