package validate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// longestListed is the most bytes of a value that is read by a Pattern.
const longestListed = 16 << 10

// compiled returns the profiles with compiled patterns, so that they are not compiled for each response.
func compiled(profiles []Profile) []Profile {
	profiles = slices.Clone(profiles)
	for i := range profiles {
		fields := slices.Clone(profiles[i].Fields)
		for j := range fields {
			fields[j].pattern, _ = fields[j].compile() // of a malformed one nothing is read
		}
		profiles[i].Fields = fields
	}
	return profiles
}

// compile returns the compiled Pattern; nil if there is none.
func (f *Field) compile() (*regexp.Regexp, error) {
	if f.pattern != nil || f.Pattern == "" {
		return f.pattern, nil
	}
	pattern, err := regexp.Compile(f.Pattern)
	if err != nil {
		return nil, err
	}
	groups := slices.DeleteFunc(slices.Clone(pattern.SubexpNames()), func(group string) bool { return group == "" })
	isUnknown := func(group string) bool {
		return !slices.Contains([]Holds{HoldsLimit, HoldsRemaining, HoldsUsed, HoldsReset, holdsWindow, holdsPenalty, holdsName}, Holds(group))
	}
	if len(groups) == 0 || slices.ContainsFunc(groups, isUnknown) || f.Holds != "" {
		return nil, fmt.Errorf("a pattern must have named groups, and no holds; it has %q", groups)
	}
	return pattern, nil
}

// values returns the limits that the Field lists. A Field without a Pattern has one.
func (r *reader) values(f *Field) (all []described) {
	matches, groups := r.matches(f)
	for _, match := range matches {
		x := described{used: Unknown, penalty: Unknown, Reported: limits.Reported{
			Unit: parse.Requests, Quota: Unknown, Remaining: Unknown, Window: Unknown, Reset: Unknown,
		}}
		for i, group := range groups {
			if value := strings.TrimSpace(match[i]); group != "" && value != "" {
				r.part(f, Holds(group), value, &x)
			}
		}
		all = append(all, x)
	}
	return all
}

// matches returns the matches of the Field's Pattern, each with the texts of its groups, and the names of the groups.
func (r *reader) matches(f *Field) (all [][]string, groups []string) {
	if f.Pattern == "" {
		return [][]string{{r.resp.Header.Get(f.Name)}}, []string{string(f.Holds)}
	}
	pattern, err := f.compile()
	value := strings.Join(r.resp.Header.Values(f.Name), ", ")
	switch {
	case err != nil || value == "":
		return nil, nil
	case len(value) > longestListed:
		r.unreadable(f, parse.ErrTooLong)
		return nil, nil
	}
	all = pattern.FindAllStringSubmatch(value, MaxLimits+1)
	switch {
	case len(all) == 0:
		r.unreadable(f, parse.ErrSyntax)
	case len(all) > MaxLimits: // describedLimits leaves out what is too much
		r.problem(f.Name, Crowded)
	}
	return all, pattern.SubexpNames()
}

// length returns a length of time: of a number of seconds, a duration such as 60s, or one unit such as m or minute. It is
// Unknown if the length is 0 or nothing of these.
func (r *reader) length(f *Field, value string) time.Duration {
	text := value
	switch strings.ToLower(value) {
	case "s", "sec", "second", "m", "min", "minute", "h", "hour", "d", "day":
		text = "1" + strings.ToLower(value[:1])
	}
	when, err := parse.Time(text)
	if err != nil || when.Form != parse.Delay {
		r.unreadable(f, parse.ErrTime)
		return Unknown
	}
	return positive(when.After)
}
