package main

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/headway-go/headway/validate"
)

// labelWidth is the width of the first column. It contains words for the topic of each line.
const labelWidth = len("violated") + 2

// A line is a line of a report in words.
type line struct {
	label, text string
	style       style
}

// text returns the report in words: a line for each topic, and on a terminal a table of the limits.
func (c *console) text(r *report) string {
	var b strings.Builder
	c.write(&b, r.head())
	switch {
	case c.table && len(r.Limits) > 0:
		b.WriteString("\n" + c.limitTable(r.Limits) + "\n")
	default:
		c.write(&b, r.limitLines())
	}
	c.write(&b, r.problemLines())
	c.write(&b, r.profileLines())
	c.write(&b, r.moveLines())
	c.write(&b, r.pacingLines())
	if r.Pacing.Thousand > 0 {
		c.write(&b, []line{{"forecast", "1,000 requests would take about " + r.Pacing.Thousand.String(), plain}})
	}
	c.write(&b, shareLines(r.Limits))
	for _, note := range r.Notes {
		c.write(&b, []line{{"note", note, plain}})
	}
	return b.String()
}

func (c *console) write(b *strings.Builder, lines []line) {
	for _, l := range lines {
		label := fmt.Sprintf("%-*s", labelWidth, l.label)
		b.WriteString(c.paint(bold, label) + c.paint(l.style, l.text) + "\n")
	}
}

// head returns the lines on the response itself, without limits.
func (r *report) head() []line {
	var lines []line
	add := func(label, text string, as style) { lines = append(lines, line{label, text, as}) }
	for _, e := range r.Earlier {
		text := statusText(e.Status)
		if e.URL != "" {
			text += " from " + visible(e.URL, longText)
		}
		add("earlier", text, plain)
	}
	add("response", r.response(), plain)
	if r.Throttled {
		add("refused", r.refusal(), red)
	}
	if r.RetryAfter >= 0 {
		add("wait", "the server asks to wait "+r.RetryAfter.String()+" before the next request", plain)
	}
	for _, policy := range r.Violated {
		add("violated", quoted(policy, shortText)+", as the body says", plain)
	}
	return lines
}

// refusal says what the refusal means, and what shows that.
func (r *report) refusal() string {
	text := "the response refuses the request because of a limit"
	if r.Verdict == validate.VerdictNever.String() {
		text = "the response refuses the request for good: waiting does not help"
	}
	switch r.Sign {
	case "":
	case "body":
		text += ", as a text in the body shows"
	default:
		text += ", as " + quoted(r.Sign, shortText) + " shows"
	}
	return text
}

func (r *report) response() string {
	from := " to " + r.Request.Method
	if r.Request.URL != "" {
		from += " " + visible(r.Request.URL, longText)
	}
	return statusText(r.Response.Status) + from + ", received " + timeText(r.Response.Received)
}

func timeText(t time.Time) string { return t.Format("2006-01-02 15:04:05.999 MST") }

func (r *report) problemLines() (lines []line) {
	for i, p := range r.Problems {
		text := p.Field + ": " + p.Explanation
		if p.Offset >= 0 {
			text = p.Field + " at byte " + p.Offset.String() + ": " + p.Explanation
		}
		lines = append(lines, line{"problem", text, yellow})
		isLast := i == len(r.Problems)-1 || r.Problems[i+1].Field != p.Field
		if isLast && p.Sent != "" {
			lines = append(lines, line{"", "sent: " + p.Sent, plain})
		}
	}
	return lines
}

func (r *report) moveLines() (lines []line) {
	for i := range r.Moves {
		m := &r.Moves[i]
		as := plain
		if m.Throttled {
			as = red
		}
		lines = append(lines, line{"request", strconv.Itoa(i+1) + " " + m.text(), as})
	}
	return lines
}

func (m *move) text() string {
	parts := []string{"after " + m.After.String() + ": " + strconv.Itoa(m.Status)}
	for i := range m.Limits {
		l := m.Limits[i]
		l.Window = unknown // already in an earlier column
		parts = append(parts, l.name()+" "+l.counts())
	}
	return strings.Join(parts, "; ")
}

func (r *report) pacingLines() []line {
	p := &r.Pacing
	switch {
	case !p.Limited:
		known := "the response reports no limit"
		if len(r.Problems) > 0 {
			known = "the response reports no usable limit"
		}
		return []line{{"pacing", known + ": requests are not delayed after the first responses", plain}}
	case p.AtOnce == 0:
		return []line{r.wait(), {"then", p.rateText(), plain}}
	case p.AtOnce < 0:
		return []line{{"pacing", p.rateText(), plain}}
	}
	atOnce := p.AtOnce.String()
	if p.IsBound {
		atOnce += " or more"
	}
	when := " at once after a pause"
	if len(r.Moves) > 0 {
		when = " at once now"
	}
	return []line{{"pacing", p.rateText() + "; up to " + atOnce + when, plain}}
}

// wait returns the line that says when the next request may go: after a hold, after the window, or when its
// pace allows it.
func (r *report) wait() line {
	p, reason := &r.Pacing, ""
	if p.Policy != "" {
		reason = ", because of " + quoted(p.Policy, shortText)
	}
	until := notKnown
	if p.Until != nil {
		until = timeText(*p.Until)
	}
	isUsedUp := slices.ContainsFunc(r.Limits, func(l limit) bool { return l.Policy == p.Policy && l.Remaining == 0 })
	if r.Throttled || isUsedUp {
		return line{"hold", "nothing is sent for " + p.Wait.String() + ", until " + until + reason, red}
	}
	return line{"next", "the next request may go in " + p.Wait.String() + ", at " + until + reason, plain}
}

func (p *pacing) rateText() string {
	if p.Rate <= 0 {
		return "no rate is reported: headway learns the pace from later responses"
	}
	return "one request every " + p.Interval.String() + " (" + p.Rate.String() + ")"
}
