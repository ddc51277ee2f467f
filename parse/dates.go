package parse

import (
	"strings"
	"time"
)

// dateLayouts has the forms of dates, the commonest first. Go's parser takes a fraction after the seconds of any of them,
// an hour of one digit, and any weekday.
//
//nolint:gochecknoglobals // a table, which never changes
var dateLayouts = [...]string{
	"2006-01-02T15:04:05Z07:00",     // RFC 3339
	"Mon, 2 Jan 2006 15:04:05",      // RFC 9110 §5.6.7
	"2006-01-02T15:04:05",           // in UTC
	"2006-01-02T15:04:05 -0700",     // Ruby
	"2006-01-02T15:04:05 -0700 MST", // Go
	"2006-01-02T15:04:05 -07:00",
	"2006-01-02T15:04:05Z0700",
	"2006-01-02T15:04Z07:00", // without seconds
	"2006-01-02T15:04",
	"Mon, 2 Jan 2006 15:04:05 -0700",
	"Mon Jan 2 2006 15:04:05 GMT-0700", // JavaScript
	"Monday, 2-Jan-06 15:04:05",        // the obsolete forms of RFC 9110
	"Mon Jan 2 15:04:05 2006",
}

// readDate reads a date in any of the accepted forms. A zone may be an offset, Z, GMT or UTC: other names are ambiguous.
// Without a zone it is UTC. readDate does not check that the weekday fits the date.
//
//	2025-08-21T12:40:59Z
//	2024-05-05 18:02:01.5 +0200 CEST m=+12.000345
//	Sun, 06 Nov 1994 08:49:37 GMT
//	Sunday, 06-Nov-94 08:49:37 GMT
//	Sun Nov  6 08:49:37 1994
//	Sun Nov 06 1994 08:49:37 GMT+0000 (Coordinated Universal Time)
func readDate(text string) (time.Time, bool) {
	text, _, _ = strings.Cut(text, " (")
	text, _, _ = strings.Cut(text, " m=")
	text = strings.TrimSuffix(strings.TrimSuffix(text, " GMT"), " UTC")
	if len(text) < len("2006-01-02T15:04") || !strings.Contains(text, ":") {
		return time.Time{}, false
	}
	isNumeric := isDigit(text[0])
	if isNumeric {
		text = strings.Replace(strings.ToUpper(text), " ", "T", 1)
	} else {
		text = strings.Replace(text, "  ", " ", 1) // before a day of one digit
	}
	spaces := strings.Count(text, " ")
	for _, layout := range dateLayouts {
		if isNumeric != isDigit(layout[0]) || spaces != strings.Count(layout, " ") {
			continue // as a failed attempt allocates
		}
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), true
		}
	}
	return time.Time{}, false
}
