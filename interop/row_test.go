package interop_test

import (
	"testing"

	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/validate"
)

// withProfile marks the rows in which headway has a profile with the statuses by which the server refuses.
const withProfile = ", with a profile"

// A row has the figures of clients with a load on a server.
type row struct {
	server     server
	load       load
	profile    string // withProfile or ""
	headway    figures
	plainRetry *figures // nil: not measured, or in the previous row
}

// rows returns rows without figures: one for each load, and if the server has a profile another one with it.
func (s server) rows() []*row {
	var all []*row
	for _, l := range loads() {
		all = append(all, &row{server: s, load: l})
		if s.profiles != nil {
			all = append(all, &row{server: s, load: l, profile: withProfile})
		}
	}
	return all
}

// name returns the load's name, with the mark.
func (r *row) name() string { return r.load.name + r.profile }

// profiles returns headway's profiles in this row.
func (r *row) profiles() []validate.Profile {
	if r.profile == "" {
		return nil
	}
	return r.server.profiles
}

// checkBounds fails the test if headway misses its bounds: those of today, or else the wanted ones.
func (r *row) checkBounds(t *testing.T) {
	t.Helper()
	b, held := today()[r.server.name][r.name()]
	if !held {
		b = r.server.wanted()
	}
	if r.server.program != nil || r.server.asksRuntime {
		b.finished = 0 // would fail on a busy machine
	}
	if kit.IsBrief() {
		b.refused, b.finished = 0, 0 // one run varies
	}
	for _, missed := range r.headway.missed(b) {
		t.Errorf("%s: %s", r.name(), missed)
	}
}

// log logs the figures.
func (r *row) log(t *testing.T) {
	t.Helper()
	t.Logf("%-32s %-12s %v", r.name(), paced.name, r.headway)
	if r.plainRetry != nil {
		t.Logf("%-32s %-12s %v", r.name(), plain.name, *r.plainRetry)
	}
}
