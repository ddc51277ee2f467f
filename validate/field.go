package validate

import (
	"slices"
	"time"

	"github.com/headway-go/headway/limits"
)

// A Field says what one header field of a service reports. The values of its own that the service sends
// take precedence over what is documented here.
type Field struct {
	// Name is the name of the header field, without regard to case. If the field has several lines, the first one counts.
	Name string `json:"name"`

	// Holds says what the value is. "" means that headway reads the field by itself: then only Unit,
	// Quota and Window of this Field are used, for the limits of which the field reports a part.
	Holds Holds `json:"holds,omitempty"`

	// Policy is the name of the limit. "" means the Name in lower case. Fields of one Policy are one limit.
	Policy string `json:"policy,omitempty"`

	// Unit is what the quota counts. "" means requests, or percent if Holds is HoldsPercent. In a
	// unit other than requests, headway learns what a request costs.
	Unit limits.Unit `json:"unit,omitempty"`

	// Quota is the documented quota, used if the service does not send it. 0 and less mean that it is
	// not known. With HoldsPercent the quota is 100.
	Quota int64 `json:"quota,omitempty"`

	// Window is the documented length of the window. 0 and less mean that it is not known. If
	// Profile.Aligned is set and the service sends no reset, the window ends at a multiple of its length.
	Window time.Duration `json:"window"`

	// TimeUnit is the unit of a number with HoldsReset. 0 and less mean seconds; a reset is then read as
	// [parse.Time] reads one, so that it may be an epoch, a date or a duration as well.
	TimeUnit time.Duration `json:"time-unit"`
}

// Holds says what the number in a [Field] is.
type Holds string

// What a field may hold.
const (
	HoldsLimit     Holds = "limit"     // the quota
	HoldsRemaining Holds = "remaining" // what is left of it
	HoldsUsed      Holds = "used"      // what is used of it
	HoldsPercent   Holds = "percent"   // what is used of it, in percent
	HoldsReset     Holds = "reset"     // the time until the window ends, or the point in time since 1970
	HoldsNothing   Holds = "nothing"   // nothing to rely on: headway does not read the field, even if it knows its name
)

func (h Holds) isKnown() bool {
	return slices.Contains([]Holds{"", HoldsLimit, HoldsRemaining, HoldsUsed, HoldsPercent, HoldsReset, HoldsNothing}, h)
}
