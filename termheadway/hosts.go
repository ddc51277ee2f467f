package termheadway

import (
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/headway-go/headway"
	"github.com/headway-go/headway/internal/series"
	"github.com/headway-go/headway/limits"
)

// longestName is how many characters of a host's name are kept.
const longestName = 100

// A host is what is known of the requests that wait in all partitions with one name.
type host struct {
	name    string
	waiting int
	since   time.Time // when the longest of the waits began
	cause   headway.Cause
	next    time.Time           // when the next request starts; zero if it is not known
	last    time.Time           // likewise, the last one
	limit   *headway.LimitState // that the next request waits for; nil: none, or not known
}

// hosts are hosts by name.
type hosts map[string]*host

// add adds a partition in which requests wait since then.
func (h hosts) add(s *headway.PartitionState, since time.Time) {
	name := nameOf(s.Partition)
	one := h[name]
	isFirst := one == nil
	if isFirst {
		one = &host{name: name, since: since}
		h[name] = one
	}
	one.waiting += s.Waiting
	if since.Before(one.since) {
		one.since = since
	}
	if s.Last.After(one.last) {
		one.last = s.Last
	}
	isSooner := !s.Next.IsZero() && (one.next.IsZero() || s.Next.Before(one.next))
	if isFirst || isSooner {
		one.next, one.cause, one.limit = s.Next, s.Cause, limitOf(s)
	}
}

// ordered returns the hosts, with the one first whose request waits longest.
func (h hosts) ordered() []*host {
	all := make([]*host, 0, len(h))
	for _, one := range h {
		all = append(all, one)
	}
	slices.SortFunc(all, func(a, b *host) int {
		if order := a.since.Compare(b.since); order != 0 {
			return order
		}
		return strings.Compare(a.name, b.name)
	})
	return all
}

// limitOf returns the limit for which the first request of a partition waits. Without a name for it, that is the limit of
// which the smallest part is left. It returns nil if the request does not wait for a limit.
func limitOf(s *headway.PartitionState) *headway.LimitState {
	switch s.Cause {
	case headway.CauseTrial, headway.CauseStart, headway.CausePlaces, headway.CauseCeiling, "":
		return nil
	}
	var found *headway.LimitState
	for i := range s.Limits {
		l := &s.Limits[i]
		if l.Remaining == limits.Unknown || s.Policy != "" && l.Policy != s.Policy {
			continue
		}
		if found == nil || partLeft(l) < partLeft(found) {
			found = l
		}
	}
	return found
}

func partLeft(l *headway.LimitState) float64 { return float64(l.Remaining) / float64(max(l.Quota, 1)) }

// nameOf returns the name that is shown for a partition: without the hash of the credentials, and without the scheme.
func nameOf(partition string) string {
	name := series.DefaultName(partition)
	if _, host, ok := strings.Cut(name, "://"); ok {
		name = host
	}
	return printable(name)
}

// printable returns text from outside, fit for a terminal. It replaces what is not printable, such as control characters
// and those that change the direction of writing, and cuts long text.
func printable(text string) string {
	n := 0
	return strings.Map(func(r rune) rune {
		switch n++; {
		case n > longestName:
			return -1
		case !unicode.IsPrint(r):
			return unicode.ReplacementChar
		}
		return r
	}, text)
}
