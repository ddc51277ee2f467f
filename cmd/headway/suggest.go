package main

import (
	"bytes"
	"encoding/json"
	"maps"
	"math"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/headway-go/headway/limits"
	"github.com/headway-go/headway/parse"
	"github.com/headway-go/headway/validate"
)

// mostSuggested bounds the fields of a suggested profile.
const mostSuggested = 8

// suggest returns a profile by which headway would read the fields that look like limits and are not read; nil
// if there are none.
func suggest(x *exchange, r *validate.Reading) *validate.Profile {
	p := &validate.Profile{Host: x.request.URL.Hostname()}
	if x.url == "" {
		p.Host = "api.example.com"
	}
	for _, name := range slices.Sorted(maps.Keys(x.header)) {
		if len(p.Fields) == mostSuggested {
			break
		}
		if !validName(name) || len(x.header[name]) == 0 || x.isRead(name, r) {
			continue
		}
		if f, ok := x.guess(name, strings.TrimSpace(x.header[name][0])); ok {
			p.Fields = append(p.Fields, f)
		}
	}
	if len(p.Fields) == 0 {
		return nil
	}
	return p
}

// isRead reports whether headway reads a field. A number of used units is not read without a quota.
func (x *exchange) isRead(name string, r *validate.Reading) bool {
	alone := x.alone(name)
	isKnown := len(parse.Find(http.Header{name: x.header[name]}, nil)) > 0
	hasQuota := slices.ContainsFunc(r.Limits, func(l limits.Reported) bool { return l.Quota != validate.Unknown })
	return !alone.IsSilent() || len(alone.Problems) > 0 || isKnown && hasQuota
}

// alone returns what headway reads from one field, by the caller's profiles too.
func (x *exchange) alone(name string, own ...validate.Profile) validate.Reading {
	header := http.Header{name: x.header[name], "Date": x.header["Date"]}
	return validate.Response(&http.Response{StatusCode: http.StatusOK, Header: header, Request: x.request}, x.at, validate.Bounds{}, own...)
}

// guess returns what a field may hold: one number by its name, several numbers by a pattern that reads them.
func (x *exchange) guess(name, value string) (f validate.Field, ok bool) {
	if f, ok = guess(name, value); ok || !regexp.MustCompile(`(?i)limit|quota|\brate|remaining|usage|throttl`).MatchString(name) {
		return f, ok
	}
	f = validate.Field{Name: name, Pattern: guessPattern(value)}
	read := x.alone(name, validate.Profile{Host: x.request.URL.Hostname(), Fields: []validate.Field{f}})
	return f, f.Pattern != "" && len(read.Limits) > 0 && len(read.Problems) == 0
}

// words says what a word in the name of a field may mean.
type words struct {
	holds   map[string]validate.Holds
	context []string // a name without one of these is hardly about a limit
	units   []string
}

func vocabulary() words {
	return words{
		holds: map[string]validate.Holds{
			"used": validate.HoldsUsed, "usage": validate.HoldsUsed, "consumed": validate.HoldsUsed, "spent": validate.HoldsUsed,
			"remaining": validate.HoldsRemaining, "left": validate.HoldsRemaining, "available": validate.HoldsRemaining,
			"reset": validate.HoldsReset, "resets": validate.HoldsReset,
			"percent": validate.HoldsPercent, "pct": validate.HoldsPercent,
		},
		context: []string{
			"api", "app", "budget", "call", "calls", "count", "credit", "credits", "limit", "limits", "order", "orders", "points", "quota",
			"rate", "ratelimit", "request", "requests", "throttle", "tokens", "use", "weight",
		},
		units: []string{"credits", "orders", "points", "tokens", "weight"},
	}
}

// guess returns what a field may hold, by its name and its value.
func guess(name, value string) (f validate.Field, ok bool) {
	v, f := vocabulary(), validate.Field{Name: name}
	parts := strings.FieldsFunc(strings.ToLower(name), isBetween)
	var policy []string // the words that name it
	for _, word := range parts {
		if !v.note(&f, word) {
			policy = append(policy, word)
		}
	}
	if f.Holds == "" && f.Window > 0 && slices.Contains(policy, "count") {
		f.Holds = validate.HoldsUsed
	}
	if f.Holds == "" && regexp.MustCompile(`(?i)(quota|rate-?limit|throttle)(-(limit|max|total))?$`).MatchString(name) {
		f.Holds = validate.HoldsLimit
	}
	f.Policy = strings.Join(policy, "-")
	if f.Holds == "" || !slices.ContainsFunc(parts, v.isAboutLimits) {
		return f, false
	}
	return f, fits(&f, value)
}

// isBetween reports whether a character stands between the words of a name.
func isBetween(c rune) bool { return strings.ContainsRune("-_.", c) }

// isAboutLimits reports whether a word of a field's name is one of limits.
func (v *words) isAboutLimits(word string) bool {
	return period(word) > 0 || slices.Contains(v.context, word)
}

// note notes in f what a word of its name says; false if the word may be part of a policy's name.
func (v *words) note(f *validate.Field, word string) bool {
	if slices.Contains(v.units, word) {
		f.Unit = limits.Unit(word)
	}
	window, holds := period(word), v.holds[word]
	switch {
	case window > 0:
		f.Window = window
	case holds != "" && f.Holds == "":
		f.Holds = holds
	default:
		return word == "in" || word == "x"
	}
	return true
}

// period returns the time that a word such as 1m or 10s stands for; 0 if it stands for none.
func period(word string) time.Duration {
	units := map[byte]time.Duration{'s': time.Second, 'm': time.Minute, 'h': time.Hour, 'd': 24 * time.Hour}
	last := len(word) - 1
	if last < 1 {
		return 0
	}
	n, err := strconv.ParseUint(word[:last], 10, 16)
	if err != nil {
		return 0
	}
	return time.Duration(n) * units[word[last]]
}

// fits reports whether a field can hold a value: a number, perhaps with a percent sign.
func fits(f *validate.Field, value string) bool {
	number, isPercent := strings.CutSuffix(value, "%")
	n, err := strconv.ParseFloat(number, 64)
	if isPercent && f.Holds == validate.HoldsUsed {
		f.Holds = validate.HoldsPercent
	}
	return err == nil && n >= 0 && n <= math.MaxInt64
}

// profileLines shows the profile that would help.
func (r *report) profileLines() []line {
	if r.Profile == nil {
		return nil
	}
	var text bytes.Buffer
	e := json.NewEncoder(&text)
	e.SetEscapeHTML(false) // a pattern has groups such as (?<limit>\d+)
	if e.Encode(r.Profile) != nil {
		return nil
	}
	lines := []line{{"profile", "some fields look like limits, and headway does not know them. If the documentation agrees, this profile reads them:", yellow}}
	lines = append(lines, line{"", strings.TrimSpace(string(ascii(text.Bytes()))), plain})
	var without []string
	for _, f := range r.Profile.Fields {
		if f.Holds == validate.HoldsUsed {
			without = append(without, visible(f.Name, shortText))
		}
	}
	if len(without) > 0 {
		lines = append(lines, line{"", "add the documented quota to " + strings.Join(without, ", "), plain})
	}
	return lines
}
