package interop_test

import (
	"testing"

	"github.com/headway-go/headway/internal/test/kit"
)

// A row has the figures of clients with a load on a server.
type row struct {
	server     server
	load       load
	headway    figures
	plainRetry *figures // nil: not measured
}

// rows returns rows without figures: one for each load.
func (s server) rows() []*row {
	var all []*row
	for _, l := range loads() {
		all = append(all, &row{server: s, load: l})
	}
	return all
}

// checkBounds fails the test if headway misses its bounds: those of today, or else the wanted ones.
func (r *row) checkBounds(t *testing.T) {
	t.Helper()
	b, held := today()[r.server.name][r.load.name]
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
		t.Errorf("%s: %s", r.load.name, missed)
	}
}

// log logs the figures.
func (r *row) log(t *testing.T) {
	t.Helper()
	t.Logf("%-16s %-12s %v", r.load.name, paced.name, r.headway)
	if r.plainRetry != nil {
		t.Logf("%-16s %-12s %v", r.load.name, plain.name, *r.plainRetry)
	}
}
