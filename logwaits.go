package headway

import (
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

// This file logs waits of more than a second. It decides when requests begin and stop to wait, so that no timer is needed.

// begins logs that long waits begin or last, as a request begins to wait. What is planned for the request counts only if
// nothing waits before it: others are sent soon, and then the wait is known better.
func (l *log) begins(ctx context.Context, p *schedule.Partition, info WaitingInfo, isKnown bool) {
	if !l.Enabled(ctx, slog.LevelInfo) {
		return
	}
	isCounted := info.Resend || info.Cause == CauseCeiling
	waiting, oldest := p.Waiting()
	if !isCounted {
		waiting++
	}
	e := waitEvent{longest: oldest, past: oldest, waiting: waiting}
	if isKnown && waiting == 1 {
		e.longest = max(oldest, info.Wait)
	}
	l.waits(ctx, p, info, e)
}

// ends logs that long waits begin, last or end, as a request stops waiting or is sent without a wait.
func (l *log) ends(ctx context.Context, p *schedule.Partition, info WaitingInfo, waited time.Duration) {
	if p == nil || waited < longWait && l.owing.Load() == 0 || !l.Enabled(ctx, slog.LevelInfo) {
		return
	}
	waiting, oldest := p.Waiting()
	longest := max(oldest, waited)
	l.waits(ctx, p, info, waitEvent{longest: longest, past: longest, waiting: waiting})
}

// waits logs long waits. info is about the request at hand.
func (l *log) waits(ctx context.Context, p *schedule.Partition, info WaitingInfo, e waitEvent) {
	if e.longest < longWait && l.owing.Load() == 0 {
		return
	}
	e.now, e.isPlanned = clock.Wall(), l.shadow
	line, ended := noLine, waitDigest{}
	l.digest(info.Partition, e.longest >= longWait, func(d *digest) {
		line = d.waits.step(e)
		ended = d.waits
	})
	switch line {
	case noLine:
	case waitsEnd:
		l.waitsEnd(ctx, info.Partition, &ended)
	default:
		what := l.does("requests wait for more than a second", "requests would wait for more than a second")
		if line == waitsLast {
			what = l.does("requests still wait for more than a second", "requests would still wait for more than a second")
		}
		l.LogAttrs(ctx, slog.LevelInfo, what, l.waitAttrs(p, info, e)...)
	}
}

func (l *log) waitsEnd(ctx context.Context, partition string, ended *waitDigest) {
	l.LogAttrs(ctx, slog.LevelInfo, l.does("requests no longer wait for more than a second", "requests would no longer wait for more than a second"),
		slog.String("partition", partition),
		slog.Duration("lasted", roundWait(ended.seen.Sub(ended.begun))),
		slog.Duration("longest_wait", roundWait(ended.longest)))
}

// waitAttrs says who waits for what. In a shadow nobody waits.
func (l *log) waitAttrs(p *schedule.Partition, info WaitingInfo, e waitEvent) []slog.Attr {
	attrs := []slog.Attr{slog.String("partition", info.Partition)}
	if !l.shadow {
		attrs = append(attrs, slog.Int("waiting", e.waiting))
	}
	longest := e.longest
	if last, wait, isQueued := p.Last(); isQueued {
		info.Cause, info.Policy = causeOf(schedule.Delay{Plan: last}), last.Policy
		longest = max(longest, wait)
	}
	attrs = append(attrs, slog.Duration("longest_wait", roundWait(longest)), slog.String("cause", string(info.Cause)))
	if info.Policy != "" {
		attrs = append(attrs, slog.String("policy", info.Policy))
	}
	state := p.State()
	if limit := limitText(state.Limits, info); limit != "" {
		attrs = append(attrs, slog.String("limit", limit))
	}
	pace := state.Pace
	if info.Cause == CauseCeiling && l.ceiling != nil {
		pace = float64(l.ceiling.Limit())
	}
	if pace > 0 {
		attrs = append(attrs, slog.String("pace", paceText(pace)))
	}
	return attrs
}

// limitText describes the limit that requests wait for, such as "60 requests per 10s". Of several limits with the name of
// the policy it is the slowest. "" if no limit is the cause.
func limitText(all []pacer.LimitState, info WaitingInfo) string {
	isLimit := info.Cause == CausePace || info.Cause == CauseQuota || info.Policy != ""
	var slowest *pacer.LimitState
	for i := range all {
		if l := &all[i]; isLimit && l.Policy == info.Policy && l.Quota >= 0 && (slowest == nil || l.Rate < slowest.Rate) {
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
