package suites_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	write = flag.Bool("write", false, "run all suites, and write docs/figures/suites.md; some minutes")
	only  = flag.String("only", "", "run only the suites of modules that match this `expression`")
)

// atOnce is how many suites run at the same time. Most of their time is spent waiting.
const atOnce = 3

// TestSuites runs the suites of other projects with and without headway beneath their clients. It fails on a
// difference that is not listed, and on a listed one that is none any more.
func TestSuites(t *testing.T) {
	wanted := os.Getenv("HEADWAY_SUITES")
	if wanted == "" && !*write && *only == "" {
		t.Skip("takes minutes and fetches modules: set HEADWAY_SUITES=required to run it")
	}
	shared := newWorkshop(t)
	all := suites()
	chosen := regexp.MustCompile(*only)
	runs := make([]*run, len(all))
	places := make(chan struct{}, atOnce)
	var pending sync.WaitGroup
	for i, s := range all {
		if !chosen.MatchString(s.module) || s.isSlow && !*write && *only == "" {
			continue
		}
		pending.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			runs[i] = shared.run(t.Context(), s)
			t.Logf("%s is done: %s", s.module, runs[i])
		})
	}
	pending.Wait()
	for _, r := range runs {
		if r != nil {
			t.Run(r.suite.module, func(t *testing.T) { r.check(t, wanted == "required" || *write) })
		}
	}
	if *write {
		writePage(t, runs) // also if a test differs: the page lacks the reason then
	}
}

// check fails the test if there is a difference that is not listed.
func (r *run) check(t *testing.T, required bool) {
	t.Helper()
	if r.isMissing() {
		require.False(t, required, "cannot be had: %v", r.err)
		t.Skipf("cannot be had: %v", r.err)
	}
	require.NoError(t, r.err)
	passed, all := r.without.count()
	t.Logf("%s %s: %d of %d pass without headway", r.suite.module, r.suite.release(), passed, all)
	require.Positive(t, passed, "nothing passes without headway")
	for _, p := range r.beneath {
		passed, all := p.results.count()
		t.Logf("%s: %d of %d pass, %d requests through headway, %d on the wire, differ: %d",
			p.place, passed, all, p.calls, p.wire, len(p.differ))
		unlisted, stale := r.suite.judge(p.place, p.differ)
		for _, name := range unlisted {
			t.Errorf("%s: %s passes without headway, and not with it:\n%s", p.place, name, p.results.output(name))
		}
		for _, name := range stale {
			t.Errorf("%s: %s is listed as a difference and is none: remove it", p.place, name)
		}
	}
	require.Positive(t, r.calls(), "nothing went through headway")
}

// String returns what differs, for the log of a long run.
func (r *run) String() string {
	if r.err != nil {
		return r.err.Error()
	}
	text := "no test differs"
	for _, b := range r.beneath {
		if len(b.differ) > 0 {
			text = fmt.Sprint(b.place, " ", b.differ, "; ", text)
		}
	}
	return text
}
