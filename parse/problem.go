package parse

import (
	"encoding/json"
	"strings"
)

// Budgets for the body of a problem. ViolatedPolicies returns no names for a body that exceeds one.
const (
	MaxProblemLength = 64 << 10 // bytes of the body
	MaxViolated      = 16       // policies in violated-policies
	MaxViolatedName  = 256      // bytes of each name
)

const problemJSON = "application/problem+json"

// IsProblem reports whether a Content-Type is the one of a JSON problem (RFC 9457 §3), whose body
// [ViolatedPolicies] reads. Case does not matter (RFC 9110 §8.3.1). Parameters are ignored, malformed
// ones too, as this type defines none. IsProblem allocates nothing and may be called concurrently.
func IsProblem(contentType string) bool {
	mediaType, _, _ := strings.Cut(contentType, ";")
	mediaType = strings.Trim(mediaType, " \t")
	// The length check excludes letters outside of ASCII that EqualFold takes as equal.
	return len(mediaType) == len(problemJSON) && strings.EqualFold(mediaType, problemJSON)
}

// ViolatedPolicies returns the names of the policies that a request violated. It reads the member "violated-policies" of
// the body of a throttled response, an array of strings at the top level of a JSON problem
// (draft-ietf-httpapi-ratelimit-headers-10 §5). A problem of any type may have this member. The names are in the order
// of the body, with repetitions and empty names. If the member is repeated the last one counts.
//
// The result has either all names or none, as a caller would take missing policies as not violated. It is
// nil if the member is absent or empty, or has anything but strings. It is nil as well if the body is cut
// off or malformed, or exceeds [MaxProblemLength], [MaxViolated] or [MaxViolatedName].
//
// ViolatedPolicies never panics, does not keep body, and may be called concurrently. Its time is linear
// in the length of the body.
func ViolatedPolicies(body []byte) []string {
	if len(body) > MaxProblemLength {
		return nil
	}
	var members map[string]json.RawMessage // a struct would match member names in any case
	if json.Unmarshal(body, &members) != nil {
		return nil
	}
	var violated []*string // nil for null, which is not a name
	if json.Unmarshal(members["violated-policies"], &violated) != nil || len(violated) > MaxViolated {
		return nil
	}
	var names []string
	for _, name := range violated {
		if name == nil || len(*name) > MaxViolatedName {
			return nil
		}
		names = append(names, *name)
	}
	return names
}
