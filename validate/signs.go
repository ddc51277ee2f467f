package validate

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// Budgets for the body of a refusal.
const (
	MaxBody         = 64 << 10 // bytes, of which a JSON text must not have more
	maxViolated     = 16       // policies in violated-policies
	maxViolatedName = 256      // bytes of each name
)

// A Sign is a field, or what stands in the body, that shows what a refusal means. It counts if its Field or Member has one
// of its Values, and if the body has its Text.
type Sign struct {
	// Statuses has the status codes with which the sign shows that a response is a refusal. Codes below 400 are ignored.
	// nil means that the sign counts on refusals alone, whatever their status.
	Statuses []int `json:"statuses,omitempty"`

	// Field is the name of a header field.
	Field string `json:"field,omitempty"`

	// Member is the path to a member of a JSON body: the names of members, joined by dots. The path leads through all
	// elements of arrays. "" means that only Field and Text count.
	Member string `json:"member,omitempty"`

	// Values are patterns: "*" stands for any characters, also for none. A number or true is compared as it is spelled. nil
	// means any value.
	Values []string `json:"values,omitempty"`

	// Text is in the beginning of the body, whatever the body's type, compared byte by byte. Choose a text that an error
	// does not quote from the request.
	Text string `json:"text,omitempty"`

	// Verdict is what the sign shows: VerdictWait, that waiting helps; VerdictNever, that it does not; any other value, such as
	// zero, a refusal and no more. A Field with VerdictNever does not count beside a wait above 0.
	Verdict Verdict `json:"verdict,omitempty"`

	// TimeUnit is above 0 if the value says how long to wait, or until when. It is the unit of a number. 0 and less mean
	// that the value is not a time.
	TimeUnit time.Duration `json:"time-unit,omitzero"`

	// Source says where the service documents this, such as a URL. It has no effect.
	Source string `json:"source,omitempty"`

	isGeneral bool // of all hosts
}

// needsBody reports whether the sign looks at the body.
func (s *Sign) needsBody() bool { return s.Member != "" || s.Text != "" }

// accepts reports whether a value is one of the sign's.
func (s *Sign) accepts(value string) bool {
	return s.Values == nil || slices.ContainsFunc(s.Values, func(pattern string) bool { return matches(pattern, value) })
}

// matches reports whether the pattern stands for the value.
func matches(pattern, value string) bool {
	before, pattern, hasStar := strings.Cut(pattern, "*")
	rest, ok := strings.CutPrefix(value, before)
	for ok && hasStar {
		if before, pattern, hasStar = strings.Cut(pattern, "*"); !hasStar {
			return strings.HasSuffix(rest, before)
		}
		_, rest, ok = strings.Cut(rest, before)
	}
	return ok && rest == ""
}

// signs yields the signs that may count for the response: those of the host, and those of all hosts.
func (r *reader) signs(yield func(*Sign) bool) {
	status := r.resp.StatusCode
	for i := range r.profile.Signs {
		s := &r.profile.Signs[i]
		isProof := status >= http.StatusBadRequest && slices.Contains(s.Statuses, status)
		if (isProof || s.Statuses == nil && r.isRefused) && !yield(s) {
			return
		}
	}
	for i := 0; r.isRefused && i < len(everywhere()); i++ {
		if !yield(&everywhere()[i]) {
			return
		}
	}
}

// readSigns applies the signs in the header. It notes whether the body may have more.
func (r *reader) readSigns() {
	r.minWait, r.cause = min(r.profile.MinWait, r.bounds.MaxReset), r.name(r.profile.PolicyField)
	isJSON := strings.Contains(strings.ToLower(r.resp.Header.Get("Content-Type")), "json")
	for s := range r.signs {
		switch {
		case !s.needsBody():
			r.apply(s, s.Field, r.resp.Header.Values(s.Field))
		case isJSON || s.Member == "":
			r.WantsBody = true
			r.isRefused = r.isRefused || exhausted(r.Limits)
		}
	}
	if r.WantsBody {
		later := *r
		later.fields = nil // others reuse their memory
		r.pending = &later
	}
}

// ReadBody reads the signs in the body of a response that WantsBody, and the policies that a JSON problem says are violated:
// the member violated-policies (draft-ietf-httpapi-ratelimit-headers-10 §5), if it has 16 names at most, and nothing else.
// Their names are as [limits.ShortName] returns them. body is its beginning; a JSON text that is cut off, malformed or longer
// than MaxBody has no members. ReadBody does nothing for other responses. It must not be called concurrently.
func (r *Reading) ReadBody(body []byte) {
	if r.pending == nil {
		return
	}
	x := *r.pending
	x.Reading, r.pending, r.WantsBody = r, nil, false
	document := decode(body)
	wasRefused := x.isRefused
	for s := range x.signs {
		switch {
		case !s.needsBody() && !wasRefused: // only now that the body has shown a refusal
			x.apply(s, s.Field, x.resp.Header.Values(s.Field))
		case !s.needsBody() || !bytes.Contains(body, []byte(s.Text)):
		case s.Member == "":
			x.apply(s, "body", []string{s.Text})
		default:
			x.apply(s, s.Member, members(document, s.Member))
		}
	}
	if names := violated(document); len(names) > 0 {
		x.Violated = names
	}
	x.judge()
}

// apply applies a sign to the values of a field or a member.
func (r *reader) apply(s *Sign, name string, values []string) {
	for _, value := range values {
		switch wait := r.waitIn(s, name, value); {
		case !s.accepts(value), s.TimeUnit > 0 && wait == Unknown:
		case s.Verdict != VerdictNever:
			r.isRefused, r.helps, r.helpsHere = true, r.helps || s.Verdict == VerdictWait, r.helpsHere || !s.isGeneral
			r.RetryAfter = max(r.RetryAfter, wait)
			if !r.isFinal {
				r.Sign = name
			}
		case s.isGeneral && r.helpsHere:
		case s.needsBody() || r.RetryAfter <= 0:
			r.isRefused, r.isFinal, r.Sign = true, true, name
		}
	}
}

// waitIn returns the time to wait that a value of a sign says; Unknown if it is not a time.
func (r *reader) waitIn(s *Sign, name, value string) time.Duration {
	row := parse.Row{}
	if s.TimeUnit <= 0 || row.Read("reset", value, s.TimeUnit) != nil {
		return Unknown
	}
	wait := r.delay(name, &row.ResetAfter)
	if clamp(&wait, r.bounds.MaxReset) {
		r.problem(name, TooLong)
	}
	return wait
}

// decode returns the JSON text in a body; nil if there is none, or not all of it.
func decode(body []byte) (document any) {
	if len(body) > MaxBody {
		return nil
	}
	in := json.NewDecoder(bytes.NewReader(body))
	in.UseNumber()
	if in.Decode(&document) != nil || in.More() {
		return nil
	}
	return document
}

// members returns the strings, numbers and truth values at a path, which leads through all elements of arrays.
func members(value any, path string) (all []string) {
	switch v := value.(type) {
	case []any:
		for _, element := range v {
			all = append(all, members(element, path)...)
		}
	case map[string]any:
		if name, rest, _ := strings.Cut(path, "."); path != "" {
			all = members(v[name], rest)
		}
	case string, json.Number, bool:
		if path == "" {
			all = append(all, fmt.Sprint(v))
		}
	}
	return all
}

// violated returns the violated policies of a JSON problem: all names or none, as a caller would take missing policies as not
// violated.
func violated(document any) (names []string) {
	problem, _ := document.(map[string]any)
	all, _ := problem["violated-policies"].([]any)
	if len(all) > maxViolated {
		return nil
	}
	for _, one := range all {
		name, isName := one.(string)
		if !isName || len(name) > maxViolatedName {
			return nil
		}
		names = append(names, limits.ShortName(name))
	}
	return names
}
