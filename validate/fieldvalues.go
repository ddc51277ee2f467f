package validate

import (
	"cmp"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// readable returns a header without the fields that hold nothing by the profile.
func (p *Profile) readable(h http.Header) http.Header {
	for i := range p.Fields {
		if f := &p.Fields[i]; f.Holds == HoldsNothing {
			h = maps.Clone(h) // the response is not changed
			maps.DeleteFunc(h, func(name string, _ []string) bool { return strings.EqualFold(name, f.Name) })
		}
	}
	return h
}

// described reads the limits in the Fields of the host's profile.
func (r *reader) described() {
	all := r.profile.Fields
	for i := range all {
		policy := all[i].policy()
		isLater := slices.ContainsFunc(all[:i], func(e Field) bool { return e.isPartOf(policy) })
		if all[i].isPartOf(policy) && !isLater && len(r.Limits)-r.earlier < MaxLimits {
			r.describedLimit(policy, all[i:])
		}
	}
	r.earlier = len(r.Limits)
}

// isPartOf reports whether the Field is a number of the limit with that name.
func (f *Field) isPartOf(policy string) bool {
	return f.Holds != "" && f.Holds != HoldsNothing && f.policy() == policy
}

func (f *Field) policy() string {
	if f.Policy == "" {
		return strings.ToLower(f.Name)
	}
	return f.Policy
}

// describedLimit reads a limit, whose parts are in those Fields that have its name. The first Field is one of them.
func (r *reader) describedLimit(policy string, all []Field) {
	l, used := r.next(), int64(Unknown)
	*l = limits.Reported{Policy: policy, Unit: parse.Requests, Quota: Unknown, Remaining: Unknown, Window: Unknown, Reset: Unknown}
	for i := range all {
		if f := &all[i]; f.isPartOf(policy) {
			r.part(f, strings.TrimSpace(r.resp.Header.Get(f.Name)), l, &used)
		}
	}
	for i := range all { // after the parts: what is sent takes precedence
		if f := &all[i]; f.isPartOf(policy) {
			f.document(l)
		}
	}
	if l.Remaining == Unknown && used != Unknown && l.Quota != Unknown {
		l.Remaining = max(l.Quota-used, 0)
	}
	if l.Remaining != Unknown || l.Reset != Unknown { // else there is only what is documented
		name := all[0].Name
		r.align(l)
		r.add(&source{limits.DialectNamed, parse.Names{Limit: name, Remaining: name, Reset: name}}, l)
	}
}

// document sets the parts of l that are documented and not known.
func (f *Field) document(l *limits.Reported) {
	switch {
	case f.Unit != "":
		l.Unit = f.Unit
	case f.Holds == HoldsPercent:
		l.Unit = "percent"
	}
	if f.Holds == HoldsPercent {
		l.Quota = 100
	}
	if l.Quota == Unknown && f.Quota > 0 {
		l.Quota = f.Quota
	}
	if l.Window == Unknown && f.Window > 0 {
		l.Window = f.Window
	}
}

// part sets the part of l that the Field holds, or used.
func (r *reader) part(f *Field, value string, l *limits.Reported, used *int64) {
	if value == "" {
		return
	}
	if f.Holds == HoldsReset && f.TimeUnit <= 0 {
		when, err := parse.Time(value)
		if err != nil {
			r.unreadable(f, err)
			return
		}
		l.Reset = r.retryDelay(f.Name, &when)
		return
	}
	number, err := strconv.ParseFloat(strings.TrimSuffix(value, "%"), 64)
	switch {
	case err != nil || math.IsNaN(number) || math.IsInf(number, 0):
		r.unreadable(f, parse.ErrNumber)
	case number < 0:
		r.problem(f.Name, Placeholder)
	case f.Holds == HoldsLimit:
		l.Quota = whole(math.Floor(number))
	case f.Holds == HoldsRemaining:
		l.Remaining = whole(math.Floor(number))
	case f.Holds == HoldsUsed, f.Holds == HoldsPercent:
		*used = whole(math.Ceil(number))
	case f.Holds == HoldsReset:
		after := time.Duration(whole(math.Ceil(number * float64(f.TimeUnit))))
		l.Reset = r.retryDelay(f.Name, &parse.When{Form: parse.Delay, After: after})
	}
}

// unreadable lists the value of the Field as a Problem.
func (r *reader) unreadable(f *Field, why error) {
	r.Problems = append(r.Problems, &Problem{f.Name, Malformed, &parse.Error{Field: f.Name, Offset: -1, Err: why}})
}

// whole returns a number that is not negative, saturated.
func whole(number float64) int64 {
	if number >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(number)
}

// complement adds what the profile documents to a limit that headway has read by itself.
func (r *reader) complement(from *source, l *limits.Reported) {
	for i := range r.profile.Fields {
		f, names := &r.profile.Fields[i], from.names
		if f.Holds == "" && (strings.EqualFold(f.Name, names.Limit) || strings.EqualFold(f.Name, names.Remaining) || strings.EqualFold(f.Name, names.Reset)) {
			f.document(l)
		}
	}
}

// addSilent adds the limits that the profile documents, if the response reports none.
func (r *reader) addSilent() {
	if len(r.Limits) > 0 {
		return
	}
	const field = "Profile.Limits"
	from := source{names: parse.Names{Limit: field, Remaining: field, Reset: field}}
	for _, x := range r.profile.Limits[:min(len(r.profile.Limits), MaxLimits)] {
		if x.Quota > 0 && x.Window > 0 {
			l, policy := r.next(), cmp.Or(x.Policy, x.Window.String())
			*l = limits.Reported{Policy: policy, Unit: x.Unit, Quota: x.Quota, Remaining: Unknown, Window: x.Window, Reset: Unknown}
			clean(l)
			r.align(l)
			r.add(&from, l)
		}
	}
}
