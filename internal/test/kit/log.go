package kit

import (
	"context"
	"log/slog"
	"strings"
	"sync"
)

// A LogText is what a Logger has written. It may be read while a timer logs.
type LogText struct {
	mu   sync.Mutex
	text []byte
}

// Write implements [io.Writer].
func (l *LogText) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, line...)
	return len(line), nil
}

func (l *LogText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text)
}

// Reset drops the text.
func (l *LogText) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = nil
}

// NewLogger returns a Logger that writes records of that level and above to a LogText, without times.
func NewLogger(level slog.Level) (*slog.Logger, *LogText) {
	var out LogText
	return slog.New(slog.NewTextHandler(&out, &slog.HandlerOptions{
		Level: level,
		ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
			if a.Key == slog.TimeKey {
				return slog.Attr{}
			}
			return a
		},
	})), &out
}

// Messages returns the messages of the records that NewLogger's Logger has written to out, in order.
func Messages(out *LogText) []string {
	var all []string
	for line := range strings.Lines(out.String()) {
		_, rest, _ := strings.Cut(line, `msg="`)
		message, _, _ := strings.Cut(rest, `"`)
		all = append(all, message)
	}
	return all
}

// A HandlerFunc is a [slog.Handler] that is called with each record.
type HandlerFunc func(slog.Record)

// Enabled returns true.
func (f HandlerFunc) Enabled(context.Context, slog.Level) bool { return true }

// WithAttrs returns f.
func (f HandlerFunc) WithAttrs([]slog.Attr) slog.Handler { return f }

// WithGroup returns f.
func (f HandlerFunc) WithGroup(string) slog.Handler { return f }

// Handle calls f.
func (f HandlerFunc) Handle(_ context.Context, record slog.Record) error {
	f(record)
	return nil
}
