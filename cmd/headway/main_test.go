package main

import (
	"errors"
	"flag"
	"os"
	"path/filepath"
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
		{name: "-help", args: []string{"-help"}, out: "Usage:"},
		{name: "version", args: []string{"version"}, out: "headway (devel) go"},
		{name: "unknown command", args: []string{"inspekt"}, exit: exitUsage, err: `no command "inspekt"`},
		{name: "hostile command", args: []string{"\x1b[31m"}, exit: exitUsage, err: `no command "\x1b[31m"`},
		{name: "inspect -help", args: []string{"inspect", "-help"}, out: "Exit codes:"},
		{name: "no URL on a terminal", args: []string{"inspect"}, exit: exitUsage, err: "Usage:"},
		{name: "a dash on a terminal", args: []string{"inspect", "-"}, exit: exitUsage, err: "Usage:"},
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

// TestDocumentation shows that the package comment and the help list exactly the flags and exit codes that
// exist.
func TestDocumentation(t *testing.T) {
	source, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	doc := string(source)
	new(options).flags(&raw{}).VisitAll(func(f *flag.Flag) {
		require.Contains(t, doc, "-"+f.Name)
		require.Contains(t, help(), "  -"+f.Name+" ")
		require.NotEmpty(t, f.Usage)
	})
	for line := range strings.Lines(exitCodes) {
		if line = strings.TrimSpace(line); line != "" && line != "Exit codes:" {
			require.Contains(t, doc, line)
		}
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

func TestConsole(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	device, err := os.OpenFile(os.DevNull, os.O_RDWR, 0) // a character device, as terminals are
	require.NoError(t, err)
	defer func() { require.NoError(t, device.Close()) }()
	rows := []struct {
		name          string
		out           *os.File
		env           map[string]string
		table, colour bool
	}{
		{name: "file", out: file},
		{name: "terminal", out: device, table: true, colour: true},
		{name: "terminal without colours", out: device, env: map[string]string{"NO_COLOR": "1"}, table: true},
		{name: "dumb terminal", out: device, env: map[string]string{"TERM": "dumb"}},
		{name: "empty NO_COLOR", out: device, env: map[string]string{"NO_COLOR": "", "TERM": "xterm"}, table: true, colour: true},
	}
	for _, x := range rows {
		t.Run(x.name, func(t *testing.T) {
			c := newConsole(file, x.out, file, func(name string) string { return x.env[name] }, time.Now)
			require.Equal(t, x.table, c.table)
			require.Equal(t, palette(x.colour), c.palette)
			require.NotNil(t, c.in, "a file can be read")
		})
	}
	require.Nil(t, newConsole(device, file, file, os.Getenv, time.Now).in, "nobody types a response")
}
