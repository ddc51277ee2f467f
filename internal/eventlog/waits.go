package eventlog

import (
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/gate"
	"github.com/headway-go/headway/pacer"
)

// LongWait is how long a wait or a hold must be to be logged at level Info.
const LongWait = time.Second

// waitsEvery is the time between two lines about the waits of one partition.
const waitsEvery = time.Minute

// A Wait is the wait of one request. The request has the memory, and the lock of the log guards it.
type Wait struct {
	Partition *gate.Partition // nil: a Transport above paces the request
	Since     pacer.Instant
	Planned   time.Duration // how long it is to be from now on; 0: not known
	Cause     pacer.Cause
	Policy    string

	page *page // nil: the request does not wait
}

// Begin notes that a request waits as in now, from now on or as before. In a shadow it does not wait, and the line that says
// how long it would is written at once.
func (l *Log) Begin(ctx context.Context, w *Wait, now Wait) {
	if l == nil || !l.Enabled(ctx, slog.LevelInfo) {
		return
	}
	l.mu.Lock()
	p := l.page(now.name())
	write := func() {}
	if *w = now; l.isShadow {
		write = l.long(p, w, w.Planned)
	} else {
		w.page, p.waits[w] = p, struct{}{}
		l.lookSoon()
	}
	l.mu.Unlock()
	write()
}

// End notes that a request does not wait any more, if it did.
func (l *Log) End(w *Wait) {
	if l == nil || w.page == nil {
		return
	}
	l.mu.Lock()
	p := w.page
	delete(p.waits, w)
	w.page = nil
	write := l.long(p, w, l.clock.Now().Sub(w.Since)) // nobody may have looked while it was long
	l.mu.Unlock()
	write()
}

// lookSoon has the log look for long waits in a second.
func (l *Log) lookSoon() {
	if !l.isLooking {
		l.isLooking = true
		clock.After(LongWait, l.look)
	}
}

// look writes the lines that are due, and looks again as long as requests wait.
func (l *Log) look() {
	var due []func()
	l.mu.Lock()
	l.isLooking = false
	for _, p := range l.pages {
		if longest := p.longest(); longest != nil {
			due = append(due, l.long(p, longest, l.clock.Now().Sub(longest.Since)))
			l.lookSoon()
		}
	}
	l.mu.Unlock()
	for _, write := range due {
		write()
	}
}

// longest returns the wait that has lasted longest; nil if no request waits.
func (p *page) longest() (longest *Wait) {
	for w := range p.waits {
		if longest == nil || w.Since < longest.Since {
			longest = w
		}
	}
	return longest
}

// long returns what writes the line about a wait, without the lock. It writes none if the wait is short or another line is
// not a minute old.
func (l *Log) long(p *page, w *Wait, lasted time.Duration) (write func()) {
	now := l.clock.Now()
	if lasted < LongWait || !isDue(now, p.waitsAt, waitsEvery) {
		return func() {}
	}
	p.waitsAt = now
	wait, waiting := *w, len(p.waits)
	return func() {
		attrs := append([]slog.Attr{slog.Int("waiting", waiting), slog.Duration("longest_wait", RoundWait(lasted))}, wait.reason(lasted)...)
		what := "requests " + l.Does("wait", "would wait") + " for more than a second"
		l.Write(context.Background(), slog.LevelInfo, what, wait.name(), attrs...)
	}
}

func (w *Wait) name() string {
	if w.Partition == nil {
		return ""
	}
	return w.Partition.Name()
}

// reason says for what a request waits, and when the next one goes. While it is in the queue its partition knows best. If it
// has waited for a place for a minute, responses that nobody closes are the likely reason.
func (w *Wait) reason(lasted time.Duration) []slog.Attr {
	cause, policy, next, likely := w.Cause, w.Policy, max(0, w.Planned-lasted), ""
	if w.page != nil && w.Partition != nil && cause != gate.CauseCeiling {
		s := w.Partition.State()
		if s.Next != nil && s.Next.At > s.Now {
			cause, policy, next = s.Next.Cause, s.Next.Policy, 0
			if s.Next.At < pacer.Never {
				next = s.Next.At.Sub(s.Now)
			}
		}
		switch {
		case cause != pacer.CausePlaces || lasted < waitsEvery || s.Open == 0:
		case s.Open == 1:
			likely = "1 response has not been closed"
		default:
			likely = fmt.Sprintf("%d responses have not been closed", s.Open)
		}
	}
	return []slog.Attr{
		slog.String("cause", string(cause)), slog.String("policy", policy), slog.Duration("next", RoundWait(next)), slog.String("likely", likely),
	}
}

// RoundWait drops digits of a wait that nobody needs.
func RoundWait(d time.Duration) time.Duration {
	switch {
	case d >= time.Minute:
		return d.Round(time.Second)
	case d >= time.Second:
		return d.Round(100 * time.Millisecond)
	}
	return d.Round(time.Millisecond)
}
