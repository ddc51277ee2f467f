package main

import (
	"io"
	"os"
	"time"
)

// A console is the program's input and output.
type console struct {
	in       io.Reader // nil: a terminal, as nobody types a response there
	answers  io.Reader // the terminal, for what a person answers; nil if in is none
	out, err io.Writer
	table    bool // out is a terminal, so limits are shown in a table
	palette
	now func() time.Time
}

// newConsole finds out which of the files are terminals. Colours are for terminals only, unless the user has
// set NO_COLOR (https://no-color.org).
func newConsole(in, out, err *os.File, getenv func(string) string, now func() time.Time) *console {
	c := &console{out: out, err: err, now: now}
	if isTerminal(in) {
		c.answers = in
	} else {
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

// A palette paints with colours, or without.
type palette bool

// A style is the parameter of an ANSI escape sequence (ECMA-48 §8.3.117).
type style string

const (
	plain  style = ""
	bold   style = "1"
	red    style = "31"
	yellow style = "33"
)

// paint returns text in the given style, if the palette has colours.
func (p palette) paint(as style, text string) string {
	if !p || as == plain || text == "" {
		return text
	}
	return "\x1b[" + string(as) + "m" + text + "\x1b[0m"
}
