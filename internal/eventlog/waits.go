package eventlog

import (
	"container/list"
	"context"
	"fmt"
	"log/slog"
	"time"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/schedule"
	"github.com/headway-go/headway/pacer"
)

// This file logs waits of more than a second, when requests begin and stop to wait. A timer sees to what happens meanwhile.

// A Wait is one request that waits, as a Log sees it. The zero value is one that does not wait. The Log's lock guards it.
type Wait struct {
	partition string
	begun     time.Time
	plan      pacer.Plan    // what it waits for
	ceiling   bool          // it waits for the Ceiling
	entry     *list.Element // in the list of the partition's digest; nil: none
}

// Begins logs that a request begins to wait, or waits for something else, and that long waits begin or last. What is
// planned for the request counts only if nothing waits before it: others are sent soon, and then the wait is known better.
// p is nil if this Transport does not pace the request.
func (l *Log) Begins(ctx context.Context, p *schedule.Partition, partition string, w *Wait, d *schedule.Wait) {
	if p != nil {
		l.waiting(ctx, partition, d)
	}
	if l.Enabled(ctx, slog.LevelInfo) {
		l.waits(ctx, p, w, partition, true, func(open *waitDigest, e *waitEvent) {
			w.plan, w.ceiling = d.Plan, d.Ceiling
			if w.entry == nil && !l.shadow {
				w.begun, w.entry = e.now, open.queue.PushBack(w)
			}
			if (d.Known || d.Ceiling) && d.At < pacer.Never && open.queue.Len() <= 1 {
				e.longest = max(0, d.At.Sub(d.Now))
			}
		})
	}
	l.settle(ctx, partition)
}

func (l *Log) waiting(ctx context.Context, partition string, d *schedule.Wait) {
	if !l.Enabled(ctx, slog.LevelDebug) {
		return
	}
	attrs := []slog.Attr{
		slog.String("partition", partition),
		slog.String("policy", d.Policy),
		slog.String("cause", Cause(d.Plan, d.Ceiling)),
		slog.Int("queue", d.Queue),
		slog.Bool("resend", d.Resend),
	}
	if d.At < pacer.Never {
		attrs = append(attrs, slog.Duration("wait", max(0, d.At.Sub(d.Now))))
	}
	if d.Cause != pacer.CauseNone && d.Age >= 0 {
		attrs = append(attrs, slog.Duration("age", d.Age))
	}
	l.LogAttrs(ctx, slog.LevelDebug, l.does("request waits", "request would wait"), attrs...)
}

// Ends logs that long waits begin, last or end, as a request stops waiting or is sent without a wait.
func (l *Log) Ends(ctx context.Context, p *schedule.Partition, partition string, w *Wait, waited time.Duration) {
	if w.entry != nil || waited >= longWait || l.owing.Load() > 0 {
		l.waits(ctx, p, w, partition, waited >= longWait, func(open *waitDigest, e *waitEvent) {
			open.drop(w)
			e.longest, e.lasted = waited, waited
		})
	}
	l.settle(ctx, partition)
}

// Drop ends a wait without a line, after a panic.
func (l *Log) Drop(w *Wait) {
	if w.entry != nil {
		l.digest(w.partition, false, func(d *digest) { d.waits.drop(w) })
	}
}

// waits has an event change the digest, logs the line that is due, and sets the timer for the next one. w is the request
// at hand. The line is about the one that has waited longest, if any waits. A digest is made if isNeeded.
func (l *Log) waits(ctx context.Context, p *schedule.Partition, w *Wait, partition string, isNeeded bool, change func(*waitDigest, *waitEvent)) {
	e, line := waitEvent{now: clock.Wall(), isPlanned: l.shadow}, noLine
	var about Wait
	var openFor, openLongest time.Duration
	l.digest(partition, isNeeded, func(d *digest) {
		w.partition = partition
		change(&d.waits, &e)
		about = *w
		if oldest := d.waits.oldest(); oldest != nil {
			about = *oldest
			e.lasted = max(e.lasted, e.now.Sub(about.begun))
		}
		e.longest, e.waiting = max(e.longest, e.lasted), d.waits.queue.Len()
		line = d.waits.step(e)
		openFor, openLongest = d.waits.seen.Sub(d.waits.begun), d.waits.longest
		d.waits.setAlarm(e.now, func() { l.look(p, partition) })
	})
	switch line {
	case noLine:
	case waitsEnd:
		l.waitsEnd(ctx, partition, openFor, openLongest)
	case waitsBegin:
		l.LogAttrs(ctx, slog.LevelInfo, l.does("requests wait for more than a second", "requests would wait for more than a second"),
			l.waitAttrs(p, about, e)...)
	case waitsLast:
		l.LogAttrs(ctx, slog.LevelInfo, l.does("requests still wait for more than a second", "requests would still wait for more than a second"),
			l.waitAttrs(p, about, e)...)
	}
}

// look is called by the timer.
func (l *Log) look(p *schedule.Partition, partition string) {
	l.waits(context.Background(), p, new(Wait), partition, false, func(d *waitDigest, _ *waitEvent) { d.timer = nil })
}

func (l *Log) waitsEnd(ctx context.Context, partition string, lasted, longest time.Duration) {
	l.LogAttrs(ctx, slog.LevelInfo, l.does("requests no longer wait for more than a second", "requests would no longer wait for more than a second"),
		slog.String("partition", partition),
		slog.Duration("lasted", RoundWait(lasted)),
		slog.Duration("longest_wait", RoundWait(longest)))
}

// waitAttrs says who waits for what. w is the request that has waited longest. In a shadow nobody waits.
func (l *Log) waitAttrs(p *schedule.Partition, w Wait, e waitEvent) []slog.Attr {
	longest := e.longest
	var state schedule.State
	if p != nil {
		state = p.State()
		if last, wait, isQueued := p.Last(); isQueued {
			longest = max(longest, wait)
			if !w.ceiling { // its wait for the Ceiling may be why others wait
				w.plan = last
			}
		}
	}
	attrs := []slog.Attr{slog.String("partition", w.partition)}
	if !l.shadow {
		attrs = append(attrs, slog.Int("waiting", e.waiting))
	}
	attrs = append(attrs, slog.Duration("longest_wait", RoundWait(longest)), slog.String("cause", Cause(w.plan, w.ceiling)))
	for _, a := range [...]slog.Attr{
		slog.String("policy", w.plan.Policy),
		slog.String("limit", limitText(state.Limits, &w)),
		slog.String("pace", paceText(l.pace(&w, &state))),
		slog.String("likely", likelyText(&w, e.lasted, &state)),
	} {
		if a.Value.String() != "" {
			attrs = append(attrs, a)
		}
	}
	return attrs
}

// pace is the rate in requests per second at which requests go; 0 if it is not known.
func (l *Log) pace(w *Wait, s *schedule.State) float64 {
	if w.ceiling && l.ceiling != nil {
		return float64(l.ceiling.Limit())
	}
	return s.Pace
}

// likelyText says what takes the places in flight for so long: bodies of responses, if there are any, or requests.
func likelyText(w *Wait, lasted time.Duration, s *schedule.State) string {
	switch {
	case w.ceiling || w.plan.Cause != pacer.CausePlaces || lasted < waitsEvery:
		return ""
	case s.Open == 1:
		return "1 response has not been closed"
	case s.Open > 1:
		return fmt.Sprintf("%d responses have not been closed", s.Open)
	case s.InFlight == 1:
		return "1 request has no response yet"
	}
	return fmt.Sprintf("%d requests have no response yet", s.InFlight)
}
