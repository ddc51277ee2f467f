package suites_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"
)

// A run has what a suite's tests have ended with.
type run struct {
	suite   *suite
	without results
	beneath []beneath
	err     error // that the suite could not be run
}

// A beneath has what the tests have ended with while headway was at a place.
type beneath struct {
	place       place
	results     results
	calls, wire int // requests to headway, and those that it has sent on
	differ      []string
	err         error
}

// patience bounds one run of a suite.
const patience = 2 * time.Minute

// differ returns the tests that differ at any place.
func (r *run) differ() map[string]bool {
	all := map[string]bool{}
	for _, b := range r.beneath {
		for _, name := range b.differ {
			all[name] = true
		}
	}
	return all
}

// calls returns how many requests went through headway, at all places.
func (r *run) calls() (n int) {
	for _, b := range r.beneath {
		n += b.calls
	}
	return n
}

// isMissing reports whether the module cannot be had.
func (r *run) isMissing() bool { return errors.Is(r.err, errMissing) }

// run compiles a suite once, and runs it without headway and with it at each place, all at the same time.
func (w *workshop) run(ctx context.Context, s *suite) *run {
	r := &run{suite: s, beneath: []beneath{{place: atTransport}, {place: atClient}, {place: resending}}}
	c, err := w.copy(ctx, s)
	if err != nil {
		r.err = err
		return r
	}
	if r.err = c.compile(ctx); r.err != nil {
		return r
	}
	var pending sync.WaitGroup
	pending.Go(func() { r.without, r.err = c.execute(ctx, execution{only: s.only, patience: patience}) })
	for i := range r.beneath {
		pending.Go(func() { r.beneath[i].execute(ctx, c) })
	}
	pending.Wait()
	for i := range r.beneath {
		b := &r.beneath[i]
		r.err = errors.Join(r.err, b.err)
		b.differ = slices.DeleteFunc(r.without.differences(b.results), func(name string) bool {
			return c.isChance(ctx, b, name)
		})
	}
	return r
}

// execute runs the tests with headway at the place, and counts its requests.
func (b *beneath) execute(ctx context.Context, c *copied) {
	counts := filepath.Join(c.folder, string(b.place)+".counts")
	b.results, b.err = c.execute(ctx, execution{
		at: b.place, counts: counts, only: c.suite.only, skip: c.suite.hanging(b.place), patience: patience,
	})
	marks, err := os.ReadFile(counts) //nolint:gosec // its name is made above
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		b.err = errors.Join(b.err, err)
	}
	b.calls, b.wire = bytes.Count(marks, []byte("c")), bytes.Count(marks, []byte("w"))
}

// isChance reports whether a test that has differed is no difference: it passes when it is run again alone, with what
// it is in. It may have failed by chance, or because headway still knows what a server has told an earlier test. One that
// fails with a layer that does nothing is no difference either.
func (c *copied) isChance(ctx context.Context, b *beneath, name string) bool {
	const tries = 2
	alone := execution{at: b.place, only: exactly(name), patience: 20 * time.Second}
	for range tries {
		again, _ := c.execute(ctx, alone) // an error is a test that does not pass
		if again.passes(name) {
			return true
		}
		b.results[name] = again[name]
	}
	alone.empty = true
	for range tries {
		if empty, _ := c.execute(ctx, alone); !empty.passes(name) {
			return true
		}
	}
	return false
}

// compile compiles the tests. The flags make it quicker; the first ones apply to the package under test only.
func (c *copied) compile(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, "go", "test", "-c", "-overlay", c.overlay, //nolint:gosec // its arguments are from the table
		"-gcflags=-N -l -dwarf=false", "-ldflags=-s -w", "-o", c.binary(), c.pkg)
	cmd.Env = append(os.Environ(), "GOWORK="+c.work)
	cmd.Dir = filepath.Dir(c.work)
	if text, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%w: %s", err, text)
	}
	return nil
}

func (c *copied) binary() string { return filepath.Join(c.folder, "suite.test") }

// An execution says how a suite's tests are run.
type execution struct {
	at         place
	empty      bool   // a layer that does nothing is there instead
	counts     string // the file for headway's counts; "": none
	only, skip string // as for go test -run and -skip
	patience   time.Duration
}

// execute runs tests. Tests that fail are no error.
func (c *copied) execute(ctx context.Context, e execution) (results, error) {
	ctx, cancel := context.WithTimeout(ctx, e.patience+10*time.Second)
	defer cancel()
	if e.counts == "" {
		e.counts = os.DevNull
	}
	cmd := exec.CommandContext(ctx, "go", "tool", "test2json", "-t", c.binary(), "-test.v=test2json", "-test.short", //nolint:gosec // its arguments are from the table
		"-test.paniconexit0", "-test.timeout", e.patience.String(), "-test.run", e.only, "-test.skip", e.skip)
	cmd.Dir = c.pkg
	cmd.Env = append(os.Environ(), "HEADWAY_AT="+string(e.at), "HEADWAY_COUNTS="+e.counts)
	if e.empty {
		cmd.Env = append(cmd.Env, "HEADWAY_EMPTY=1")
	}
	var text bytes.Buffer
	cmd.Stdout = &text
	err := cmd.Run()
	if _, ok := errors.AsType[*exec.ExitError](err); ok {
		err = nil // tests have failed
	}
	all, wrong := readResults(&text)
	return all, errors.Join(err, wrong)
}

// exactly returns an expression for go test -run that matches a test and the tests that it is in.
func exactly(name string) string {
	parts := strings.Split(name, "/")
	for i, part := range parts {
		parts[i] = "^" + regexp.QuoteMeta(part) + "$"
	}
	return strings.Join(parts, "/")
}
