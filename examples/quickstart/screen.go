package main

import (
	"io"
	"os"
)

// A screen is the program's output.
type screen struct {
	io.Writer
	palette
	live bool // a terminal, on which a line can be rewritten
}

// newScreen finds out whether f is a terminal. Colours are for terminals only, unless the user has set
// NO_COLOR (https://no-color.org).
func newScreen(f *os.File) screen {
	info, err := f.Stat()
	live := err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
	return screen{Writer: f, live: live, palette: palette(live && os.Getenv("NO_COLOR") == "")}
}

// A palette paints with colours, or without.
type palette bool

// A style is the parameter of an ANSI escape sequence (ECMA-48 §8.3.117).
type style string

const (
	plain style = ""
	bold  style = "1"
	dim   style = "2"
	red   style = "31"
	green style = "32"
)

// paint returns text in the given style, if the palette has colours.
func (p palette) paint(as style, text string) string {
	if !p || as == plain || text == "" {
		return text
	}
	return "\x1b[" + string(as) + "m" + text + "\x1b[0m"
}
