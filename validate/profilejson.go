package validate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"
)

// ReadProfiles reads a list of Profiles in JSON, or a single one. Keys are the names of the fields of [Profile], [Field],
// [Limit] and [Proof] in lower case, with hyphens: reset-unit, policy-field. Durations are such as "1m" or "500ms". host
// is required, and so are the name of a field, the status and text of a proof, and the quota and window of a limit:
//
//	[{"host": "api.example.com", "statuses": [402], "fields": [
//		{"name": "X-Used-1M", "holds": "used", "quota": 6000, "window": "1m", "unit": "weight"}
//	]}]
//
// A key that is not known is an error, and so are a status below 400 and a negative number. The error names the profile
// and what is wrong with it.
func ReadProfiles(text []byte) ([]Profile, error) {
	var texts []json.RawMessage
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		texts = append(texts, text)
	} else if err := json.Unmarshal(text, &texts); err != nil {
		return nil, fmt.Errorf("validate: profiles: %w", err)
	}
	all := make([]Profile, len(texts))
	for i := range all {
		if err := json.Unmarshal(texts[i], &all[i]); err != nil {
			return nil, fmt.Errorf("validate: profiles[%d]: %w", i, err)
		}
	}
	return all, nil
}

// These types are as JSON has them. Their durations are texts, and hide those of the types in them.
type (
	plainProfile Profile // has no methods
	profileText  struct {
		plainProfile
		ResetUnit duration    `json:"reset-unit,omitzero"`
		Windows   []duration  `json:"windows,omitempty"`
		MinWait   duration    `json:"min-wait,omitzero"`
		Fields    []fieldText `json:"fields,omitempty"`
		Limits    []limitText `json:"limits,omitempty"`
	}
	fieldText struct {
		Field
		Window   duration `json:"window,omitzero"`
		TimeUnit duration `json:"time-unit,omitzero"`
	}
	limitText struct {
		Limit
		Window duration `json:"window"`
	}
)

// UnmarshalJSON reads a Profile as [ReadProfiles] does.
func (p *Profile) UnmarshalJSON(text []byte) error {
	var read profileText
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	err := in.Decode(&read)
	whole := Profile(read.plainProfile)
	whole.ResetUnit, whole.MinWait = time.Duration(read.ResetUnit), time.Duration(read.MinWait)
	for _, w := range read.Windows {
		whole.Windows = append(whole.Windows, time.Duration(w))
	}
	for _, f := range read.Fields {
		f.Field.Window, f.Field.TimeUnit = time.Duration(f.Window), time.Duration(f.TimeUnit)
		whole.Fields = append(whole.Fields, f.Field)
	}
	for _, l := range read.Limits {
		l.Limit.Window = time.Duration(l.Window)
		whole.Limits = append(whole.Limits, l.Limit)
	}
	if err == nil {
		err = whole.check()
	}
	if err != nil {
		return fmt.Errorf("host %q: %w", read.Host, err)
	}
	*p = whole
	return nil
}

// MarshalJSON writes a Profile as [ReadProfiles] reads it, without what is zero.
func (p Profile) MarshalJSON() ([]byte, error) {
	text := profileText{plainProfile: plainProfile(p), ResetUnit: duration(p.ResetUnit), MinWait: duration(p.MinWait)}
	for _, w := range p.Windows {
		text.Windows = append(text.Windows, duration(w))
	}
	for _, f := range p.Fields {
		f.Quota = max(f.Quota, 0)
		text.Fields = append(text.Fields, fieldText{f, duration(f.Window), duration(f.TimeUnit)})
	}
	for _, l := range p.Limits {
		text.Limits = append(text.Limits, limitText{l, duration(l.Window)})
	}
	return json.Marshal(text)
}

// check returns what is wrong with a Profile from JSON, but for what encoding/json has checked.
func (p *Profile) check() error {
	isNoError := func(status int) bool { return status < http.StatusBadRequest || status > 999 }
	switch {
	case p.Host == "":
		return errors.New("it is required")
	case slices.ContainsFunc(p.Statuses, isNoError):
		return errors.New("statuses must be from 400 to 999")
	case slices.ContainsFunc(p.Proofs, func(x Proof) bool { return isNoError(x.Status) || x.Text == "" }):
		return errors.New("proofs must have a status from 400 to 999, and a text")
	case slices.ContainsFunc(p.Limits, func(l Limit) bool { return l.Quota <= 0 || l.Window <= 0 }):
		return errors.New("limits must have a quota and a window above 0")
	}
	for _, f := range p.Fields {
		if f.Name == "" || f.Quota < 0 {
			return fmt.Errorf("field %q: the name or the quota %d is wrong", f.Name, f.Quota)
		}
		if err := f.compile(); err != nil {
			return fmt.Errorf("field %q: %w", f.Name, err)
		}
	}
	return nil
}

// A duration is a text in JSON, such as "1m". One below 0 is written as 0.
type duration time.Duration

// IsZero reports whether the duration is not set.
func (d duration) IsZero() bool { return d <= 0 }

// MarshalText writes a duration as UnmarshalText reads it.
func (d duration) MarshalText() ([]byte, error) {
	return []byte(time.Duration(max(d, 0)).String()), nil
}

// UnmarshalText reads a duration. The error has the text.
func (d *duration) UnmarshalText(text []byte) error {
	read, err := time.ParseDuration(string(text))
	if err == nil && read < 0 {
		err = fmt.Errorf("negative duration %q", text)
	}
	*d = duration(read)
	return err
}
