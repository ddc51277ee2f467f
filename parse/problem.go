package parse

import (
	"encoding/json"
	"strings"
)

// Budgets for the body of a problem. One that exceeds any of them names nothing.
const (
	MaxProblemLength = 64 << 10 // bytes of the body
	MaxViolated      = 16       // policies that it names
	MaxViolatedName  = 256      // bytes of each name
)

const problemJSON = "application/problem+json"

// IsProblem reports whether a Content-Type says that the body is a problem in
// JSON (RFC 9457 §3), for [ViolatedPolicies] to read. Upper and lower case are the same
// (RFC 9110 §8.3.1); parameters are ignored, be they malformed, as they have no meaning for
// this type. It allocates nothing and may be called concurrently.
func IsProblem(contentType string) bool {
	mediaType, _, _ := strings.Cut(contentType, ";")
	mediaType = strings.Trim(mediaType, " \t")
	// EqualFold alone takes letters for equal that are no ASCII.
	return len(mediaType) == len(problemJSON) && strings.EqualFold(mediaType, problemJSON)
}

// ViolatedPolicies reads which policies a throttled response is about: the names
// in the member "violated-policies" of its body, an array of strings at the top
// level of a problem in JSON (draft-ietf-httpapi-ratelimit-headers-10 §5). All
// types of problems may have that member. The order is the body's, repetitions and
// the empty name are kept; of several such members the last counts.
//
// Whoever is told some of the names only would take the other policies for not
// violated. So the result is nil unless all of them can be had: if there is no such
// member or no name in it, if anything else than strings is in it, if the body is
// cut off or malformed, and if it exceeds [MaxProblemLength], [MaxViolated] or
// [MaxViolatedName].
//
// It never panics, takes time linear in the length of the body, which it does not
// keep, and may be called concurrently.
func ViolatedPolicies(body []byte) []string {
	if len(body) > MaxProblemLength {
		return nil
	}
	var members map[string]json.RawMessage // a struct would match names in any case
	if json.Unmarshal(body, &members) != nil {
		return nil
	}
	var violated []*string // pointers tell null from ""
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
