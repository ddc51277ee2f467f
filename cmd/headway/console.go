package main

import (
	"io"
	"os"
	"time"
)

// A console is what the program reads from and writes to.
type console struct {
	in       io.Reader // nil: a terminal, on which nobody types a response
	out, err io.Writer
	table    bool // out is a terminal, where limits are shown in a table
	palette
	now func() time.Time
}

// newConsole finds out which of the files are terminals. Colour is for terminals only,
// and not if the user has set NO_COLOR (https://no-color.org).
func newConsole(in, out, err *os.File, getenv func(string) string, now func() time.Time) *console {
	c := &console{out: out, err: err, now: now}
	if !isTerminal(in) {
		c.in = in
	}
	c.table = isTerminal(out) && getenv("TERM") != "dumb"
	c.palette = palette(c.table && getenv("NO_COLOR") == "")
	return c
}

func isTerminal(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}

// A palette has colours or not.
type palette bool

// A style is the parameter of an ANSI escape sequence (ECMA-48 §8.3.117).
type style string

const (
	plain  style = ""
	bold   style = "1"
	red    style = "31"
	yellow style = "33"
)

// paint returns text in the given style, if there are colours.
func (p palette) paint(as style, text string) string {
	if !p || as == plain || text == "" {
		return text
	}
	return "\x1b[" + string(as) + "m" + text + "\x1b[0m"
}
