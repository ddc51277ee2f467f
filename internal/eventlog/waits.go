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
	partition *gate.Partition // nil: a Transport above paces the request
	since     pacer.Instant
	plan      gate.Wait
	page      *page // nil: the request does not wait
}

// Begin notes that a request in a partition waits as planned, since then. In a shadow it does not wait, and the line that
// says how long it would is written at once.
func (l *Log) Begin(ctx context.Context, w *Wait, p *gate.Partition, since pacer.Instant, plan *gate.Wait) {
	if l == nil || !l.Enabled(ctx, slog.LevelInfo) {
		return
	}
	l.mu.Lock()
	if w.page != nil { // which may be another one by now
		delete(w.page.waits, w)
	}
	*w = Wait{partition: p, since: since, plan: *plan}
	page, write := l.page(w.name()), func() {}
	if l.isShadow {
		write = l.long(page, w, plan.Length())
	} else {
		w.page, page.waits[w] = page, struct{}{}
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
	write := l.long(p, w, l.clock.Now().Sub(w.since)) // nobody may have looked while it was long
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
			due = append(due, l.long(p, longest, l.clock.Now().Sub(longest.since)))
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
		if longest == nil || w.since < longest.since {
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
		attrs := append([]slog.Attr{slog.Int("waiting", waiting), slog.Duration("longest_wait", RoundWait(lasted))}, wait.reason(now, lasted)...)
		what := "requests " + l.Does("wait", "would wait") + " for more than a second"
		l.Write(context.Background(), slog.LevelInfo, what, wait.name(), attrs...)
	}
}

func (w *Wait) name() string {
	if w.partition == nil {
		return ""
	}
	return w.partition.Name()
}

// reason says for what a request waits, and when the next one goes. While it is in the queue its partition knows best. If
// it has waited for a place for a minute, responses that nobody closes are the likely reason.
func (w *Wait) reason(now pacer.Instant, lasted time.Duration) []slog.Attr {
	plan, likely := w.plan, ""
	if w.page != nil && w.partition != nil && plan.Cause != gate.CauseCeiling {
		s := w.partition.State()
		if s.Next != nil && s.Next.At > s.Now {
			plan = *s.Next
		}
		switch {
		case plan.Cause != pacer.CausePlaces || lasted < waitsEvery || s.Open == 0:
		case s.Open == 1:
			likely = "1 response has not been closed"
		default:
			likely = fmt.Sprintf("%d responses have not been closed", s.Open)
		}
	}
	plan.Now = now
	return []slog.Attr{
		slog.String("cause", string(plan.Cause)), slog.String("policy", plan.Policy),
		slog.Duration("next", RoundWait(plan.Length())), slog.String("likely", likely),
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
