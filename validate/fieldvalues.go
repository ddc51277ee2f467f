package validate

import (
	"cmp"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// readable returns the fields of a header that package parse may read: not those that hold nothing or have a Pattern.
func (p *Profile) readable(h http.Header) http.Header {
	h = maps.Clone(h) // the response is not changed
	maps.DeleteFunc(h, func(name string, _ []string) bool {
		isOwn := func(f Field) bool { return strings.EqualFold(f.Name, name) } // takes precedence over prefixes
		return slices.ContainsFunc(p.Fields, func(f Field) bool {
			isHidden := f.Holds == HoldsNothing || f.Pattern != ""
			return isHidden && f.covers(name) && (isOwn(f) || !slices.ContainsFunc(p.Fields, isOwn))
		})
	})
	return h
}

// described reads the limits in the Fields of the host's profile. Fields of one policy are one limit, or one for each match
// of their Patterns.
func (r *reader) described() {
	r.earlier = len(r.Limits)
	for _, fields := range r.profile.policies(r.resp.Header) {
		var rows []parse.Row
		for i := range fields {
			rows = r.readField(&fields[i], rows)
		}
		for i := range rows {
			if max(i, len(r.Limits)-r.earlier) >= MaxLimits {
				r.problem(fields[0].Name, Crowded)
				return
			}
			r.describedLimit(&rows[i], fields)
		}
	}
}

// describedLimit adds the limit in a row of which these Fields report the parts. What they document counts where nothing
// is sent, and makes no limit by itself.
func (r *reader) describedLimit(row *parse.Row, fields []Field) {
	policy, isSent := r.policyOf(row, &fields[0]), row.Limit != Unknown
	for i := range fields {
		fields[i].document(&row.Unit, &row.Limit, &row.Window)
	}
	l := r.limitOf(row)
	l.Policy = policy
	if isSent || l.Remaining != Unknown || l.Reset != Unknown {
		r.align(&l)
		r.add(row, &l)
	}
}

// policyOf returns the name of the limit in a row. f is the first Field that reports it.
func (r *reader) policyOf(row *parse.Row, f *Field) string {
	switch {
	case row.Name != "":
		return strings.TrimSpace(f.Policy + " " + printable(row.Name))
	case row.Limit == Unknown || row.Window == Unknown:
		return f.policy()
	}
	rule := strconv.FormatInt(row.Limit, 10) + ";w=" + strconv.FormatFloat(row.Window.Seconds(), 'f', -1, 64)
	return strings.TrimSpace(r.name("X-Rate-Limit-Policy") + " " + f.policy() + " " + rule) // Path of Exile names the policy
}

// policies returns the Fields that say what to read, by policy. A Field whose name is a prefix is replaced by one for each
// field of the header that has no Field of its own.
func (p *Profile) policies(h http.Header) (all [][]Field) {
	add := func(f Field) {
		i := slices.IndexFunc(all, func(e []Field) bool { return e[0].policy() == f.policy() })
		if i < 0 {
			i, all = len(all), append(all, nil)
		}
		all[i] = append(all[i], f)
	}
	for _, f := range p.Fields {
		prefix, isPrefix := strings.CutSuffix(f.Name, "*")
		switch {
		case f.Pattern == "" && f.Holds == "":
		case !isPrefix:
			add(f)
		default:
			for _, name := range slices.Sorted(maps.Keys(h)) {
				hasOwn := func(e Field) bool { return strings.EqualFold(e.Name, name) }
				if f.covers(name) && len(all) < MaxLimits && !slices.ContainsFunc(p.Fields, hasOwn) {
					one := f
					one.Name, one.Policy = name, strings.TrimSpace(f.Policy+" "+printable(strings.ToLower(name[len(prefix):])))
					add(one)
				}
			}
		}
	}
	return all
}

// readField adds to rows what a Field reports: to the first row, or to one for each match of the Pattern. The order of the
// matches says which limit is which.
func (r *reader) readField(f *Field, rows []parse.Row) []parse.Row {
	matches, groups := r.matches(f)
	for i, match := range matches {
		if i == len(rows) {
			row := parse.NewRow()
			row.Family, row.Names = limits.DialectNamed, parse.Names{Limit: f.Name, Remaining: f.Name, Reset: f.Name}
			rows = append(rows, row)
		}
		e, x := &rows[i], rows[i]
		x.Name, x.Window = "", Unknown
		if f.Holds == HoldsReset {
			x.Names.Reset = f.Name
		}
		for j, group := range groups {
			if group != "" && match[j] != "" {
				r.readPart(f, Holds(group), match[j], &x)
			}
		}
		if isSame := x.Name == "" || e.Name == "" || e.Name == x.Name; isSame && agree(e.Window, x.Window, 0) {
			x.Name, x.Window = cmp.Or(e.Name, x.Name), max(e.Window, x.Window)
			*e = x
		}
	}
	return rows
}

// longestListed is the most bytes of a value that is read by a Pattern.
const longestListed = 16 << 10

// matches returns the matches of the Field's Pattern, each with the texts of its groups, and the names of the groups.
// Without a Pattern the lines are groups of one match.
func (r *reader) matches(f *Field) (all [][]string, groups []string) {
	lines := r.resp.Header.Values(f.Name)
	value := strings.Join(lines, ", ")
	switch {
	case value == "":
		return nil, nil
	case f.Pattern == "":
		lines = lines[:min(len(lines), parse.MaxLines)]
		return [][]string{lines}, slices.Repeat([]string{string(f.Holds)}, len(lines))
	case len(value) > longestListed:
		r.unreadable(f, parse.ErrTooLong)
		return nil, nil
	}
	if all = f.pattern.FindAllStringSubmatch(value, MaxLimits+1); len(all) == 0 {
		r.unreadable(f, parse.ErrSyntax)
	}
	return all, f.pattern.SubexpNames()
}

// readPart adds to row what a value holds. The Field says what its numbers are, so that they are not doubted.
func (r *reader) readPart(f *Field, holds Holds, value string, row *parse.Row) {
	var err error
	switch {
	case holds == HoldsNothing:
	case value[0] == '-' && holds != HoldsReset && holds != HoldsName:
		r.problem(f.Name, Placeholder)
	case holds == HoldsPercent:
		if err = row.Read("used", strings.TrimSuffix(value, "%"), 0); err == nil {
			row.Limit, row.Unit = 100, "percent"
		}
	case holds == HoldsPenalty:
		penalty := parse.NewRow()
		if err = penalty.Read("reset", value, 0); penalty.Reset.After > 0 {
			row.Used, row.Remaining, row.HasRemaining, row.ResetAfter = Unknown, 0, true, penalty.Reset
		}
	default:
		err = row.Read(string(holds), value, f.TimeUnit)
	}
	row.Reset.Bare, row.IsPeriod = false, false
	if err != nil {
		r.unreadable(f, err)
	}
}

// unreadable lists the value of the Field as a Problem.
func (r *reader) unreadable(f *Field, why error) {
	r.malformed([]*parse.Error{{Field: f.Name, Offset: -1, Err: why}})
}

// document sets the parts of a limit that the Field documents and that are not known.
func (f *Field) document(unit *limits.Unit, quota *int64, window *time.Duration) {
	*unit = cmp.Or(f.Unit, *unit)
	if *quota == Unknown && f.Quota > 0 {
		*quota = f.Quota
	}
	if *window == Unknown && f.Window > 0 {
		*window = f.Window
	}
}

// complement adds what the profile documents to a limit that headway has read by itself.
func (r *reader) complement(from *parse.Row, l *limits.Reported) {
	for i := range r.profile.Fields {
		f, names := &r.profile.Fields[i], from.Names
		if f.Holds == "" && (f.covers(names.Limit) || f.covers(names.Remaining) || f.covers(names.Reset)) {
			f.document(&l.Unit, &l.Quota, &l.Window)
		}
	}
}

// addSilent adds the limits that the profile documents, if the response reports none.
func (r *reader) addSilent() {
	var all []limits.Reported
	for _, x := range r.profile.Limits {
		if len(r.Limits) == 0 && x.Quota > 0 && x.Window > 0 {
			policy := cmp.Or(x.Policy, x.Window.String())
			l := limits.Reported{Policy: policy, Unit: x.Unit, Quota: x.Quota, Remaining: Unknown, Window: x.Window, Reset: Unknown}
			r.align(&l)
			all = append(all, l)
		}
	}
	r.addAll("Profile.Limits", all)
}
