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

// readable returns a header without the fields that package parse must not read: those that hold nothing by the profile,
// or that have a Pattern.
func (p *Profile) readable(h http.Header) http.Header {
	isHidden := func(name string, _ []string) bool {
		return slices.ContainsFunc(p.Fields, func(f Field) bool {
			return (f.Holds == HoldsNothing || f.Pattern != "") && f.covers(name)
		})
	}
	for name := range h {
		if isHidden(name, nil) {
			h = maps.Clone(h) // the response is not changed
			maps.DeleteFunc(h, isHidden)
			return h
		}
	}
	return h
}

// described reads the limits in the Fields of the host's profile.
func (r *reader) described() {
	r.earlier = len(r.Limits)
	all := r.profile.fieldsOf(r.resp.Header)
	for i := range all {
		policy := all[i].policy()
		isLater := slices.ContainsFunc(all[:i], func(e Field) bool { return e.isPartOf(policy) })
		if all[i].isPartOf(policy) && !isLater {
			r.describedLimits(policy, all[i:])
		}
	}
}

// fieldsOf returns the Fields. A Field whose name is a prefix is replaced by one for each field of the header.
func (p *Profile) fieldsOf(h http.Header) (all []Field) {
	isPrefix := func(f Field) bool { return strings.HasSuffix(f.Name, "*") }
	if !slices.ContainsFunc(p.Fields, isPrefix) {
		return p.Fields
	}
	names := slices.Sorted(maps.Keys(h))
	for _, f := range p.Fields {
		if !isPrefix(f) {
			all = append(all, f)
			continue
		}
		prefix, policy, most := f, f.Policy, len(all)+MaxLimits
		for _, name := range names {
			hasOwn := slices.ContainsFunc(p.Fields, func(f Field) bool { return strings.EqualFold(f.Name, name) })
			if prefix.covers(name) && !hasOwn && len(all) < most {
				f.Name, f.Policy = name, strings.TrimSpace(policy+" "+printable(strings.ToLower(name[len(prefix.Name)-1:])))
				all = append(all, f)
			}
		}
	}
	return all
}

// isPartOf reports whether the Field reads the limits with that name.
func (f *Field) isPartOf(policy string) bool { return f.isRead() && f.policy() == policy }

func (f *Field) policy() string {
	if f.Policy == "" {
		return strings.ToLower(f.Name)
	}
	return f.Policy
}

// A described is a limit that Fields describe.
type described struct {
	limits.Reported               // Policy has the name in a value; "" if there is none
	used            int64         // Unknown if it was not sent
	penalty         time.Duration // Unknown if there is none
}

// describedLimits reads the limits whose parts are in those Fields that have the policy's name. The first Field is one of
// them.
func (r *reader) describedLimits(policy string, all []Field) {
	var found []described
	for i := range all {
		if f := &all[i]; f.isPartOf(policy) {
			found = r.join(found, r.values(f))
		}
	}
	name := all[0].Name
	from := parse.Row{Family: limits.DialectNamed, Names: parse.Names{Limit: name, Remaining: name, Reset: name}}
	for i := range found {
		x := &found[i]
		isListed := x.Quota != Unknown && all[0].Pattern != "" // else there may be only what is documented
		r.setName(x, &all[0])
		for j := range all { // after the parts: what is sent takes precedence
			if f := &all[j]; f.isPartOf(policy) {
				f.document(&x.Reported)
			}
		}
		x.setRemaining()
		if (isListed || x.Remaining != Unknown || x.Reset != Unknown) && len(r.Limits)-r.earlier < MaxLimits {
			r.align(&x.Reported)
			r.add(&from, &x.Reported)
		}
	}
}

// join adds the parts of limits to those that were found. The order of the values says which limit is which.
func (r *reader) join(found, values []described) []described {
	for i := range values {
		x := &values[i]
		if i == len(found) {
			found = append(found, *x)
			continue
		}
		e := &found[i]
		if isSame := x.Policy == "" || e.Policy == "" || e.Policy == x.Policy; isSame && agree(e.Window, x.Window, 0) {
			e.Policy = cmp.Or(e.Policy, x.Policy)
			merge(&e.Reported, &x.Reported)
			e.used, e.penalty = max(e.used, x.used), max(e.penalty, x.penalty)
		}
	}
	return found
}

// setName sets the name of a limit. The first Field of the limit is f.
func (r *reader) setName(x *described, f *Field) {
	if x.Policy == "" && x.Quota != Unknown && x.Window != Unknown {
		rule := strconv.FormatInt(x.Quota, 10) + ";w=" + strconv.FormatFloat(x.Window.Seconds(), 'f', -1, 64)
		x.Policy = strings.TrimSpace(r.policyOfDashed() + " " + f.policy() + " " + rule) // Path of Exile names the policy
		return
	}
	x.Policy = cmp.Or(strings.TrimSpace(f.Policy+" "+x.Policy), f.policy())
}

// policyOfDashed returns the name in X-Rate-Limit-Policy; "" if there is none.
func (r *reader) policyOfDashed() string {
	for _, row := range r.fields.Rows {
		if row.Family == limits.DialectXDashed {
			return row.Name
		}
	}
	return ""
}

// setRemaining sets what remains, if it follows from the other parts.
func (x *described) setRemaining() {
	switch {
	case x.penalty != Unknown:
		x.Remaining, x.Reset = 0, x.penalty
	case x.Remaining == Unknown && x.used != Unknown && x.Quota != Unknown:
		x.Remaining = max(x.Quota-x.used, 0)
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

// part sets the part of x that a value holds.
func (r *reader) part(f *Field, holds Holds, value string, x *described) {
	switch {
	case holds == holdsName:
		x.Policy = printable(value)
	case holds == holdsWindow:
		x.Window = r.length(f, value)
	case holds == holdsPenalty:
		x.penalty = r.length(f, value)
	case holds == HoldsReset && f.TimeUnit <= 0:
		when, err := parse.Time(value)
		if err != nil {
			r.unreadable(f, err)
			return
		}
		x.Reset = r.retryDelay(f.Name, &when)
	default:
		r.number(f, holds, value, x)
	}
}

// number sets the part of x that a number holds.
func (r *reader) number(f *Field, holds Holds, value string, x *described) {
	number, err := strconv.ParseFloat(strings.TrimSuffix(value, "%"), 64)
	switch {
	case err != nil || math.IsNaN(number) || math.IsInf(number, 0):
		r.unreadable(f, parse.ErrNumber)
	case number < 0:
		r.problem(f.Name, Placeholder)
	case holds == HoldsLimit:
		x.Quota = whole(math.Floor(number))
	case holds == HoldsRemaining:
		x.Remaining = whole(math.Floor(number))
	case holds == HoldsUsed, holds == HoldsPercent:
		x.used = whole(math.Ceil(number))
	case holds == HoldsReset:
		after := time.Duration(whole(math.Ceil(number * float64(f.TimeUnit))))
		x.Reset = r.retryDelay(f.Name, &parse.When{Form: parse.Delay, After: after})
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
func (r *reader) complement(from *parse.Row, l *limits.Reported) {
	for i := range r.profile.Fields {
		f, names := &r.profile.Fields[i], from.Names
		if f.Holds == "" && (f.covers(names.Limit) || f.covers(names.Remaining) || f.covers(names.Reset)) {
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
	from := parse.Row{Names: parse.Names{Limit: field, Remaining: field, Reset: field}}
	for _, x := range r.profile.Limits[:min(len(r.profile.Limits), MaxLimits)] {
		if x.Quota > 0 && x.Window > 0 {
			policy := cmp.Or(x.Policy, x.Window.String())
			l := limits.Reported{Policy: policy, Unit: x.Unit, Quota: x.Quota, Remaining: Unknown, Window: x.Window, Reset: Unknown}
			clean(&l)
			r.align(&l)
			r.add(&from, &l)
		}
	}
}
