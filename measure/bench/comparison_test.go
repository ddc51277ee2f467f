package bench_test

import (
	"flag"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headway-go/headway/internal/test/kit"
)

var (
	write    = flag.Bool("write", false, "write the pages and pictures of the tests into docs; TestComparison, with -http, TestCosts and TestWireCosts measure for minutes then")
	overHTTP = flag.Bool("http", false, "do the short jobs of TestComparison over real HTTP too; about a minute")
)

// A comparison holds the results of a job.
type comparison struct {
	job
	results []result // one for each contender, headway first
}

// TestComparison compares headway with other clients, in virtual time, and prints the figures. Some clients use random
// numbers that cannot be seeded, so figures differ a little from run to run. With -short it does a few jobs once.
func TestComparison(t *testing.T) {
	t.Setenv("AWS_NEW_RETRIES_2026", "") // the SDK's default
	var report report
	for _, j := range jobs() {
		if kit.IsBrief() {
			if !j.brief {
				continue
			}
			j.runs = 1
		}
		t.Run(j.title(), func(t *testing.T) {
			oneProcessor(t)
			report.Virtual = append(report.Virtual, j.inVirtualTime(t))
		})
	}
	if *write {
		require.Empty(t, report.missing(), "nothing is written without all jobs")
	}
	if *overHTTP || *write {
		for _, j := range loopbackJobs() {
			t.Run("over HTTP, "+j.title(), func(t *testing.T) {
				report.OverHTTP = append(report.OverHTTP, j.onLoopback(t))
			})
		}
	}
	if *write {
		require.False(t, t.Failed(), "nothing is written")
		report.write(t, figuresFolder(t))
	}
	t.Logf("\n%s", report.text(t))
}

// inVirtualTime lets all contenders do a job, and checks their bounds.
func (j job) inVirtualTime(t *testing.T) comparison {
	t.Helper()
	c := comparison{job: j}
	for _, contender := range j.contenders {
		c.results = append(c.results, j.measure(t, contender))
	}
	require.Empty(t, c.missed())
	return c
}

// onLoopback is inVirtualTime over real HTTP.
func (j job) onLoopback(t *testing.T) comparison {
	t.Helper()
	c := comparison{j, j.overHTTP(t)}
	require.Empty(t, c.missed())
	return c
}
