package debug

import (
	"time"

	"github.com/headway-go/headway"
)

// A section has the page's texts on a Transport.
type section struct {
	Name     string
	Shadow   bool
	Summary  []string
	Filtered bool
	Found    string // how many partitions there are, or match the filter
	Rows     []row
	Shown    string // how many of them are shown; "" if all are
}

func newSection(now time.Time, name string, shadow bool, states []headway.PartitionState, f filter) section {
	found := mostInteresting(now, states, f)
	shown := found[:min(len(found), maxShown)]
	s := section{
		Name: visible(name), Shadow: shadow, Filtered: f.lower != "",
		Summary: summary(now, found), Found: count(int64(len(found))),
	}
	if len(shown) < len(found) {
		s.Shown = count(int64(len(shown)))
	}
	for _, c := range shown {
		s.Rows = append(s.Rows, newRow(now, c.PartitionState))
	}
	return s
}

// summary adds up numbers of all partitions found, including those that are not shown.
func summary(now time.Time, found []candidate) []string {
	var waiting, inFlight, held int
	var sending float64
	for _, c := range found {
		waiting += c.Waiting
		inFlight += c.InFlight
		sending += finite(c.Sending)
		if stateOf(now, c.PartitionState) == Held {
			held++
		}
	}
	return []string{
		plural(len(found), "partition", "partitions"),
		perTime(sending, sending) + " sent",
		count(int64(inFlight)) + " in flight",
		plural(waiting, "waits", "wait"),
		count(int64(held)) + " held",
	}
}
