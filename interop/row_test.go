package interop_test

import (
	"testing"

	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/validate"
)

// withProfile is how rows are marked in which headway is told by a profile with which statuses the server refuses.
const withProfile = ", with a profile"

// A row is what clients made of a load on a server.
type row struct {
	server  server
	load    load
	profile string // withProfile or ""
	ours    figures
	theirs  *figures // nil: not measured, or by the row before
}

// rows has rows without figures: each load, and each with a profile where the server has one.
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

// name is the load's, with a mark.
func (r *row) name() string { return r.load.name + r.profile }

// profiles are what headway is told.
func (r *row) profiles() []validate.Profile {
	if r.profile == "" {
		return nil
	}
	return r.server.profiles
}

// hold fails the test if headway does not keep to its bounds: what is wanted, or what it is held to today.
func (r *row) hold(t *testing.T) {
	t.Helper()
	b, held := today()[r.server.name][r.name()]
	if !held {
		b = r.server.wanted()
	}
	if r.server.program != nil || r.server.asksRuntime {
		b.finished = 0 // a machine that does other things as well would fail it
	}
	if kit.Raced {
		b.refused, b.finished = 0, 0 // the race detector looks for other things than figures
	}
	for _, missed := range r.ours.missed(b) {
		t.Errorf("%s: %s", r.name(), missed)
	}
}

// log writes the figures into the test's log.
func (r *row) log(t *testing.T) {
	t.Helper()
	t.Logf("%-32s %-12s %v", r.name(), paced.name, r.ours)
	if r.theirs != nil {
		t.Logf("%-32s %-12s %v", r.name(), plain.name, *r.theirs)
	}
}
