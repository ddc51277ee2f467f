package main

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/headway-go/headway/parse"
)

// labelWidth is how wide the first column is, of words that say what a line is about.
const labelWidth = len("violated") + 2

// smallShare is the part of a quota from which on it is not worth a word that others seem
// to use it as well.
const smallShare = 0.5

// A line is one of a report in words.
type line struct {
	label, text string
	style       style
}

// text is the report in words: a line for each thing that there is to say, but for limits
// in a table.
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
	c.write(&b, r.moveLines())
	c.write(&b, r.pacingLines())
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

// head says which response this is, and what it says apart from limits.
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
		add("refused", "the response refuses the request because of a limit", red)
	}
	if r.RetryAfter >= 0 {
		add("wait", r.RetryAfter.String()+" are to pass before the next request", plain)
	}
	for _, policy := range r.Violated {
		add("violated", quoted(policy, shortText)+", as the body says", plain)
	}
	return lines
}

func (r *report) response() string {
	from := " to " + r.Request.Method
	if r.Request.URL != "" {
		from += " " + visible(r.Request.URL, longText)
	}
	return statusText(r.Response.Status) + from + ", received " + timeText(r.Response.Received)
}

func timeText(t time.Time) string { return t.Format("2006-01-02 15:04:05.999 MST") }

func (r *report) limitLines() (lines []line) {
	for i := range r.Limits {
		lines = append(lines, line{"limit", r.Limits[i].text(), r.Limits[i].style()})
	}
	switch {
	case len(lines) > 0:
		return lines
	case len(r.Problems) > 0:
		return []line{{"limits", "none that can be relied on are told", plain}}
	}
	return []line{{"limits", "none are told", plain}}
}

// style stresses a limit that is used up.
func (l *limit) style() style {
	if l.Remaining == 0 {
		return red
	}
	return plain
}

// text says what is known of a limit, and what is not.
func (l *limit) text() string {
	text := l.name() + " in " + l.Dialect + ": " + l.counts()
	var missing []string
	for _, part := range []struct {
		name string
		told bool
	}{
		{"quota", l.Quota >= 0}, {"what is left", l.Remaining >= 0}, {"window", l.Window >= 0}, {"reset", l.Reset >= 0},
	} {
		inTime := part.name == "window" || part.name == "reset"
		if !part.told && (!inTime || l.Unit != string(parse.ConcurrentRequests)) {
			missing = append(missing, part.name)
		}
	}
	if len(missing) > 0 {
		text += "; not told: " + strings.Join(missing, ", ")
	}
	return text
}

func (l *limit) counts() string {
	unit := " " + visible(l.Unit, shortText)
	var parts []string
	switch {
	case l.Remaining >= 0 && l.Quota >= 0:
		parts = append(parts, l.Remaining.String()+" of "+l.Quota.String()+unit+" left")
	case l.Remaining >= 0:
		parts = append(parts, l.Remaining.String()+unit+" left")
	case l.Quota >= 0:
		parts = append(parts, "quota of "+l.Quota.String()+unit)
	}
	if l.Window >= 0 {
		parts = append(parts, "window "+l.Window.String())
	}
	if l.Reset >= 0 {
		parts = append(parts, "more in "+l.Reset.String())
	}
	return strings.Join(parts, ", ")
}

// name is the limit's name and partition key.
func (l *limit) name() string {
	name := "without a name"
	if l.Policy != "" {
		name = quoted(l.Policy, shortText)
	}
	if l.PartitionKey != "" {
		name += " of key " + visible(l.PartitionKey, shortText)
	}
	return name
}

// shareLines say which limits others use as well.
func shareLines(limits []limit) (lines []line) {
	for i := range limits {
		if l := &limits[i]; l.Share > 0 && l.Share < smallShare {
			text := fmt.Sprintf("others seem to use %s, too: %.2g %% of it is taken for this client's own", l.name(), 100*float64(l.Share))
			lines = append(lines, line{"share", text, plain})
		}
	}
	return lines
}

func (r *report) problemLines() (lines []line) {
	for _, p := range r.Problems {
		text := p.Field + ": " + p.Explanation
		if p.Offset >= 0 {
			text = p.Field + " at byte " + p.Offset.String() + ": " + p.Explanation
		}
		lines = append(lines, line{"problem", text, yellow})
		if p.Sent != "" {
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
		parts = append(parts, m.Limits[i].name()+" "+m.Limits[i].counts())
	}
	return strings.Join(parts, "; ")
}

func (r *report) pacingLines() []line {
	p := &r.Pacing
	switch {
	case !p.Limited:
		known := "nothing looks limited"
		if len(r.Problems) > 0 {
			known = "no limit is known"
		}
		return []line{{"pacing", known + ": requests are not slowed down once the first ones are answered", plain}}
	case p.AtOnce == 0:
		return []line{p.hold(), {"then", p.rateText(), plain}}
	case p.AtOnce < 0:
		return []line{{"pacing", p.rateText(), plain}}
	}
	atOnce := p.AtOnce.String()
	if p.OrMore {
		atOnce += " or more"
	}
	return []line{{"pacing", p.rateText() + "; up to " + atOnce + " at once after a pause", plain}}
}

func (p *pacing) hold() line {
	text := "nothing is sent for " + p.Wait.String()
	if p.Until != nil {
		text += ", until " + timeText(*p.Until)
	}
	if p.Policy != "" {
		text += ", because of " + quoted(p.Policy, shortText)
	}
	return line{"hold", text, red}
}

func (p *pacing) rateText() string {
	if p.Rate <= 0 {
		return "no rate is told, so that the pace is learned from what follows"
	}
	return "one request every " + p.Interval.String() + " (" + p.Rate.String() + ")"
}
