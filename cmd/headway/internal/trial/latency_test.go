package trial_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit"
	"github.com/headway-go/headway/internal/test/kit/child"
	"github.com/headway-go/headway/internal/test/page"
)

const (
	// rounds is how often each way is measured, with an odd number so that there is a median.
	rounds = 7
	// parts of a round change from way to way, so that what else the machine does hits all ways alike.
	parts = 20
)

// loads are few requests that have the machine for themselves, and many that fill it.
func loads() []load { return []load{{requests: 5000, atOnce: 1}, {requests: 20000, atOnce: 16}} }

// A way leads to an upstream.
type way struct{ name, url string }

// The ways whose ratio is in the table.
const (
	withHTTPUtil = "`ReverseProxy`"
	withHeadway  = "headway"
)

// TestLatency measures how long a request takes through the proxy and through others. It asserts nothing, as it measures
// time.
func TestLatency(t *testing.T) {
	if !*latency {
		t.Skip("it measures time: run it with -latency")
	}
	require.False(t, kit.Raced, "the race detector is in one of the proxies only")
	child.Need(t, required, "install Debian's nginx-light", "nginx")
	path := buildHeadway(t)
	table := [][]string{{"the upstream reports", "at once", "µs", "straight", withHTTPUtil, "nginx", withHeadway, withHeadway + " ÷ " + withHTTPUtil}}
	for _, upstream := range []struct{ role, reports string }{
		{silentUpstream, "no limit"},
		{limitedUpstream, "draft-10 fields"},
	} {
		t.Run(upstream.reports, func(t *testing.T) {
			all := waysTo(t, startRole(t, upstream.role, ""), path)
			for _, l := range loads() {
				table = append(table, cells(upstream.reports, l, measure(t, l, all))...)
			}
		})
	}
	t.Logf("\n%s", page.Table(table))
	if *write {
		require.False(t, t.Failed(), "nothing is written")
		writePart(t, "latency", page.Table(table))
	}
}

// waysTo starts all proxies in front of an upstream, each in a process of its own.
func waysTo(t *testing.T, upstream, path string) []way {
	t.Helper()
	_, headway := startHeadway(t, path, upstream)
	return []way{
		{"straight", upstream},
		{withHTTPUtil, startRole(t, reverseProxy, upstream)},
		{"nginx", child.Nginx{Workers: 2}.Start(t, upstream)},
		{withHeadway, headway},
	}
}

// measure sends the load on all ways, round by round, and returns the medians of the rounds. Each part of a round has
// the ways in another order. One round before them is not measured.
func measure(t *testing.T, l load, all []way) map[string]spread {
	t.Helper()
	lines := map[string][]*line{}
	for _, w := range all {
		lines[w.name] = open(t, w.url, l.atOnce)
	}
	p50, p99 := map[string][]time.Duration{}, map[string][]time.Duration{}
	for round := range rounds + 1 {
		took := map[string][]time.Duration{}
		for range parts {
			for _, i := range rand.Perm(len(all)) {
				w := all[i].name
				took[w] = append(took[w], send(t, lines[w], l.requests/parts)...)
			}
		}
		for _, w := range all {
			if s := spreadOf(took[w.name]); round > 0 {
				p50[w.name], p99[w.name] = append(p50[w.name], s.p50), append(p99[w.name], s.p99)
			}
		}
	}
	medians := map[string]spread{}
	for _, w := range all {
		medians[w.name] = spread{median(p50[w.name]), median(p99[w.name])}
		t.Logf("%d at once, %s: p50 %v, p99 %v", l.atOnce, w.name, p50[w.name], p99[w.name])
	}
	return medians
}

func median(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)/2]
}

// cells returns two rows of the table.
func cells(reports string, l load, medians map[string]spread) [][]string {
	row := func(figure string, of func(spread) time.Duration) []string {
		cell := func(name string) string { return fmt.Sprint(of(medians[name]).Microseconds()) }
		ratio := float64(of(medians[withHeadway])) / float64(of(medians[withHTTPUtil]))
		return []string{
			reports, fmt.Sprint(l.atOnce), figure,
			cell("straight"), cell(withHTTPUtil), cell("nginx"), cell(withHeadway), fmt.Sprintf("%.2f", ratio),
		}
	}
	return [][]string{
		row("p50", func(s spread) time.Duration { return s.p50 }),
		row("p99", func(s spread) time.Duration { return s.p99 }),
	}
}
