package termheadway

import (
	"fmt"
	"time"

	"github.com/charmbracelet/x/ansi"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/limits"
)

// text returns the line for the hosts, which fits into so many columns. It is "" without hosts.
func text(columns int, hosts []*host, now time.Time) string {
	if len(hosts) == 0 {
		return ""
	}
	h := hosts[0]
	who, next, last, limit, others := h.who(), h.start(now), h.end(now), h.left(now), ofOthers(hosts[1:])
	room := columns - 1 // in the last column some terminals wrap
	for _, line := range []string{who + next + last + limit + others, who + next + limit + others, who + next + others, who + next} {
		if ansi.StringWidth(line) <= room {
			return line
		}
	}
	return ansi.Truncate(who, max(room, 0), "…")
}

// who says where requests wait, and how many.
func (h *host) who() string { return fmt.Sprintf("%s: %d waiting", h.name, h.waiting) }

// start says when the next request starts.
func (h *host) start(now time.Time) string {
	switch isForCeiling := h.cause == headway.CauseCeiling || h.cause == ""; { // "": nothing is in the queue
	case isForCeiling && h.next.IsZero():
		return " for the program's own limit"
	case h.next.IsZero():
		return ", next after a response"
	case !h.next.After(now):
		return ", next now"
	}
	return ", next in " + roughly(h.next.Sub(now))
}

// end says when the last of several requests starts.
func (h *host) end(now time.Time) string {
	last := roughly(h.last.Sub(now))
	if h.waiting < 2 || h.next.IsZero() || last == roughly(h.next.Sub(now)) {
		return ""
	}
	return ", last in " + last
}

// left says what is left of the limit, and until when.
func (h *host) left(now time.Time) string {
	l := h.limit
	if l == nil {
		return ""
	}
	text := fmt.Sprintf(", %d", l.Remaining)
	if l.Quota != limits.Unknown {
		text += fmt.Sprintf(" of %d", l.Quota)
	}
	if l.Unit != "" && l.Unit != limits.Requests {
		text += " " + printable(string(l.Unit))
	}
	text += " left"
	if l.LatestEnd.After(now) {
		text += " until " + onTheClock(l.LatestEnd, now)
	}
	return text
}

// ofOthers says how many requests wait at other hosts.
func ofOthers(hosts []*host) string {
	switch len(hosts) {
	case 0:
		return ""
	case 1:
		return fmt.Sprintf("; %d at another host", hosts[0].waiting)
	}
	sum := 0
	for _, h := range hosts {
		sum += h.waiting
	}
	return fmt.Sprintf("; %d at %d other hosts", sum, len(hosts))
}

// Until says when the last request of a Forecast could go, for a program's own progress bar: "done at 14:37", or "done at 2
// Jan 00:20" on another day, in the local time zone. It is "done at about 14:37" if that is estimated, and "" if no limit is
// known, or nobody knows when. Make a new Forecast for what is left now and then, as a Forecast may be off by a tenth.
func Until(f headway.Forecast) string {
	at := "done at "
	switch {
	case f.Last.IsZero() || f.Certainty == "" || f.Certainty == headway.CertaintyUnknown:
		return ""
	case f.Certainty == headway.CertaintyEstimated:
		at += "about "
	}
	return at + onTheClock(f.Last, f.At)
}

// roughly returns a duration in one unit, rounded, and at least 1 s.
func roughly(d time.Duration) string {
	rounded := func(unit time.Duration) int64 { return int64(max(d.Round(unit)/unit, 1)) }
	switch {
	case d < 100*time.Second:
		return fmt.Sprintf("%d s", rounded(time.Second))
	case d < 100*time.Minute:
		return fmt.Sprintf("%d min", rounded(time.Minute))
	}
	return fmt.Sprintf("%d h", rounded(time.Hour))
}

// onTheClock returns a time as a clock in the zone of now shows it, with the date unless it is today.
func onTheClock(at, now time.Time) string {
	at = at.In(now.Location())
	if at.YearDay() == now.YearDay() && at.Year() == now.Year() {
		return at.Format("15:04")
	}
	return at.Format("2 Jan 15:04")
}
