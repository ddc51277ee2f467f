//go:build unix

package main

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/headway-go/headway/ratelimittest"
)

// A result is the result of a run.
type result struct {
	*run
	form     *form
	all      ratelimittest.Arrivals // since the beginning of the run
	from, to time.Time              // the measured time
	at       time.Time              // when the fault began; zero if it lasted for the whole run
	accounts []*account
	dropped  int // connections dropped by proxies
	wrong    []string
}

// measure makes a run.
func (f *form) measure(ctx context.Context, r *run) (_ *result, err error) {
	s, err := newScene(ctx, f, r)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, s.close()) }()
	x := &result{run: r, form: f}
	x.from, x.to = f.span(time.Now())
	x.at = x.from.Add(f.strike)
	if err := s.startMembers(f, x.to); err != nil {
		return nil, err
	}
	limit, cancel := context.WithDeadline(ctx, x.to.Add(time.Minute))
	defer cancel()
	if err := r.fault.inject(limit, s, x.at); err != nil {
		return nil, fmt.Errorf("%s: %w", r.fault.name, err)
	}
	if x.accounts, err = s.accounts(limit); err != nil {
		return nil, err
	}
	x.all = s.service.handler.Arrivals()
	for _, p := range s.proxies {
		x.dropped += p.dropped()
	}
	x.audit(s.service.twice())
	return x, nil
}

// measured returns the arrivals in the measured time.
func (x *result) measured() ratelimittest.Arrivals { return x.all.Between(x.from, x.to) }

// refusedOf returns the number of refused requests per 1000 served ones.
func refusedOf(a ratelimittest.Arrivals) float64 {
	return 1000 * float64(len(a.Refused())) / float64(max(len(a.Allowed()), 1))
}

func (x *result) refused() float64 { return refusedOf(x.measured()) }

// used returns the part of the quota that was used.
func (x *result) used() float64 { return x.usedOf(x.from, x.to) }

func (x *result) usedOf(from, to time.Time) float64 {
	return float64(len(x.all.Between(from, to).Allowed())) / (float64(x.form.quota) * to.Sub(from).Seconds() / x.form.window.Seconds())
}

// jain returns Jain's fairness index of the processes' shares; 1: all are equal.
func (x *result) jain() float64 {
	return x.measured().Jain(func(a ratelimittest.Arrival) string { return a.RemoteAddr })
}

// faulty returns the time of the fault.
func (x *result) faulty() (from, to time.Time) {
	if x.fault.lasts == 0 {
		return x.from, x.to
	}
	return x.at, x.at.Add(x.fault.lasts)
}

// sum adds up a number over all members.
func (x *result) sum(of func(*account) int) (n int) {
	for _, a := range x.accounts {
		n += of(a)
	}
	return n
}

// most returns the largest value of a number over all members.
func (x *result) most(of func(*account) int) (n int) {
	for _, a := range x.accounts {
		n = max(n, of(a))
	}
	return n
}

// judge notes which figures of a fleet miss their bounds.
func (x *result) judge() {
	b := x.form.sound
	if x.fault.name != "" {
		b = x.form.faulty
	}
	if !x.fleet {
		return
	}
	if got := x.refused(); got > b.refused {
		x.violate("%.1f refused per 1000, more than %.0f", got, b.refused)
	}
	if got := x.used(); got < b.used {
		x.violate("%.3f of the quota used, less than %.2f", got, b.used)
	}
	if got := x.jain(); math.IsNaN(got) || got < b.jain {
		x.violate("a Jain index of %.3f, less than %.2f", got, b.jain)
	}
}

func (x *result) violate(format string, args ...any) {
	x.wrong = append(x.wrong, x.String()+": "+fmt.Sprintf(format, args...))
}

// windows lists for each window the served and refused requests, and the served ones of each member.
func (x *result) windows() string {
	var b strings.Builder
	for from := x.all[0].Time.Truncate(x.form.window); from.Before(x.to); from = from.Add(x.form.window) {
		in := x.all.Between(from, from.Add(x.form.window))
		fmt.Fprintf(&b, "  %4.0f s: served %4d refused %3d, by member", from.Sub(x.from).Seconds(), len(in.Allowed()), len(in.Refused()))
		for _, a := range x.accounts {
			of := 0
			for _, arrival := range in.Allowed() {
				if arrival.RemoteAddr == a.Member {
					of++
				}
			}
			fmt.Fprintf(&b, " %3d", of)
		}
		for _, arrival := range in.Refused() {
			fmt.Fprintf(&b, "; %s at %.2f", arrival.RemoteAddr, arrival.Time.Sub(from).Seconds())
		}
		b.WriteString("\n")
	}
	return b.String()
}
