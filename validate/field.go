package validate

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/headway-go/headway/limits"
)

// A Field says what one header field of a service reports. The values of its own that the service sends
// take precedence over what is documented here.
type Field struct {
	// Name is the name of the header field, without regard to case. If the field has several lines, the strictest counts.
	// A Name that ends in "*" is a prefix: each field that begins so is a limit of its own, and the rest of its name
	// is the limit's, behind Policy. A Field with the whole name takes precedence.
	Name string `json:"name"`

	// Holds says what the value is. "" means that headway reads the field by itself: then only Unit,
	// Quota and Window of this Field are used, for the limits of which the field reports a part.
	Holds Holds `json:"holds,omitempty"`

	// Pattern is a regular expression of package regexp, for a value with several numbers or limits. Holds is then "".
	// Each match in the lines of the field, joined by ", ", is a limit. Each named group has the name of what it Holds:
	// (?<used>\d+)/(?<limit>\d+) reads 39/40.
	//
	// A limit with a quota and a window and without a name is named after them: "app 20;w=1". If X-Rate-Limit-Policy
	// names a policy, that name comes first. If several Fields of one Policy have Patterns, their first matches are
	// one limit, the second ones another, and so on. Matches with different windows or names are not joined.
	//
	// The first MaxLimits matches count, and a value of more than 16 KiB is not read. A Field whose Pattern is malformed, or
	// has groups of other names, reads nothing; [ReadProfiles] returns an error for it.
	Pattern string `json:"pattern,omitempty"`

	// Policy is the name of the limit. "" means the Name in lower case. Fields of one Policy are one limit.
	Policy string `json:"policy,omitempty"`

	// Unit is what the quota counts. "" means percent if Holds is HoldsPercent, the unit that headway reads if Holds and
	// Pattern are "", else requests. In a
	// unit other than requests, headway learns what a request costs.
	Unit limits.Unit `json:"unit,omitempty"`

	// Quota is the documented quota, used if the service does not send it. 0 and less mean that it is
	// not known. With HoldsPercent the quota is 100.
	Quota int64 `json:"quota,omitempty"`

	// Window is the documented length of the window. 0 and less mean that it is not known. If
	// Profile.Aligned is set and the service sends no reset, the window ends at a multiple of its length.
	Window time.Duration `json:"window,omitzero"`

	// TimeUnit is the unit of a number with HoldsReset. 0 and less mean seconds; a reset is then read as that of a -Reset
	// field, so that it may be an epoch, a date or a duration as well.
	TimeUnit time.Duration `json:"time-unit,omitzero"`

	pattern *regexp.Regexp // the Pattern, compiled
}

// covers reports whether the Field has that name, or its prefix.
func (f *Field) covers(name string) bool {
	prefix, isPrefix := strings.CutSuffix(f.Name, "*")
	if isPrefix {
		return len(name) > len(prefix) && strings.EqualFold(name[:len(prefix)], prefix)
	}
	return strings.EqualFold(name, f.Name)
}

func (f *Field) policy() string {
	if f.Policy == "" {
		return strings.ToLower(f.Name)
	}
	return f.Policy
}

// compiled returns the profile with compiled Patterns. Fields that are malformed hold nothing.
func (p *Profile) compiled() *Profile {
	if len(p.Fields) == 0 {
		return p
	}
	c := *p
	c.Fields = slices.Clone(p.Fields)
	for i := range c.Fields {
		if f := &c.Fields[i]; f.compile() != nil {
			*f = Field{Name: f.Name, Holds: HoldsNothing}
		}
	}
	return &c
}

// compile compiles the Pattern. The error says what is wrong with it, or with Holds.
func (f *Field) compile() (err error) {
	parts := []string{string(f.Holds)}
	if f.pattern == nil && f.Pattern != "" {
		if f.pattern, err = regexp.Compile(f.Pattern); err != nil {
			return err
		}
		if parts = f.pattern.SubexpNames(); f.Holds != "" || strings.Join(parts, "") == "" {
			return fmt.Errorf("a pattern must have named groups, and no holds; it has %q", parts)
		}
	}
	known := []Holds{
		"", HoldsLimit, HoldsRemaining, HoldsUsed, HoldsPercent, HoldsReset, HoldsWindow, HoldsPenalty, HoldsName, HoldsNothing,
	}
	for _, part := range parts {
		if !slices.Contains(known, Holds(part)) {
			return fmt.Errorf("%q is nothing that a field holds", part)
		}
	}
	return nil
}

// Holds says what the value of a [Field] is, or a group of its Pattern.
type Holds string

// What a field may hold.
const (
	HoldsLimit     Holds = "limit"     // the quota
	HoldsRemaining Holds = "remaining" // what is left of it
	HoldsUsed      Holds = "used"      // what is used of it
	HoldsPercent   Holds = "percent"   // what is used of it, in percent
	HoldsReset     Holds = "reset"     // the time until the window ends, or the point in time since 1970
	HoldsWindow    Holds = "window"    // the length of the window: seconds, a duration such as 60s, or a unit such as m or minute
	HoldsPenalty   Holds = "penalty"   // the time for which nothing remains; 0 means no penalty
	HoldsName      Holds = "name"      // the limit's name, behind Policy
	HoldsNothing   Holds = "nothing"   // nothing to rely on: headway does not read the field, even if it knows its name
)
