package validate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"strings"
	"time"

	"github.com/headway-go/headway/limits"
)

// The reasons for which a Profile in JSON is refused. A *ProfileError wraps exactly one of these.
var (
	ErrProfileSyntax = errors.New("not a JSON object or list")
	ErrProfileKey    = errors.New("unknown key")
	ErrProfileTwice  = errors.New("key is there twice")
	ErrProfileValue  = errors.New("value of the wrong type, or out of range")
	ErrProfileLacks  = errors.New("a required key is missing")
)

// A ProfileError says what is wrong with a Profile in JSON. It has no part of a value.
type ProfileError struct {
	Key string // the key, with those around it, such as fields[0].window; "" if the whole is wrong
	Err error  // one of the ErrProfile values of this package
}

// Error returns the key and what is wrong with it. The text may change.
func (e *ProfileError) Error() string {
	if e.Key == "" {
		return "validate: profile: " + e.Err.Error()
	}
	return fmt.Sprintf("validate: profile: %q: %v", e.Key, e.Err)
}

// Unwrap returns e.Err.
func (e *ProfileError) Unwrap() error { return e.Err }

// ReadProfiles reads a list of Profiles in JSON, or a single one. Keys are the names of the fields of
// [Profile], [Field] and [Proof] in lower case, with hyphens: reset-unit, policy-field. Durations are such as
// "1m" or "500ms". host is required, and the name in fields:
//
//	[{"host": "api.example.com", "statuses": [402], "fields": [
//		{"name": "X-Used-1M", "holds": "used", "quota": 6000, "window": "1m", "unit": "weight"}
//	]}]
//
// Everything must be as expected, and no key may be there twice. The error is a *[ProfileError].
func ReadProfiles(text []byte) ([]Profile, error) {
	if trimmed := bytes.TrimLeft(text, " \t\r\n"); len(trimmed) > 0 && trimmed[0] == '{' {
		var one Profile
		if err := profileOf(&one)(text, ""); err != nil {
			return nil, err
		}
		return []Profile{one}, nil
	}
	all := []Profile{} // written as [], which can be read again
	if err := readList(&all, profileOf)(text, ""); err != nil {
		return nil, err
	}
	return all, nil
}

// UnmarshalJSON reads a Profile as [ReadProfiles] does. The error is a *[ProfileError].
func (p *Profile) UnmarshalJSON(text []byte) error {
	read := Profile{}
	if err := profileOf(&read)(text, ""); err != nil {
		return err
	}
	*p = read
	return nil
}

// MarshalJSON writes a Profile as [ReadProfiles] reads it, without what is zero.
func (p Profile) MarshalJSON() ([]byte, error) {
	type proof struct {
		Status int    `json:"status"`
		Text   string `json:"text"`
	}
	type field struct {
		Name     string      `json:"name"`
		Holds    Holds       `json:"holds,omitempty"`
		Policy   string      `json:"policy,omitempty"`
		Unit     limits.Unit `json:"unit,omitempty"`
		Quota    int64       `json:"quota,omitempty"`
		Window   string      `json:"window,omitempty"`
		TimeUnit string      `json:"time-unit,omitempty"`
		Members  []string    `json:"members,omitempty"`
		Wait     string      `json:"wait,omitempty"`
	}
	out := struct {
		Host        string   `json:"host"`
		Path        string   `json:"path,omitempty"`
		ResetUnit   string   `json:"reset-unit,omitempty"`
		Windows     []string `json:"windows,omitempty"`
		Aligned     bool     `json:"aligned,omitempty"`
		Statuses    []int    `json:"statuses,omitempty"`
		Proofs      []proof  `json:"proofs,omitempty"`
		MinWait     string   `json:"min-wait,omitempty"`
		PolicyField string   `json:"policy-field,omitempty"`
		Fields      []field  `json:"fields,omitempty"`
	}{
		Host: p.Host, Path: p.Path, ResetUnit: durationText(p.ResetUnit), Aligned: p.Aligned, Statuses: p.Statuses,
		MinWait: durationText(p.MinWait), PolicyField: p.PolicyField,
	}
	for _, w := range p.Windows {
		out.Windows = append(out.Windows, max(w, 0).String())
	}
	for _, x := range p.Proofs {
		out.Proofs = append(out.Proofs, proof(x))
	}
	for _, f := range p.Fields {
		out.Fields = append(out.Fields, field{
			f.Name, f.Holds, f.Policy, f.Unit, max(f.Quota, 0), durationText(f.Window), durationText(f.TimeUnit), f.Members, f.Wait,
		})
	}
	return json.Marshal(out)
}

// durationText returns a duration as it is read; "" if it is not set.
func durationText(d time.Duration) string {
	if d <= 0 {
		return ""
	}
	return d.String()
}

// A readValue reads one value of JSON. at is its key, with those around it.
type readValue func(text []byte, at string) error

// keys returns how the keys of a Profile are read.
func (p *Profile) keys() map[string]readValue {
	return map[string]readValue{
		"host":         readText(&p.Host),
		"path":         readText(&p.Path),
		"reset-unit":   readDuration(&p.ResetUnit),
		"windows":      readList(&p.Windows, readDuration),
		"aligned":      readJSON(&p.Aligned),
		"statuses":     readList(&p.Statuses, readStatus),
		"proofs":       readList(&p.Proofs, proofOf),
		"min-wait":     readDuration(&p.MinWait),
		"policy-field": readText(&p.PolicyField),
		"fields":       readList(&p.Fields, fieldOf),
	}
}

func profileOf(p *Profile) readValue {
	return func(text []byte, at string) error {
		err := readObject(text, at, p.keys())
		if err == nil && p.Host == "" {
			err = &ProfileError{below(at, "host"), ErrProfileLacks}
		}
		return err
	}
}

func proofOf(p *Proof) readValue {
	return func(text []byte, at string) error {
		return readObject(text, at, map[string]readValue{"status": readStatus(&p.Status), "text": readText(&p.Text)})
	}
}

func fieldOf(f *Field) readValue {
	return func(text []byte, at string) error {
		err := readObject(text, at, map[string]readValue{
			"name":      readText(&f.Name),
			"holds":     readText(&f.Holds),
			"policy":    readText(&f.Policy),
			"unit":      readText(&f.Unit),
			"quota":     readQuota(&f.Quota),
			"window":    readDuration(&f.Window),
			"time-unit": readDuration(&f.TimeUnit),
			"members":   readList(&f.Members, readText),
			"wait":      readText(&f.Wait),
		})
		switch {
		case err != nil:
			return err
		case f.Name == "":
			return &ProfileError{below(at, "name"), ErrProfileLacks}
		case !f.Holds.isKnown():
			return &ProfileError{below(at, "holds"), ErrProfileValue}
		}
		return nil
	}
}

// below returns the key of a member.
func below(at, key string) string {
	if at == "" {
		return key
	}
	return at + "." + key
}

// readObject reads an object whose keys are all in a table.
func readObject(text []byte, at string, keys map[string]readValue) error {
	in := json.NewDecoder(bytes.NewReader(text))
	if start, err := in.Token(); err != nil || start != json.Delim('{') {
		return wrong(text, at)
	}
	seen := make(map[string]bool)
	for in.More() {
		token, err := in.Token()
		key, ok := token.(string)
		if err != nil || !ok {
			return &ProfileError{at, ErrProfileSyntax}
		}
		var value json.RawMessage
		if in.Decode(&value) != nil {
			return &ProfileError{below(at, key), ErrProfileSyntax}
		}
		read := keys[key]
		switch {
		case read == nil:
			return &ProfileError{below(at, key), ErrProfileKey}
		case seen[key]:
			return &ProfileError{below(at, key), ErrProfileTwice}
		}
		seen[key] = true
		if err := read(value, below(at, key)); err != nil {
			return err
		}
	}
	return end(in, at)
}

// readList reads a list.
func readList[T any](list *[]T, of func(*T) readValue) readValue {
	return func(text []byte, at string) error {
		in := json.NewDecoder(bytes.NewReader(text))
		if start, err := in.Token(); err != nil || start != json.Delim('[') {
			return wrong(text, at)
		}
		for n := 0; in.More(); n++ {
			var value json.RawMessage
			here := fmt.Sprintf("%s[%d]", at, n)
			if in.Decode(&value) != nil {
				return &ProfileError{here, ErrProfileSyntax}
			}
			var one T
			if err := of(&one)(value, here); err != nil {
				return err
			}
			*list = append(*list, one)
		}
		return end(in, at)
	}
}

// end reads the end of an object or a list, after which nothing may follow.
func end(in *json.Decoder, at string) error {
	_, err := in.Token()
	if err == nil {
		if _, err = in.Token(); err == io.EOF {
			return nil
		}
	}
	return &ProfileError{at, ErrProfileSyntax}
}

// wrong is the error for a value that is not the expected object or list.
func wrong(text []byte, at string) error {
	if json.Valid(text) {
		return &ProfileError{at, ErrProfileValue}
	}
	return &ProfileError{at, ErrProfileSyntax}
}

// readJSON reads a value of a Go type. null is none.
func readJSON[T any](value *T) readValue {
	return func(text []byte, at string) error {
		if string(text) == "null" || json.Unmarshal(text, value) != nil {
			return &ProfileError{at, ErrProfileValue}
		}
		return nil
	}
}

// readText reads a text that is not empty and has no control characters.
func readText[T ~string](value *T) readValue {
	return func(text []byte, at string) error {
		err := readJSON(value)(text, at)
		if err == nil && (*value == "" || strings.ContainsFunc(string(*value), func(c rune) bool { return c < ' ' || c == 0x7f })) {
			return &ProfileError{at, ErrProfileValue}
		}
		return err
	}
}

func readDuration(d *time.Duration) readValue {
	return func(text []byte, at string) error {
		var s string
		if err := readJSON(&s)(text, at); err != nil {
			return err
		}
		var err error
		if *d, err = time.ParseDuration(s); err != nil || *d < 0 {
			return &ProfileError{at, ErrProfileValue}
		}
		return nil
	}
}

func readStatus(status *int) readValue { return readNumber(status, http.StatusBadRequest, 999) }

func readQuota(quota *int64) readValue { return readNumber(quota, 0, math.MaxInt64) }

func readNumber[T int | int64](number *T, least, most T) readValue {
	return func(text []byte, at string) error {
		if err := readJSON(number)(text, at); err != nil {
			return err
		}
		if *number < least || *number > most {
			return &ProfileError{at, ErrProfileValue}
		}
		return nil
	}
}
