package main

import (
	"io"
	"os"
)

// A screen is where the program writes to.
type screen struct {
	io.Writer
	palette
	live bool // a terminal, on which a line may be written over
}

// newScreen finds out what f is. Colour is for terminals only, and not if the
// user set NO_COLOR (https://no-color.org).
func newScreen(f *os.File) screen {
	info, err := f.Stat()
	live := err == nil && info.Mode()&os.ModeCharDevice != 0 && os.Getenv("TERM") != "dumb"
	return screen{Writer: f, live: live, palette: palette(live && os.Getenv("NO_COLOR") == "")}
}

// A palette has colours or not.
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

// paint returns text in the given style, if there are colours.
func (p palette) paint(as style, text string) string {
	if !p || as == plain || text == "" {
		return text
	}
	return "\x1b[" + string(as) + "m" + text + "\x1b[0m"
}
