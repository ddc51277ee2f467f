package parse

import (
	"strings"
	"time"
)

// Layouts of dates without a weekday and a zone. Go's parser takes a fraction of a second after any of them.
//
//nolint:gochecknoglobals // tables, which never change
var (
	// RFC 3339, and without seconds. Without a zone they mean UTC.
	timestampLayouts = []string{"2006-01-02T15:04:05", "2006-01-02T15:04"}

	// The forms of RFC 9110 §5.6.7, and the Date of JavaScript.
	httpLayouts    = []string{"2 Jan 2006 15:04:05", "2-Jan-06 15:04:05", "2-Jan-2006 15:04:05", "Jan 2 2006 15:04:05"}
	asctimeLayouts = []string{"Jan _2 15:04:05 2006"} // the only one of HTTP that has no zone
)

// longestDate is more bytes than any date has that a server sends.
const longestDate = 128

// readDate reads a date in any of the accepted forms. It does not check that the weekday fits the date.
//
//	2025-08-21T12:40:59Z
//	2024-05-05 18:02:01.5 +0200 CEST m=+12.000345
//	Sun, 06 Nov 1994 08:49:37 GMT
//	Sunday, 06-Nov-94 08:49:37 GMT
//	Sun Nov  6 08:49:37 1994
//	Sun Nov 06 1994 08:49:37 GMT+0000 (Coordinated Universal Time)
func readDate(value string) (When, bool) {
	text := trim(value)
	if len(text) < len("2006-01-02T15:04") || len(text) > longestDate {
		return When{}, false
	}
	isTimestamp := isDigit(text[0])
	if isTimestamp {
		text = strings.ToUpper(text)
	} else {
		day, rest, ok := strings.Cut(text, " ")
		if !ok || !isWeekday(strings.TrimSuffix(day, ",")) {
			return When{}, false
		}
		text = rest
	}
	text, offset, hasZone := cutZone(text)
	layouts := asctimeLayouts
	switch {
	case isTimestamp:
		text, layouts = strings.Replace(text, " ", "T", 1), timestampLayouts
	case hasZone:
		layouts = httpLayouts
	}
	t, ok := parseDate(text, layouts)
	return at(t.Add(-offset)), ok
}

// parseDate tries the layouts that text is long enough for, as a failed attempt allocates. A leap second is
// the second after it.
func parseDate(text string, layouts []string) (time.Time, bool) {
	leap := time.Duration(0)
	if i := strings.LastIndexByte(text, ':'); strings.Count(text, ":") == 2 && strings.HasPrefix(text[i:], ":60") {
		text, leap = text[:i]+":59"+text[i+len(":60"):], time.Second
	}
	for _, layout := range layouts {
		if len(text)+1 < len(layout) { // the hour may have one digit
			continue
		}
		if t, err := time.Parse(layout, text); err == nil {
			return t.Add(leap), true
		}
	}
	return time.Time{}, false
}

// cutZone cuts the zone off a date: Z, GMT, UTC, UT, an offset such as +02:00 or -0500, or both as in GMT+0100. Names of
// other zones are ambiguous, and stay. Behind an offset there may be the name of the zone.
func cutZone(text string) (rest string, offset time.Duration, ok bool) {
	text, isValid := cutMonotonic(text)
	if !isValid {
		return text, 0, false
	}
	if i := strings.IndexByte(text, '('); i > 0 && strings.HasSuffix(text, ")") {
		text = trim(text[:i])
	}
	if i := strings.LastIndexAny(text, "+-"); i > 0 && strings.Contains(text[:i], ":") { // behind a time of day
		number, name, _ := strings.Cut(text[i:], " ")
		if offset, ok = readOffset(number); !ok || strings.ContainsFunc(name, isNoLetter) {
			return text, 0, false
		}
		text = trim(text[:i])
	}
	for _, name := range [...]string{"Z", "GMT", "UTC", "UT"} {
		if n := len(text) - len(name); n > 0 && strings.EqualFold(text[n:], name) {
			return trim(text[:n]), offset, true
		}
	}
	return text, offset, ok
}

// cutMonotonic cuts the monotonic clock off a date, as in the texts of Go: +0200 CEST m=+0.000012. ok is false if it is
// malformed.
func cutMonotonic(text string) (rest string, ok bool) {
	i := strings.Index(text, " M=")
	if i < 0 {
		return text, true
	}
	s := scanner{s: text, off: i + len(" M=")}
	s.decimal()
	return text[:i], s.err == nil && s.eof()
}

func isNoLetter(r rune) bool { return r > 'z' || !isAlpha(byte(r)) }

// readOffset reads +hh:mm or -hhmm.
func readOffset(text string) (time.Duration, bool) {
	layout := "1504"
	if strings.Contains(text, ":") {
		layout = "15:04"
	}
	if len(text) != len("+")+len(layout) {
		return 0, false
	}
	t, err := time.Parse(layout, text[1:])
	offset := time.Duration(t.Hour())*time.Hour + time.Duration(t.Minute())*time.Minute
	if text[0] == '-' {
		offset = -offset
	}
	return offset, err == nil
}

func isWeekday(word string) bool {
	for d := time.Sunday; d <= time.Saturday; d++ {
		if name := d.String(); strings.EqualFold(word, name) || strings.EqualFold(word, name[:3]) {
			return true
		}
	}
	return false
}
