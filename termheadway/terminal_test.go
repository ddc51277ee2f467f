package termheadway_test

import (
	"bufio"
	"os"
	"strings"
	"sync"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/charmbracelet/x/ansi"
	"github.com/creack/pty"
	"github.com/stretchr/testify/require"
)

func TestMain(m *testing.M) {
	time.Local = time.UTC // in which the line has the time of day
	os.Exit(m.Run())
}

// end is a character that no test writes.
const end = 0

// A terminal is a pseudo-terminal that remembers what was written to it, and when.
type terminal struct {
	*os.File
	columns  int
	block    chan struct{} // if not nil, Write waits until it is closed
	received func() string // ends the terminal, and returns what has arrived at its other end

	mu     sync.Mutex
	frames []frame
}

// A frame is one write.
type frame struct {
	at   time.Time
	text string
}

// newTerminal opens a terminal. Call it outside of bubbles, in which reading it would stop the time.
func newTerminal(t *testing.T, columns int) *terminal {
	t.Helper()
	t.Setenv("TERM", "xterm")
	outside, inside, err := pty.Open()
	require.NoError(t, err)
	require.NoError(t, pty.Setsize(outside, &pty.Winsize{Rows: 24, Cols: uint16(columns)})) //nolint:gosec // some hundreds
	all := make(chan string)
	go func() {
		text, _ := bufio.NewReader(outside).ReadString(end)
		all <- strings.TrimSuffix(text, string(rune(end)))
	}()
	term := &terminal{File: inside, columns: columns}
	term.received = sync.OnceValue(func() string {
		_, _ = inside.Write([]byte{end}) // to close the terminal at once might lose what was written last
		return <-all
	})
	t.Cleanup(func() { term.received(); _, _ = inside.Close(), outside.Close() })
	return term
}

// Write implements [io.Writer].
func (t *terminal) Write(p []byte) (int, error) {
	if t.block != nil {
		<-t.block
	}
	t.mu.Lock()
	t.frames = append(t.frames, frame{time.Now(), string(p)})
	t.mu.Unlock()
	return t.File.Write(p)
}

// seen returns the lines that were shown, each once, as a person sees them: without what moves the cursor.
func (t *terminal) seen() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var lines []string
	for _, f := range t.frames {
		line := strings.TrimSuffix(strings.TrimPrefix(f.text, "\r"), ansi.EraseLineRight)
		if len(lines) == 0 || line != lines[len(lines)-1] {
			lines = append(lines, line)
		}
	}
	return lines
}

// now returns what is shown now.
func (t *terminal) now() string {
	lines := t.seen()
	if len(lines) == 0 {
		return ""
	}
	return lines[len(lines)-1]
}

// rows returns the rows of a terminal of that width on which the text has been written. It knows what a Line uses.
func rows(columns int, text string) []string {
	all, column := [][]rune{nil}, 0
	put := func(r rune) {
		if column == columns {
			all, column = append(all, nil), 0
		}
		row := &all[len(all)-1]
		for len(*row) <= column {
			*row = append(*row, ' ')
		}
		(*row)[column] = r
		column++
	}
	for rest := text; rest != ""; {
		if after, ok := strings.CutPrefix(rest, ansi.EraseLineRight); ok {
			row := &all[len(all)-1]
			*row, rest = (*row)[:min(column, len(*row))], after
			continue
		}
		r, size := utf8.DecodeRuneInString(rest)
		rest = rest[size:]
		switch r {
		case '\r':
			column = 0
		case '\n':
			all = append(all, nil) // the kernel has put a carriage return before it
		default:
			put(r)
		}
	}
	var lines []string
	for _, row := range all {
		lines = append(lines, string(row))
	}
	return lines
}
