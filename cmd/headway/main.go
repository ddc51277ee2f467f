package main

import (
	"fmt"
	"os"
	"time"
)

// The exit codes of the program.
const (
	exitLimits  = 0 // limits, or a time to wait, are told, and all of it was read
	exitNothing = 1 // nothing is told about limits
	exitUsage   = 2 // the command line is wrong
	exitFailed  = 3 // there is no response: the request failed, or the recording cannot be read
	exitIgnored = 4 // something that the server sent was ignored or clamped, whatever else was read
)

const usage = `headway keeps HTTP clients just under the limits that servers advertise.

Usage:

	headway inspect [flags] URL    what URL tells about its limits
	headway inspect [flags] -      the same of a response that curl -i has recorded
	headway inspect -help          the flags and exit codes
`

func main() {
	os.Exit(newConsole(os.Stdin, os.Stdout, os.Stderr, os.Getenv, time.Now).run(os.Args[1:]))
}

// run runs the command that args name and returns the exit code.
func (c *console) run(args []string) int {
	if len(args) == 0 {
		return c.misused(usage)
	}
	switch args[0] {
	case "inspect":
		return c.inspect(args[1:])
	case "help", "-h", "-help", "--help":
		return c.wrote(fmt.Fprint(c.out, usage))
	}
	return c.misused("headway: there is no command " + quoted(args[0], shortText) + "\n\n" + usage)
}

// misused says how the program is used to somebody who has done otherwise.
func (c *console) misused(text string) int {
	_, _ = fmt.Fprint(c.err, text) // the exit code says it all, if nobody reads this
	return exitUsage
}

// failed says why there is nothing to report.
func (c *console) failed(why error) int {
	_, _ = fmt.Fprintln(c.err, "headway inspect:", why)
	return exitFailed
}

// wrote is the exit code after output that was all there is to do.
func (c *console) wrote(_ int, err error) int {
	if err != nil {
		return c.failed(err)
	}
	return 0
}
