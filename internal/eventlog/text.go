package eventlog

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/headway-go/headway/pacer"
)

// Cause names what a request waits for. These are the values of headway.Cause.
func Cause(waits pacer.Plan, forCeiling bool) string {
	if forCeiling {
		return "ceiling"
	}
	switch waits.Cause {
	case pacer.CauseHold:
		return "hold"
	case pacer.CauseQuota:
		return "quota"
	case pacer.CausePace:
		return "pace"
	case pacer.CauseTrial:
		return "trial"
	case pacer.CauseStart:
		return "start"
	case pacer.CausePlaces:
		return "places"
	}
	return "queue"
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

// limitText describes the limit that requests wait for, such as "60 requests per 10s". Of several limits with the name of
// the policy it is the slowest. "" if no limit is the cause.
func limitText(all []pacer.LimitState, w *Wait) string {
	isLimit := w.plan.Policy != "" || !w.ceiling && (w.plan.Cause == pacer.CausePace || w.plan.Cause == pacer.CauseQuota)
	var slowest *pacer.LimitState
	for i := range all {
		if l := &all[i]; isLimit && l.Policy == w.plan.Policy && l.Quota >= 0 && (slowest == nil || l.Rate < slowest.Rate) {
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

// paceText is a rate in requests per second, per minute or per hour, whichever gives at least one. "" if it is not known.
func paceText(perSecond float64) string {
	switch {
	case perSecond <= 0:
		return ""
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
