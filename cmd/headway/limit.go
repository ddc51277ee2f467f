package main

import (
	"fmt"
	"strings"

	"github.com/headway-go/headway/limits"
)

// smallShare is the share of a quota below which the report mentions other clients.
const smallShare = 0.5

func (r *report) limitLines() (lines []line) {
	for i := range r.Limits {
		lines = append(lines, line{"limit", r.Limits[i].text(), r.Limits[i].style()})
	}
	switch {
	case len(lines) > 0:
		return lines
	case len(r.Problems) > 0:
		return []line{{"limits", "the response reports none that can be used", plain}}
	}
	return []line{{"limits", "the response reports none", plain}}
}

// style highlights a limit with nothing remaining.
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
		name     string
		reported bool
	}{
		{"quota", l.Quota >= 0}, {"remaining", l.Remaining >= 0}, {"window", l.Window >= 0}, {"reset", l.Reset >= 0},
	} {
		inTime := part.name == "window" || part.name == "reset"
		if !part.reported && (!inTime || l.Unit != string(limits.ConcurrentRequests)) {
			missing = append(missing, part.name)
		}
	}
	if len(missing) > 0 {
		text += "; not reported: " + strings.Join(missing, ", ")
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
	if l.Cost >= 0 {
		parts = append(parts, "cost of this request "+l.Cost.String())
	}
	if l.Window >= 0 {
		parts = append(parts, "window "+l.Window.String())
	}
	if l.Reset >= 0 {
		parts = append(parts, "resets in "+l.Reset.String())
	}
	return strings.Join(parts, ", ")
}

// name returns the limit's name and partition key.
func (l *limit) name() string {
	name := "without a name"
	if l.Policy != "" {
		name = quoted(l.Policy, shortText)
	}
	if l.PartitionKey != "" {
		name += " with key " + visible(l.PartitionKey, shortText)
	}
	return name
}

// shareLines returns a line for each limit that other clients seem to use.
func shareLines(limits []limit) (lines []line) {
	for i := range limits {
		if l := &limits[i]; l.Share > 0 && l.Share < smallShare {
			text := fmt.Sprintf("other clients seem to use %s, too: this client uses %.2g %% of it", l.name(), 100*float64(l.Share))
			lines = append(lines, line{"share", text, plain})
		}
	}
	return lines
}
