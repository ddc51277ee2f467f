package headway

import (
	"container/list"
	"context"
	"fmt"
	"log/slog"
	"strconv"
	"strings"
	"time"

	"github.com/headway-go/headway/internal/clock"
	"github.com/headway-go/headway/internal/schedule"
	"github.com/headway-go/headway/pacer"
)

// This file logs waits of more than a second, when requests begin and stop to wait. A timer sees to what happens meanwhile.

// A wait is one request that waits, as the log sees it. The zero value is one that does not wait. The log's lock guards it.
type wait struct {
	partition string
	begun     time.Time
	cause     Cause
	policy    string
	entry     *list.Element // in the list of the partition's digest; nil: none
}

// begins logs that long waits begin or last, as a request begins to wait, or waits for something else. What is planned for
// the request counts only if nothing waits before it: others are sent soon, and then the wait is known better. p is nil if
// this Transport does not pace the request.
func (l *log) begins(ctx context.Context, p *schedule.Partition, w *wait, info WaitingInfo, isKnown bool) {
	if !l.Enabled(ctx, slog.LevelInfo) {
		return
	}
	l.waits(ctx, p, w, info.Partition, true, func(d *waitDigest, e *waitEvent) {
		w.cause, w.policy = info.Cause, info.Policy
		if w.entry == nil && !l.shadow {
			w.begun, w.entry = e.now, d.all.PushBack(w)
		}
		if isKnown && d.all.Len() <= 1 {
			e.longest = info.Wait
		}
	})
}

// ends logs that long waits begin, last or end, as a request stops waiting or is sent without a wait.
func (l *log) ends(ctx context.Context, p *schedule.Partition, w *wait, partition string, waited time.Duration) {
	if w.entry == nil && waited < longWait && l.owing.Load() == 0 {
		return
	}
	l.waits(ctx, p, w, partition, waited >= longWait, func(d *waitDigest, e *waitEvent) {
		d.drop(w)
		e.longest, e.past = waited, waited
	})
}

// drop ends a wait without a line, after a panic.
func (l *log) drop(w *wait) {
	if w.entry != nil {
		l.digest(w.partition, false, func(d *digest) { d.waits.drop(w) })
	}
}

// waits has an event change the digest, logs the line that is due, and sets the timer for the next one. w is the request
// at hand. The line is about the one that has waited longest, if any waits. A digest is made if isNeeded.
func (l *log) waits(ctx context.Context, p *schedule.Partition, w *wait, partition string, isNeeded bool, change func(*waitDigest, *waitEvent)) {
	e, line := waitEvent{now: clock.Wall(), isPlanned: l.shadow}, noLine
	var about wait
	var lasted, longest time.Duration
	l.digest(partition, isNeeded, func(d *digest) {
		w.partition = partition
		change(&d.waits, &e)
		about = *w
		if oldest := d.waits.oldest(); oldest != nil {
			about = *oldest
			e.past = max(e.past, e.now.Sub(about.begun))
		}
		e.longest, e.waiting = max(e.longest, e.past), d.waits.all.Len()
		line = d.waits.step(e)
		lasted, longest = d.waits.seen.Sub(d.waits.begun), d.waits.longest
		d.waits.setAlarm(e.now, func() { l.look(p, partition) })
	})
	switch line {
	case noLine:
	case waitsEnd:
		l.waitsEnd(ctx, partition, lasted, longest)
	case waitsBegin:
		l.LogAttrs(ctx, slog.LevelInfo, l.does("requests wait for more than a second", "requests would wait for more than a second"),
			l.waitAttrs(p, about, e)...)
	case waitsLast:
		l.LogAttrs(ctx, slog.LevelInfo, l.does("requests still wait for more than a second", "requests would still wait for more than a second"),
			l.waitAttrs(p, about, e)...)
	}
}

// look is called by the timer.
func (l *log) look(p *schedule.Partition, partition string) {
	l.waits(context.Background(), p, new(wait), partition, false, func(d *waitDigest, _ *waitEvent) { d.timer = nil })
}

func (l *log) waitsEnd(ctx context.Context, partition string, lasted, longest time.Duration) {
	l.LogAttrs(ctx, slog.LevelInfo, l.does("requests no longer wait for more than a second", "requests would no longer wait for more than a second"),
		slog.String("partition", partition),
		slog.Duration("lasted", roundWait(lasted)),
		slog.Duration("longest_wait", roundWait(longest)))
}

// waitAttrs says who waits for what. w is the request that has waited longest. In a shadow nobody waits.
func (l *log) waitAttrs(p *schedule.Partition, w wait, e waitEvent) []slog.Attr {
	attrs := []slog.Attr{slog.String("partition", w.partition)}
	if !l.shadow {
		attrs = append(attrs, slog.Int("waiting", e.waiting))
	}
	longest := e.longest
	var state schedule.State
	if p != nil {
		state = p.State()
		if last, wait, isQueued := p.Last(); isQueued {
			longest = max(longest, wait)
			if w.cause != CauseCeiling { // its wait for the Ceiling may be why others wait
				w.cause, w.policy = causeOf(schedule.Delay{Plan: last}), last.Policy
			}
		}
	}
	attrs = append(attrs, slog.Duration("longest_wait", roundWait(longest)), slog.String("cause", string(w.cause)))
	if w.policy != "" {
		attrs = append(attrs, slog.String("policy", w.policy))
	}
	if limit := limitText(state.Limits, w); limit != "" {
		attrs = append(attrs, slog.String("limit", limit))
	}
	pace := state.Pace
	if w.cause == CauseCeiling && l.ceiling != nil {
		pace = float64(l.ceiling.Limit())
	}
	if pace > 0 {
		attrs = append(attrs, slog.String("pace", paceText(pace)))
	}
	if w.cause == CausePlaces && e.past >= waitsEvery {
		attrs = append(attrs, slog.String("likely", heldPlaces(&state)))
	}
	return attrs
}

// heldPlaces says what takes the places in flight: bodies of responses, if there are any, or requests.
func heldPlaces(s *schedule.State) string {
	switch {
	case s.Open == 1:
		return "1 response has not been closed"
	case s.Open > 1:
		return fmt.Sprintf("%d responses have not been closed", s.Open)
	case s.InFlight == 1:
		return "1 request has no response yet"
	}
	return fmt.Sprintf("%d requests have no response yet", s.InFlight)
}

// limitText describes the limit that requests wait for, such as "60 requests per 10s". Of several limits with the name of
// the policy it is the slowest. "" if no limit is the cause.
func limitText(all []pacer.LimitState, w wait) string {
	isLimit := w.cause == CausePace || w.cause == CauseQuota || w.policy != ""
	var slowest *pacer.LimitState
	for i := range all {
		if l := &all[i]; isLimit && l.Policy == w.policy && l.Quota >= 0 && (slowest == nil || l.Rate < slowest.Rate) {
			slowest = l
		}
	}
	if slowest == nil {
		return ""
	}
	text := strconv.FormatInt(slowest.Quota, 10) + " " + string(slowest.Unit)
	if slowest.Window > 0 {
		text += " per " + shortDuration(slowest.Window)
	}
	return text
}

// paceText is a rate in requests per second, per minute or per hour, whichever gives at least one.
func paceText(perSecond float64) string {
	switch {
	case perSecond >= 1:
		return fmt.Sprintf("%.3g/s", perSecond)
	case perSecond*60 >= 1:
		return fmt.Sprintf("%.3g/min", perSecond*60)
	}
	return fmt.Sprintf("%.3g/h", perSecond*3600)
}

// shortDuration is d without zero minutes and seconds: 1h, not 1h0m0s.
func shortDuration(d time.Duration) string {
	text := d.String()
	if strings.HasSuffix(text, "m0s") {
		text = strings.TrimSuffix(text, "0s")
	}
	if strings.HasSuffix(text, "h0m") {
		text = strings.TrimSuffix(text, "0m")
	}
	return text
}
