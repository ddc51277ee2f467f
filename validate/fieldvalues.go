package validate

import (
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// Budgets for the value of a Field.
const (
	maxJSON   = 16 << 10 // bytes of JSON
	maxDepth  = 8        // objects and lists in each other
	maxNumber = 32       // bytes of a number
)

// mayHaveFields reports whether the response's host may have a profile with Fields. Nearly all hosts have
// none, and this is all that it costs them. own says whether the caller's profiles have any.
func mayHaveFields(resp *http.Response, own bool) bool {
	return resp != nil && resp.Request != nil && resp.Request.URL != nil && (own || builtIn.has(resp.Request.URL.Host) == someFields)
}

// hasFields reports whether the response's host has a profile with Fields.
func hasFields(resp *http.Response, own []Profile, ownFields bool) bool {
	return mayHaveFields(resp, ownFields) && len(findProfile(resp, own).Fields) > 0
}

// haveFields reports whether one of the profiles has Fields.
func haveFields(own []Profile) bool {
	return slices.ContainsFunc(own, func(p Profile) bool { return len(p.Fields) > 0 })
}

// described reads the limits in the Fields of the host's profile from h.
func (r *reader) described(h http.Header) {
	all := r.hostProfile().Fields
	for i := range all {
		f := &all[i]
		isLater := slices.ContainsFunc(all[:i], func(e Field) bool { return e.isPartOf(f.policy()) })
		switch {
		case f.Holds == "" || len(r.Limits)-r.earlier >= MaxLimits:
		case len(f.Members) > 0:
			r.objects(h, f)
		case !isLater:
			r.plain(h, all[i:])
		}
	}
	r.earlier = len(r.Limits)
}

// isPartOf reports whether the Field is a number of the limit with that name.
func (f *Field) isPartOf(policy string) bool {
	return f.Holds != "" && len(f.Members) == 0 && f.policy() == policy
}

func (f *Field) policy() string {
	if f.Policy == "" {
		return strings.ToLower(f.Name)
	}
	return f.Policy
}

// value returns the first line of the field; "" if it is absent.
func (f *Field) value(h http.Header) string {
	if f.Name == "" {
		return ""
	}
	return strings.TrimSpace(h.Get(f.Name))
}

// newLimit sets the next limit to what the Field documents.
func (r *reader) newLimit(f *Field, policy string) (*limits.Reported, *source) {
	l := r.next()
	*l = limits.Reported{Policy: policy, Unit: parse.Requests, Quota: Unknown, Remaining: Unknown, Window: Unknown, Reset: Unknown}
	r.document(f, l)
	return l, &source{limits.DialectNamed, &parse.Names{Limit: f.Name, Remaining: f.Name, Reset: f.Name}}
}

// document sets the parts of l that are documented and not known.
func (r *reader) document(f *Field, l *limits.Reported) {
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

// plain reads the limit of the first Field, whose parts may be in others with its Policy.
func (r *reader) plain(h http.Header, all []Field) {
	policy, used := all[0].policy(), int64(Unknown)
	l, from := r.newLimit(&all[0], policy)
	sent := false
	for i := range all {
		f := &all[i]
		if value := f.value(h); value != "" && f.isPartOf(policy) {
			sent = true
			r.part(f, value, l, &used)
		}
	}
	for i := range all { // after the parts: what is sent takes precedence
		if f := &all[i]; sent && f.isPartOf(policy) {
			r.document(f, l)
		}
	}
	if l.Remaining == Unknown && used != Unknown && l.Quota != Unknown {
		l.Remaining = max(l.Quota-used, 0)
	}
	if l.Remaining != Unknown || l.Reset != Unknown { // else there is only what is documented
		r.align(l)
		r.add(from, l)
	}
}

// part sets the part of l that the Field holds.
func (r *reader) part(f *Field, value string, l *limits.Reported, used *int64) {
	if f.Holds == HoldsReset && f.TimeUnit <= 0 {
		when, err := parse.Time(value)
		if err != nil {
			r.unreadable(f, err)
			return
		}
		l.Reset = r.retryDelay(f.Name, &when)
		return
	}
	number, ok := numberOf(strings.TrimSuffix(value, "%"))
	if !ok {
		r.unreadable(f, parse.ErrNumber)
		return
	}
	if number < 0 {
		r.problem(f.Name, Placeholder)
		return
	}
	switch f.Holds {
	case HoldsLimit:
		l.Quota = whole(math.Floor(number))
	case HoldsRemaining:
		l.Remaining = whole(math.Floor(number))
	case HoldsUsed, HoldsPercent:
		*used = whole(math.Ceil(number))
	case HoldsReset:
		l.Reset = r.retryDelay(f.Name, &parse.When{Form: parse.Delay, After: f.time(number)})
	}
}

// unreadable lists the value of the Field as a Problem.
func (r *reader) unreadable(f *Field, why error) {
	r.Problems = append(r.Problems, &Problem{f.Name, Malformed, &parse.Error{Field: f.Name, Offset: -1, Err: why}})
}

// time converts a number of the Field's TimeUnits, saturated.
func (f *Field) time(number float64) time.Duration {
	unit := f.TimeUnit
	if unit <= 0 {
		unit = time.Second
	}
	return time.Duration(whole(math.Ceil(number * float64(unit))))
}

// numberOf returns a decimal number. It has no exponent, and is not infinite.
func numberOf(value string) (number float64, ok bool) {
	if len(value) > maxNumber || strings.Trim(value, "-.0123456789") != "" {
		return 0, false
	}
	number, err := strconv.ParseFloat(value, 64)
	return number, err == nil
}

// whole returns a number that is not negative, saturated.
func whole(number float64) int64 {
	if number >= math.MaxInt64 {
		return math.MaxInt64
	}
	return int64(number)
}

// objects reads the limits in the JSON of the Field.
func (r *reader) objects(h http.Header, f *Field) {
	value := f.value(h)
	if value == "" {
		return
	}
	why, document := parse.ErrTooLong, any(nil)
	if len(value) <= maxJSON {
		if json.Unmarshal([]byte(value), &document) == nil {
			r.walk(f, document, f.policy(), maxDepth)
			return
		}
		why = parse.ErrSyntax
	}
	r.unreadable(f, why)
}

// walk reads the limits in one value of the JSON. name is that of its limit.
func (r *reader) walk(f *Field, value any, name string, depth int) {
	if depth == 0 {
		return
	}
	switch value := value.(type) {
	case []any:
		for _, one := range value {
			r.walk(f, one, name, depth-1)
		}
	case map[string]any:
		r.object(f, value, name)
		for _, key := range slices.Sorted(maps.Keys(value)) {
			r.walk(f, value[key], joinText(name, key), depth-1)
		}
	}
}

// object reads the limit in an object, if it has one.
func (r *reader) object(f *Field, object map[string]any, name string) {
	most := -1.0
	for _, member := range f.Members {
		if number, ok := object[member].(float64); ok {
			most = max(most, number)
		}
	}
	if most < 0 {
		return
	}
	if len(r.Limits)-r.earlier >= MaxLimits {
		r.problem(f.Name, Crowded)
		return
	}
	if kind, ok := object["type"].(string); ok {
		name = joinText(name, kind)
	}
	l, from := r.newLimit(f, name)
	switch wait, _ := object[f.Wait].(float64); {
	case wait > 0:
		l.Remaining, l.Reset = 0, f.time(wait)
		l.Window = max(l.Window, l.Reset) // it is longer than usual
	case f.Holds == HoldsRemaining:
		l.Remaining = whole(math.Floor(most))
	case l.Quota != Unknown:
		l.Remaining = max(l.Quota-whole(math.Ceil(most)), 0)
	default:
		return
	}
	r.align(l)
	r.add(from, l)
}

// joinText adds a text that the server has chosen to a name, if it can be part of one.
func joinText(name, text string) string {
	if text == "" || len(name)+len(text) >= parse.MaxText || strings.ContainsFunc(text, unicode.IsControl) {
		return name
	}
	return name + " " + text
}

// complement adds what the profile documents to a limit that headway has read by itself.
func (r *reader) complement(from *source, l *limits.Reported) {
	names := from.names()
	for i := range r.hostProfile().Fields {
		f := &r.hostProfile().Fields[i]
		if f.Holds == "" && (strings.EqualFold(f.Name, names.Limit) || strings.EqualFold(f.Name, names.Remaining) || strings.EqualFold(f.Name, names.Reset)) {
			r.document(f, l)
		}
	}
}
