package validate

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"time"
)

// ReadProfiles reads a list of Profiles in JSON, or a single one. Keys are the names of the fields of [Profile], [Field],
// [Limit] and [Sign] in lower case, with hyphens: reset-unit, policy-field. Durations are such as "1m" or "500ms". host
// is required, and so are the name of a field, and the quota and window of a limit:
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

// UnmarshalJSON reads a Profile as [ReadProfiles] does.
func (p *Profile) UnmarshalJSON(text []byte) error {
	read, whole := reflect.New(inJSON(reflect.TypeFor[Profile]())), Profile{}
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	err := in.Decode(read.Interface())
	convert(reflect.ValueOf(&whole).Elem(), read.Elem())
	if err == nil {
		err = whole.check()
	}
	if err != nil {
		return fmt.Errorf("host %q: %w", whole.Host, err)
	}
	*p = whole
	return nil
}

// MarshalJSON writes a Profile as [ReadProfiles] reads it, without what is zero.
func (p Profile) MarshalJSON() ([]byte, error) {
	text := reflect.New(inJSON(reflect.TypeFor[Profile]()))
	convert(text.Elem(), reflect.ValueOf(p))
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false) // the caller's encoder does, if it shall
	err := e.Encode(text.Interface())
	return out.Bytes(), err
}

// inJSON returns the type whose JSON is that of t, but for durations, which are texts.
func inJSON(t reflect.Type) reflect.Type {
	switch {
	case t == reflect.TypeFor[time.Duration]():
		return reflect.TypeFor[duration]()
	case t.Kind() == reflect.Slice:
		return reflect.SliceOf(inJSON(t.Elem()))
	case t.Kind() == reflect.Struct:
		fields := slices.DeleteFunc(reflect.VisibleFields(t), func(f reflect.StructField) bool { return !f.IsExported() })
		for i := range fields {
			fields[i].Type = inJSON(fields[i].Type)
		}
		return reflect.StructOf(fields)
	}
	return t
}

// convert sets to from a value of which it is the type in JSON, or the other way round.
func convert(to, from reflect.Value) {
	switch to.Kind() {
	case reflect.Slice:
		if !from.IsNil() {
			to.Set(reflect.MakeSlice(to.Type(), from.Len(), from.Len()))
		}
		for i := range from.Len() {
			convert(to.Index(i), from.Index(i))
		}
	case reflect.Struct:
		for i := range min(to.NumField(), from.NumField()) { // without what is not exported, which stands last
			convert(to.Field(i), from.Field(i))
		}
	default:
		to.Set(from.Convert(to.Type()))
	}
}

// check returns what is wrong with a Profile from JSON, but for what encoding/json has checked.
func (p *Profile) check() error {
	isNoError := func(status int) bool { return status < http.StatusBadRequest || status > 999 }
	switch {
	case p.Host == "":
		return errors.New("it is required")
	case slices.ContainsFunc(p.Statuses, isNoError):
		return errors.New("statuses must be from 400 to 999")
	case slices.ContainsFunc(p.Signs, func(s Sign) bool { return slices.ContainsFunc(s.Statuses, isNoError) }):
		return errors.New("signs must have statuses from 400 to 999")
	case slices.ContainsFunc(p.Signs, func(s Sign) bool { return s.Field == "" && !s.needsBody() }):
		return errors.New("signs must have a field, a member or a text")
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
