package termheadway

import (
	"io"
	"os"
	"sync"

	"github.com/charmbracelet/x/ansi"
	"golang.org/x/term"
)

// usualColumns is the width of a terminal that does not tell its width.
const usualColumns = 80

// A screen is a writer with a line that can be rewritten, if the writer is a terminal.
type screen struct {
	w  io.Writer
	fd int // of the terminal; −1: there is none

	mu     sync.Mutex
	shown  string // "": no line
	isOpen bool   // the program has written a part of a line, behind which nothing is drawn
}

func newScreen(w io.Writer) *screen {
	s := &screen{w: w, fd: -1}
	if file, ok := w.(interface{ Fd() uintptr }); ok && os.Getenv("TERM") != "dumb" {
		if fd := int(file.Fd()); term.IsTerminal(fd) {
			s.fd = fd
		}
	}
	return s
}

func (s *screen) isTerminal() bool { return s.fd >= 0 }

// columns returns the width of the terminal now.
func (s *screen) columns() int {
	if columns, _, err := term.GetSize(s.fd); err == nil && columns > 0 {
		return columns
	}
	return usualColumns
}

// draw shows the text in place of the one before; "" shows none. It is rewritten even if it has not changed, as other
// programs may have written over it. mu must be held.
func (s *screen) draw(text string) error {
	if s.isOpen || text == "" && s.shown == "" {
		return nil
	}
	s.shown = text
	_, err := s.w.Write([]byte("\r" + text + ansi.EraseLineRight))
	return err
}

// pass writes what the program has to say. The line is put away before, and put back if a line of the program has ended.
func (s *screen) pass(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	shown := s.shown
	if err := s.draw(""); err != nil {
		return 0, err
	}
	n, err := s.w.Write(p)
	if len(p) > 0 {
		s.isOpen = p[len(p)-1] != '\n'
	}
	if err == nil {
		err = s.draw(shown)
	}
	return n, err
}
