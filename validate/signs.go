package validate

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
)

// Budgets for the body of a refusal.
const (
	MaxBody         = 64 << 10 // bytes, of which a JSON text must not have more
	maxValues       = 100      // values that one sign reads
	maxViolated     = 16       // policies in violated-policies
	maxViolatedName = 256      // bytes of each name
)

// A Sign is a field, or what stands in the body, that shows what a refusal means. It counts if its Field or Member has one
// of its Values, and if the body has its Text.
type Sign struct {
	// Statuses has the status codes with which the sign shows that a response is a refusal. Codes below 400 are ignored.
	// None means that the sign counts on refusals alone, whatever their status.
	Statuses []int `json:"statuses,omitempty"`

	// Field is the name of a header field. It does not count beside a Member.
	Field string `json:"field,omitempty"`

	// Member is the path to a member of a JSON body: the names of members, joined by dots. The path leads through all
	// elements of arrays. "" means that only Field and Text count.
	Member string `json:"member,omitempty"`

	// Values are patterns: "*" stands for any characters, also for none. A number or true is compared as it is spelled. No
	// pattern means any value.
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

// name says where the sign stands, as in Reading.Sign.
func (s *Sign) name() string { return cmp.Or(s.Member, s.Field, "body") }

// accepts reports whether a value is one of the sign's.
func (s *Sign) accepts(value string) bool {
	return len(s.Values) == 0 || slices.ContainsFunc(s.Values, func(pattern string) bool { return matches(pattern, value) })
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

// signs yields the signs that may count for the response, an error: those of the host, and those of all hosts.
func (r *reader) signs(yield func(*Sign) bool) {
	for i := range r.profile.Signs {
		s := &r.profile.Signs[i]
		if (slices.Contains(s.Statuses, r.resp.StatusCode) || len(s.Statuses) == 0 && r.isRefused) && !yield(s) {
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
			r.apply(s, nil)
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
		if (s.needsBody() || !wasRefused) && bytes.Contains(body, []byte(s.Text)) { // the others have counted
			x.apply(s, document)
		}
	}
	if names := violated(document); len(names) > 0 {
		x.Violated = names
	}
	x.judge()
}

// apply applies a sign to the values where it stands.
func (r *reader) apply(s *Sign, document any) {
	values := r.resp.Header.Values(s.Field)
	switch {
	case s.Member != "":
		values = members(nil, document, s.Member)
	case s.Field == "" && s.Text != "":
		values = []string{s.Text}
	}
	for _, value := range values[:min(len(values), maxValues)] {
		if wait := r.waitIn(s, value); s.accepts(value) && (s.TimeUnit <= 0 || wait != Unknown) {
			r.note(s, wait)
		}
	}
}

// note notes what a sign shows. That waiting does not help is left to judge, as it may not count beside what comes later.
func (r *reader) note(s *Sign, wait time.Duration) {
	r.isRefused = true
	if s.Verdict == VerdictNever {
		r.nevers = append(r.nevers, s)
		return
	}
	isWait := s.Verdict == VerdictWait
	r.helps, r.helpsHere = r.helps || isWait, r.helpsHere || isWait && !s.isGeneral
	r.RetryAfter, r.Sign = max(r.RetryAfter, wait), s.name()
}

// waitIn returns the time to wait that a value of a sign says; Unknown if it is not a time.
func (r *reader) waitIn(s *Sign, value string) time.Duration {
	row := parse.Row{}
	if s.TimeUnit <= 0 || row.Read("reset", value, s.TimeUnit) != nil {
		return Unknown
	}
	wait := r.delay(s.name(), &row.ResetAfter)
	r.problemIf(clamp(&wait, r.bounds.MaxReset), s.name(), TooLong)
	return wait
}

// decode returns the JSON text in a body; nil if there is none, or not all of it.
func decode(body []byte) (document any) {
	if len(body) > MaxBody || !json.Valid(body) {
		return nil
	}
	in := json.NewDecoder(bytes.NewReader(body))
	in.UseNumber()
	_ = in.Decode(&document) // it is valid
	return document
}

// members adds to all the strings, numbers and truth values at a path, which leads through all elements of arrays.
func members(all []string, value any, path string) []string {
	switch v := value.(type) {
	case []any:
		for _, element := range v {
			all = members(all, element, path)
		}
	case map[string]any:
		if name, rest, _ := strings.Cut(path, "."); path != "" {
			return members(all, v[name], rest)
		}
	case string, json.Number, bool:
		if path == "" {
			return append(all, fmt.Sprint(v))
		}
	}
	return all
}

// violated returns the violated policies of a JSON problem: all names or none, as a caller would take missing policies as not
// violated.
func violated(document any) (names []string) {
	problem, _ := document.(map[string]any)
	all, _ := problem["violated-policies"].([]any)
	for _, one := range all {
		name, isName := one.(string)
		if !isName || len(name) > maxViolatedName || len(all) > maxViolated {
			return nil
		}
		names = append(names, limits.ShortName(name))
	}
	return names
}
