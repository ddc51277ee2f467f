package main

import (
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"time"
)

// The exit codes of the program.
const (
	exitLimits  = 0 // limits, or a time to wait, were reported and could all be read
	exitNothing = 1 // the response says nothing about limits
	exitUsage   = 2 // the command line is wrong
	exitFailed  = 3 // no response: the request failed, or the recording cannot be read
	exitIgnored = 4 // a field was ignored or clamped, even if others were read
)

const usage = `headway keeps HTTP clients just under the limits that servers advertise.

Usage:

	headway inspect [flags] URL    what URL tells about its limits
	headway inspect [flags] -      the same of a response that curl -i has recorded
	headway audit [flags] URL      whether what an API of your own tells about its limits is true
	headway proxy -to URL          a local proxy that keeps programs in any language under the limits of URL
	headway version                the version of this program and of Go

	headway inspect -help, headway audit -help, headway proxy -help: the flags and exit codes
`

// A console is the program's input and output.
type console struct {
	in       io.Reader // nil: a terminal, as nobody types a response there
	out, err io.Writer
	now      func() time.Time
}

func main() {
	c := &console{in: os.Stdin, out: os.Stdout, err: os.Stderr, now: time.Now}
	if info, err := os.Stdin.Stat(); err == nil && info.Mode()&os.ModeCharDevice != 0 {
		c.in = nil
	}
	os.Exit(c.run(os.Args[1:]))
}

// run runs the command in args and returns the exit code.
func (c *console) run(args []string) int {
	if len(args) == 0 {
		return c.usageError(usage)
	}
	switch args[0] {
	case "inspect":
		return c.inspect(args[1:])
	case "audit":
		return c.audit(args[1:])
	case "proxy":
		return c.proxy(args[1:])
	case "version", "-version", "--version":
		return c.exitAfter(fmt.Fprintln(c.out, version()))
	case "help", "-h", "-help", "--help":
		return c.exitAfter(fmt.Fprint(c.out, usage))
	}
	return c.usageError("headway: there is no command " + quoted(args[0]) + "\n\n" + usage)
}

// version says which version of the program this is, and which version of Go has built it.
func version() string {
	build, ok := debug.ReadBuildInfo()
	if !ok { // built without modules
		return "headway (unknown version)"
	}
	return "headway " + build.Main.Version + " " + build.GoVersion
}

// usageError prints an error and how to use the program.
func (c *console) usageError(text string) int {
	_, _ = fmt.Fprint(c.err, text) // if writing fails, the exit code still says enough
	return exitUsage
}

// failed prints why there is nothing to report.
func (c *console) failed(command string, why error) int {
	_, _ = fmt.Fprintf(c.err, "headway %s: %s\n", command, visible(cut(why.Error(), longText)))
	return exitFailed
}

// exitAfter returns the exit code after output that completes the command.
func (c *console) exitAfter(_ int, err error) int {
	if err != nil {
		return c.failed("help", err)
	}
	return 0
}
