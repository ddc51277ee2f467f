package termheadway_test

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"log"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
	"unicode"

	"github.com/charmbracelet/x/ansi"
	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/termheadway"
)

// wait makes two requests wait on the terminal for five seconds, and then does more.
func wait(t *testing.T, terminal *terminal, partition func(*http.Request) string, then func(*termheadway.Line)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		transport := &headway.Transport{Base: kit.InTurn(kit.UsedUp()), Jitter: -1, Partition: partition}
		line := termheadway.Show(terminal, transport)
		kit.Prime(t, transport)
		ctx, cancel := context.WithCancel(t.Context())
		group := begin(ctx, transport, kit.URL, 2)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if then != nil {
			then(line)
		}
		cancel()
		group.Wait()
		require.NoError(t, line.Close())
		require.NoError(t, line.Close(), "once more does no harm")
	})
}

// On a narrow terminal the line loses some parts, and never takes a second row.
func TestNarrowTerminals(t *testing.T) {
	const full = "api.example.com: 2 waiting, next in 56 s, 0 of 10 left until 00:01"
	for columns, want := range map[int]string{
		0:  full, // the width is not known
		81: "api.example.com: 2 waiting, next in 56 s, last in 62 s, 0 of 10 left until 00:01",
		80: full,
		67: full,
		66: "api.example.com: 2 waiting, next in 56 s",
		26: "api.example.com: 2 waiti…",
		1:  "",
	} {
		t.Run(fmt.Sprint(columns), func(t *testing.T) {
			terminal := newTerminal(t, columns)
			wait(t, terminal, nil, func(*termheadway.Line) { require.Equal(t, want, terminal.now()) })
			require.Equal(t, []string{""}, rows(cmp.Or(columns, 80), terminal.received()))
			for _, f := range terminal.frames {
				require.Len(t, rows(cmp.Or(columns, 80), f.text), 1)
			}
		})
	}
}

// A name from outside never moves the cursor, colours anything or changes the direction of writing. Wide characters
// take two columns.
func TestHostNamesAreHarmless(t *testing.T) {
	for _, test := range []struct{ name, partition, want string }{
		{"escape sequences", "https://\x1b[31m\x1b]0;title\x07evil.example\x1b[2J", "�[31m�]0;title�evil.example�[2J: 2 waiting, next in 56 s"},
		{"direction of writing", "a\u202eb\u2066c\u200f", "a�b�c�: 2 waiting, next in 56 s, last in 62 s, 0 of 10 left until 00:01"},
		{"wide", strings.Repeat("界", 30), strings.Repeat("界", 30) + ": 2 waiting"},
		{"long", strings.Repeat("x", 100_000), strings.Repeat("x", 78) + "…"},
		{"credentials", "https://api.example.com#c0ffee5a17ed0a75", "api.example.com: 2 waiting, next in 56 s, 0 of 10 left until 00:01"},
	} {
		t.Run(test.name, func(t *testing.T) {
			terminal := newTerminal(t, 80)
			wait(t, terminal, func(*http.Request) string { return test.partition }, func(*termheadway.Line) {
				require.Equal(t, test.want, terminal.now())
			})
			for _, f := range terminal.frames {
				line, ok := strings.CutSuffix(f.text, ansi.EraseLineRight)
				require.True(t, ok)
				require.True(t, strings.HasPrefix(line, "\r"))
				for _, r := range line[1:] {
					require.True(t, unicode.IsPrint(r), "%q", r)
				}
				require.LessOrEqual(t, ansi.StringWidth(line[1:]), 79)
			}
		})
	}
}

// Without a terminal nothing is shown, and the Transport is left as it is.
func TestNoTerminal(t *testing.T) {
	file, err := os.Create(filepath.Join(t.TempDir(), "file"))
	require.NoError(t, err)
	defer func() { require.NoError(t, file.Close()) }()
	reader, pipe, err := os.Pipe()
	require.NoError(t, err)
	defer func() { _, _ = pipe.Close(), reader.Close() }()
	real := newTerminal(t, 80)
	for _, test := range []struct {
		name string
		w    io.Writer
		term string
	}{
		{"a file", file, "xterm"},
		{"a pipe", pipe, "xterm"},
		{"a terminal that only appends", real, "dumb"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Setenv("TERM", test.term)
			transport := &headway.Transport{}
			line := termheadway.Show(test.w, transport)
			require.Nil(t, transport.Trace)
			n, err := fmt.Fprint(line, "told\n")
			require.NoError(t, err)
			require.Equal(t, 5, n)
			require.NoError(t, line.Close())
		})
	}
	require.Equal(t, "told\r\n", real.received(), "it is only passed on")
}

// What the program writes through the Line stands above it, in whole lines.
func TestWriteBesideTheLine(t *testing.T) {
	terminal := newTerminal(t, 80)
	wait(t, terminal, nil, func(line *termheadway.Line) {
		shown := terminal.now()
		require.NotEmpty(t, shown)
		log.New(line, "", 0).Print("first")
		require.Equal(t, shown, terminal.now())
		_, err := fmt.Fprint(line, "sec")
		require.NoError(t, err)
		time.Sleep(3 * time.Second)
		synctest.Wait()
		require.Equal(t, "sec", terminal.now(), "nothing is drawn behind half a line")
		_, err = fmt.Fprint(line, "ond\n")
		require.NoError(t, err)
		time.Sleep(time.Second)
		synctest.Wait()
		require.Contains(t, terminal.now(), "2 waiting")
	})
	require.Equal(t, []string{"first", "second", ""}, rows(80, terminal.received()))
}

// After Close nothing is shown, and requests still wait and go.
func TestClose(t *testing.T) {
	terminal := newTerminal(t, 80)
	wait(t, terminal, nil, func(line *termheadway.Line) {
		require.NotEmpty(t, terminal.now())
		require.NoError(t, line.Close())
		time.Sleep(time.Hour)
		require.Empty(t, terminal.now())
		_, err := fmt.Fprint(line, "the end\n")
		require.NoError(t, err)
	})
	require.Equal(t, []string{"the end", ""}, rows(80, terminal.received()))
}

// A terminal that stands still, as after Ctrl-S, delays no request.
func TestTerminalThatStandsStill(t *testing.T) {
	terminal := newTerminal(t, 80)
	synctest.Test(t, func(t *testing.T) {
		terminal.block = make(chan struct{})
		transport := &headway.Transport{Base: kit.InTurn(kit.UsedUp(), kit.UsedUp(), kit.Status(200))}
		line := termheadway.Show(terminal, transport)
		kit.Prime(t, transport)
		begun := time.Now()
		begin(t.Context(), transport, kit.URL, 10).Wait()
		require.Less(t, time.Since(begun), time.Hour)
		require.Empty(t, terminal.frames)
		close(terminal.block)
		require.NoError(t, line.Close())
		require.Empty(t, terminal.now())
	})
}

// Many requests of many hosts wait, are cancelled and write, while the Line is closed. The race detector watches.
func TestConcurrentUse(t *testing.T) {
	terminal := newTerminal(t, 80)
	synctest.Test(t, func(t *testing.T) {
		transport := &headway.Transport{Base: kit.InTurn(kit.UsedUp())}
		line := termheadway.Show(terminal, transport)
		ctx, cancel := context.WithTimeoutCause(t.Context(), 2*time.Hour, context.Canceled)
		defer cancel()
		var group sync.WaitGroup
		for i := range 50 {
			group.Go(func() {
				ctx, cancel := context.WithCancel(ctx)
				defer cancel()
				time.AfterFunc(time.Duration(i)*time.Minute, cancel)
				for ctx.Err() == nil {
					if resp, err := kit.Get(ctx, transport, fmt.Sprintf("https://%d.example/", i%7)); err == nil {
						_ = resp.Body.Close()
					}
					_, _ = fmt.Fprintln(line, i)
				}
			})
		}
		group.Go(func() {
			time.Sleep(40 * time.Minute)
			_ = line.Close()
		})
		group.Wait()
	})
	all := rows(80, terminal.received())
	require.Empty(t, all[len(all)-1])
	for _, row := range all {
		require.NotContains(t, row, "waiting", "each row has been cleared")
	}
}
