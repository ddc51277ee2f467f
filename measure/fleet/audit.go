//go:build unix

package main

import "github.com/headway-go/headway/ratelimittest"

// mostGoroutines bounds a member's goroutines: its workers, two for the connection of each, and some others.
func (f *form) mostGoroutines() int { return 3*f.workers + 16 }

// audit notes where the members' accounts differ from the server's, or are not as they must be. twice is the
// number of calls that the server served more than once.
func (x *result) audit(twice int) {
	if twice > 0 {
		x.violate("%d calls were served more than once", twice)
	}
	if got := x.sum(func(a *account) int { return a.Sent }); got != len(x.all) && !x.fault.kills {
		x.violate("%d requests were sent and %d arrived", got, len(x.all))
	}
	for _, a := range x.accounts {
		x.auditMember(a, x.arrivalsOf(a.Member))
	}
}

func (x *result) arrivalsOf(member string) (of ratelimittest.Arrivals) {
	for _, arrival := range x.all {
		if arrival.RemoteAddr == member {
			of = append(of, arrival)
		}
	}
	return of
}

func (x *result) auditMember(a *account, seen ratelimittest.Arrivals) {
	outcomes := 0
	for _, n := range a.Outcomes {
		outcomes += n
	}
	if outcomes != a.Calls {
		x.violate("member %s made %d calls, which had %d outcomes", a.Member, a.Calls, outcomes)
	}
	if a.Sent != len(seen) {
		x.violate("member %s sent %d requests, of which %d arrived", a.Member, a.Sent, len(seen))
	}
	if got := len(seen.Allowed()); a.Outcomes[served] != got {
		x.violate("member %s was served %d calls, but the server counted %d", a.Member, a.Outcomes[served], got)
	}
	if bad := a.Outcomes[failed] + a.Outcomes[refused]; bad > 0 {
		x.violate("member %s: %d calls failed: %q", a.Member, bad, a.Errors)
	}
	if a.Outcomes[cancelled] > x.form.workers {
		x.violate("member %s: %d calls were cancelled", a.Member, a.Outcomes[cancelled])
	}
	if a.Most > x.form.mostGoroutines() {
		x.violate("member %s had %d goroutines", a.Member, a.Most)
	}
	if a.Left > 0 {
		x.violate("member %s: %d goroutines are left", a.Member, a.Left)
	}
}
