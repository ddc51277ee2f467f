package interop_test

import (
	"flag"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/internal/test/kit/child"
)

var write = flag.Bool("write", false, "measure plain retry over HTTP too, wait for whoever takes long, and write docs/figures/interop.md; some minutes")

const (
	// soon bounds the time of a load over HTTP in a test, and eventually in a report.
	soon       = 40 * time.Second
	eventually = time.Minute
	// atOnce is the number of servers that a report measures at the same time. With more they would wait for
	// a processor.
	atOnce = 3
)

// handlers are the limiters that are Go handlers and run in virtual time.
func handlers() []server {
	return slices.Concat(httprates(), ulules(), throttleds(), tollbooths(), fibers(), echoes(), redisRates())
}

// processes are the limiters that need real time.
func processes() []server { return slices.Concat(sethvargos(), nginxes(), haproxies()) }

// installed returns the processes whose program is installed. Others are skipped. With
// HEADWAY_INTEROP=required the test fails if none is installed.
func installed(t *testing.T) []server {
	t.Helper()
	var all []server
	for _, s := range processes() {
		if s.program == nil || child.Find(s.program.name) != "" {
			all = append(all, s)
			continue
		}
		t.Run(s.name, func(t *testing.T) {
			child.Missing(t, "HEADWAY_INTEROP", s.program.name, "install Debian's package")
		})
	}
	return all
}

// TestInterop measures headway, and for comparison a retrying client, on limiters that real services run.
func TestInterop(t *testing.T) {
	var report report
	for _, s := range handlers() {
		t.Run(s.name, func(t *testing.T) {
			for _, r := range s.rows() {
				r.headway = s.inVirtualTime(t, r.load, paced)
				if !kit.IsBrief() {
					theirs := s.inVirtualTime(t, r.load, plain)
					r.plainRetry = &theirs
				}
				r.log(t)
				r.checkBounds(t)
				report.Virtual = append(report.Virtual, r)
			}
		})
	}
	t.Run("over HTTP", func(t *testing.T) { report.OverHTTP = loopback(t) })
	if *write {
		require.False(t, t.Failed(), "nothing is written")
		require.Len(t, installed(t), len(processes()), "nothing is written without all servers")
		report.write(t)
	}
}

// loopback measures the servers that need real time: all at the same time, or for a report a few at a time.
func loopback(t *testing.T) []*row {
	t.Helper()
	servers := installed(t)
	together, patience := len(servers), soon
	if *write {
		together, patience = atOnce, eventually
	}
	var rows []*row
	for some := range slices.Chunk(servers, together) {
		var these []*row
		for _, s := range some {
			these = append(these, s.rows()...)
		}
		overHTTP(t, these, patience, *write)
		rows = append(rows, these...)
	}
	for _, r := range rows {
		t.Run(r.server.name, func(t *testing.T) {
			r.log(t)
			r.checkBounds(t)
		})
	}
	return rows
}
