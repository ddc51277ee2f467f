//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
)

// errWrong is what run returns if anything was not as it must be.
var errWrong = errors.New("something was not as it must be")

// A session is all runs of a form.
type session struct {
	form    form
	out     io.Writer
	write   string // the file to which the tables go too if nothing is wrong; "": none
	only    string // the part of the names of those runs that are made; "": all
	verbose bool

	results []*result
}

// run makes all runs and prints what came of them.
func (s *session) run(ctx context.Context) error {
	if err := s.measure(ctx); err != nil {
		return err
	}
	return s.summarize()
}

// measure makes the runs that are wanted, some of them at a time. Their results are in the order of the plan.
func (s *session) measure(ctx context.Context) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var runs []*run
	for _, r := range s.form.plan() {
		if strings.Contains(r.String(), s.only) {
			runs = append(runs, r)
		}
	}
	s.results = make([]*result, len(runs))
	places := make(chan struct{}, s.form.atOnce)
	var all sync.WaitGroup
	for i, r := range runs {
		all.Go(func() {
			places <- struct{}{}
			defer func() { <-places }()
			x, err := s.form.measure(ctx, r)
			if err != nil {
				cancel(fmt.Errorf("%v: %w", r, err)) // the others need not go on
			}
			s.results[i] = x
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// summarize prints the tables and what is wrong, of which it returns an error. If nothing
// is, it writes the document where it is to go, but not of some of the runs only.
func (s *session) summarize() error {
	var b strings.Builder
	var wrong []string
	for _, x := range s.results {
		x.judge()
		wrong = append(wrong, x.wrong...)
		if s.verbose {
			fmt.Fprintf(&b, "%v:\n%s\n", x.run, x.windows())
		}
	}
	b.WriteString(s.shares() + "\n" + s.faults() + "\n" + s.calls())
	for _, w := range wrong {
		b.WriteString("\nWRONG: " + w)
	}
	if _, err := fmt.Fprintln(s.out, b.String()); err != nil {
		return err
	}
	switch {
	case len(wrong) > 0:
		return errWrong
	case s.write == "" || s.only != "":
		return nil
	}
	return os.WriteFile(s.write, []byte(s.document()), 0o644)
}
