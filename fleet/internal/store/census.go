package store

import (
	"context"
	"time"
)

// A Census finds out whether members with another key use the same store, whose partitions are not theirs. Each key is a
// member of one more partition, whose name follows from no key.
type Census struct {
	Key    string // names the key, and does not reveal it
	due    time.Time
	others bool
}

const (
	censusName  = "keys"
	censusEvery = time.Minute // the load of the store grows by a sixtieth for a member with one partition
)

// Others reports whether members with another key have used the store in the last two minutes. It asks the store once a
// minute, and errors of the store change nothing.
func (c *Census) Others(ctx context.Context, s Store, now time.Time) bool {
	if now.Before(c.due) {
		return c.others
	}
	all, err := s.Renew(ctx, c.Key, []Renewal{{Name: censusName, Keep: 3 * censusEvery}})
	if err == nil && all[0].All == nil {
		return c.others // another member has the turn, for as long as it takes to give it back
	}
	c.due = now.Add(censusEvery)
	if err != nil {
		return c.others
	}
	var gone []string
	for key, r := range all[0].All.Records {
		if max(all[0].Now-r.At, r.At-all[0].Now) > 2*censusEvery.Milliseconds() {
			gone = append(gone, key)
		}
	}
	c.others = len(all[0].All.Records)-len(gone) > 1
	_ = s.Agree(ctx, []Outcome{{Name: censusName, Claim: all[0].All.Claim, Gone: gone}})
	return c.others
}
