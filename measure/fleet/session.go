//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"

	"github.com/headway-go/headway/internal/test/page"
)

// errWrong is the error of run if any check failed.
var errWrong = errors.New("something was not as it must be")

// A session makes all runs of a form.
type session struct {
	form    form
	out     io.Writer
	write   page.Folder // gets the page if no check failed; "": none does
	only    string      // a part of the names of the runs to make; "": all
	verbose bool

	results []*result
}

// run makes all runs and prints their results.
func (s *session) run(ctx context.Context) error {
	if err := s.measure(ctx); err != nil {
		return err
	}
	return s.summarize()
}

// measure makes the wanted runs, some of them at a time. Their results are in the order of the plan.
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
				cancel(fmt.Errorf("%v: %w", r, err)) // stops the others
			}
			s.results[i] = x
		})
	}
	all.Wait()
	return context.Cause(ctx)
}

// summarize prints the tables and all failed checks. If any check failed it returns an error. Otherwise it
// writes the document, unless only some of the runs were made.
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
	return s.write.Write("fleet.md", s.document())
}
