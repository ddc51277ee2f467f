package eventlog

import (
	"context"
	"fmt"
	"log/slog"
	"time"

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

	page   *page         // nil: the request does not wait
	lasted time.Duration // when it was last looked at
}

// Begin notes that a request waits as in now, from now on or as before.
func (l *Log) Begin(ctx context.Context, w *Wait, now Wait) {
	if l == nil || !l.Enabled(ctx, slog.LevelInfo) {
		return
	}
	name := ""
	if now.Partition != nil {
		name = now.Partition.Name()
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	p := l.page(name)
	if *w = now; l.isShadow {
		p.see(w, w.Planned)
	} else {
		w.page, p.waits[w] = p, struct{}{}
	}
	l.lookSoon()
}

// End notes that a request does not wait any more, if it did.
func (l *Log) End(w *Wait) {
	if l == nil || w.page == nil {
		return
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	p := w.page
	delete(p.waits, w)
	w.page = nil
	p.see(w, l.clock.Now().Sub(w.Since))
}

// see notes how long a wait has lasted or, in a shadow, would last.
func (p *page) see(w *Wait, lasted time.Duration) {
	if w.lasted = lasted; lasted >= LongWait && lasted > p.longest.lasted {
		p.longest = *w
	}
}

// dueWaits returns what writes that waits begin or, at most once a minute, that they last or are over; nil if no line is due.
func (l *Log) dueWaits(partition string, p *page, now pacer.Instant) func() {
	for w := range p.waits {
		p.see(w, now.Sub(w.Since))
	}
	longest, waiting, do := p.longest, len(p.waits), ""
	switch isLong := longest.lasted > 0; {
	case now.Sub(p.loggedAt) < waitsEvery || !isLong && !p.isOpen:
		return nil
	case !p.isOpen:
		do = l.Does("wait", "would wait")
	case isLong && (waiting > 0 || l.isShadow):
		do = l.Does("still wait", "would still wait")
	default:
		p.longest, p.isOpen = Wait{}, false
		return func() {
			do := l.Does("no longer wait", "would no longer wait")
			l.Write(context.Background(), slog.LevelInfo, "requests "+do+" for more than a second", partition)
		}
	}
	p.longest, p.loggedAt, p.isOpen = Wait{}, now, true
	return func() {
		attrs := append([]slog.Attr{slog.Int("waiting", waiting), slog.Duration("longest_wait", RoundWait(longest.lasted))}, longest.reason()...)
		l.Write(context.Background(), slog.LevelInfo, "requests "+do+" for more than a second", partition, attrs...)
	}
}

// reason says for what a request waits, and when the next one goes. While it is in the queue its partition knows best. If it
// has waited for a place for a minute, responses that nobody closes are the likely reason.
func (w *Wait) reason() []slog.Attr {
	cause, policy, next, likely := w.Cause, w.Policy, max(0, w.Planned-w.lasted), ""
	if w.page != nil && w.Partition != nil && cause != gate.CauseCeiling {
		s := w.Partition.State()
		if s.Next != nil && s.Next.At > s.Now {
			cause, policy, next = s.Next.Cause, s.Next.Policy, 0
			if s.Next.At < pacer.Never {
				next = s.Next.At.Sub(s.Now)
			}
		}
		switch {
		case cause != pacer.CausePlaces || w.lasted < waitsEvery || s.Open == 0:
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
